"""Prometheus and promtool: of this machine, or as Debian packages them (`make prometheus`)."""

import shutil
from pathlib import Path

FETCHED = Path(__file__).resolve().parents[2] / ".tools" / "prometheus" / "usr" / "bin"


def found(tool: str) -> str | None:
    return shutil.which(tool) or shutil.which(str(FETCHED / tool))
