"""Where recorded hands lie: single `.phh` files, `.phhs` collections, and tar archives of both."""

import tarfile
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from services.cli.replaying.record import NotARecord

_ARCHIVES = (".tar", ".tar.xz", ".tar.gz", ".tar.bz2", ".tgz", ".txz")
_HANDS = (".phh", ".phhs")


def holds_phh(path: Path) -> bool:
    """Whether the name is that of PHH hands or of an archive."""
    return path.name.lower().endswith(_HANDS + _ARCHIVES)


def read_hands(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each hand's name and its TOML, in the order of the file. NotARecord for what can't be read."""
    try:
        if path.name.lower().endswith(_ARCHIVES):
            yield from _members(path)
        else:
            yield from _hands(path.stem, path.name, path.read_bytes())
    except (OSError, EOFError, tarfile.TarError) as unreadable:
        raise NotARecord(f"{path.name}: cannot be read: {str(unreadable).splitlines()[0]}") from unreadable


def _members(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    # Read as a stream: members are parsed where they lie and never unpacked onto a disk.
    with tarfile.open(path, "r|*") as archive:
        for member in archive:
            if member.isfile() and member.name.lower().endswith(_HANDS):
                content = archive.extractfile(member)
                assert content is not None, "a file has content"
                name = member.name.rsplit(".", 1)[0].removeprefix("./").removeprefix("data/")
                yield from _hands(name, member.name, content.read())


def _hands(name: str, file: str, content: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        document = tomllib.loads(content.decode("utf-8"), parse_float=Decimal)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as wrong:
        raise NotARecord(f"{file}: is no TOML: {wrong}") from wrong
    if not file.lower().endswith(".phhs"):
        yield name, document
        return
    for number, hand in document.items():
        if not isinstance(hand, dict):
            raise NotARecord(f"{file}: {number} is no hand")
        yield f"{name}/{number}", hand
