"""Which recorded hands and rounds a file holds, and how each is played: one folder or file per format."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from services.cli.replaying.baccarat import replay_coups
from services.cli.replaying.casino.play import replay_casino
from services.cli.replaying.no_draw import replay_rounds
from services.cli.replaying.omaha import replay_omaha
from services.cli.replaying.phh.files import holds_phh, read_hands
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
