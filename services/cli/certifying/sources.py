"""With which sources a page's tests were run: one digest over everything that can change how they end."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

_PARTS = ("libs", "services", "tests", "pyproject.toml", "requirements.lock")
_SAID = re.compile(
    r"^Run as a whole on (?P<day>[\d-]{10}) \(UTC\) with the sources `(?P<digest>[0-9a-f]{64})`", re.MULTILINE
)


class Ran(msgspec.Struct, frozen=True):
    """The last run of all tests of a regulation."""

    digest: str
    day: str
    """UTC, `2026-11-23`."""


def digest_of(root: Path) -> str:
    """SHA-256, in hexadecimal, over the path and the bytes of each file in order."""
    whole = hashlib.sha256()
    for file in sorted(_files(root)):
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        whole.update(f"{file.relative_to(root).as_posix()} {content}\n".encode())
    return whole.hexdigest()


def _files(root: Path) -> Iterator[Path]:
    for part in _PARTS:
        there = root / part
        found = there.rglob("*") if there.is_dir() else [there]
        yield from (file for file in found if file.is_file() and "__pycache__" not in file.parts)


def words_of(ran: Ran | None) -> Iterator[str]:
    """Lines for the page, which `ran_on` reads back."""
    if ran is None:
        yield "Not yet run as a whole with its sources on record: rows were shown by runs of their own."
        return
    yield f"Run as a whole on {ran.day} (UTC) with the sources `{ran.digest}`"
    yield f"(SHA-256 over {', '.join(_PARTS)}). What was run since by itself stands in its rows"
    yield "and is not told apart; `croupier certify --check` says whether the sources are still the same."


def ran_on(page: str) -> Ran | None:
    said = _SAID.search(page)
    return Ran(said["digest"], said["day"]) if said else None
