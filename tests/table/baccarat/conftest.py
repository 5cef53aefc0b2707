"""The matrix of the regulation, where the shared folder is there."""

from pathlib import Path
from typing import Any

import pytest
import yaml


@pytest.fixture(scope="session")
def matrix(shared: Path) -> dict[str, Any]:
    """Entries of pt-812-2015-baccarat by their ref."""
    text = (shared / "regulations" / "pt-812-2015-baccarat-online.yaml").read_text(encoding="utf-8")
    return {str(entry["ref"]): entry for entry in yaml.safe_load(text)["rules"]}
