"""`python -m services.cli.image`: what goes into the image beside code: pinned requirements, parts list, identity."""

import json
import os
import re
import subprocess
import sys
from hashlib import sha256
from importlib.metadata import distribution
from pathlib import Path

from services.cli.sbom import ROOT, cyclonedx, in_image, third_parties
from services.cli.upgrading.build import as_text, this_build

SOURCES = ("libs", "services", "pyproject.toml", "requirements.lock", "deploy")
"""What an image is made of. A commit that changes none of it changes no byte of the image."""


def main(requirements: Path, program: Path) -> None:
    """Writes the lock's part that services need, hashes and all, and the documents that lie in the image."""
    parts = in_image(third_parties())
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    requirements.write_text(pinned(lock, {part.name for part in parts}), encoding="utf-8")
    program.mkdir(parents=True)
    for name, document in {"sbom.cdx.json": cyclonedx(parts), "build.json": identity(lock)}.items():
        (program / name).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    (program / "wire.json").write_text(as_text(this_build()), encoding="utf-8")


def pinned(lock: str, names: set[str]) -> str:
    """The entries of the lock that are of `names`."""
    entries = re.split(r"^(?=[A-Za-z0-9])", lock, flags=re.MULTILINE)
    return "".join(entry for entry in entries if entry.partition("==")[0].lower() in names)


def identity(lock: str) -> dict[str, object]:
    """Of this build. Without a clock: the same files make the same image."""
    return {
        "name": "croupier",
        "version": distribution("croupier").version,
        "revision": _git("log", "-1", "--format=%H", "--", *SOURCES),
        "modified": bool(_git("status", "--porcelain", "--", *SOURCES)),
        "requirements.lock": sha256(lock.encode()).hexdigest(),
        "base": os.environ["BASE_DIGEST"],
    }


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
