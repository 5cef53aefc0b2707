"""Which recorded hands and rounds a file holds, and how each is played: one folder or file per format."""

import tarfile
import tomllib
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from services.cli.replaying.baccarat import replay_coups
from services.cli.replaying.casino.play import replay_casino
from services.cli.replaying.no_draw import replay_rounds
from services.cli.replaying.omaha import replay_omaha
from services.cli.replaying.phh.play import replay_phh
from services.cli.replaying.play import Outcome
from services.cli.replaying.record import NotARecord, load

Format = Callable[[str, Any], Iterator[Outcome]]
"""File name and document to the outcome of each hand or round; NotARecord when the document has another shape."""


def outcomes_of(file: Path) -> Iterator[Outcome]:
    """Each hand or round of the file, played and compared."""
    if holds_phh(file):
        for name, document in read_hands(file):
            yield _replayed(name, document)
        return
    document = load(file)
    kind = str(document.get("id", "")) if isinstance(document, dict) else ""
    yield from FORMATS.get(kind, replay_omaha)(file.name, document)


def _replayed(name: str, document: dict[str, Any]) -> Outcome:
    """One that can't be read among many that can is a difference, not the end."""
    try:
        return replay_phh(name, document)
    except NotARecord as wrong:
        return Outcome(name, "", "", [f"is no record: {wrong}"], variant=str(document.get("variant", "?"))[:20])


FORMATS: Mapping[str, Format] = {
    "casino-poker-worked-hands": replay_casino,
    "no-draw-poker-worked-rounds": replay_rounds,
    "baccarat-worked-rounds": replay_coups,
}
"""By the document's `id`; one without a line here is read as worked hands of Omaha."""


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
