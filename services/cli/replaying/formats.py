"""Which format a document has, by what stands in it, and how it is played: one folder per format."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from services.cli.replaying.baccarat.play import replay_coups
from services.cli.replaying.casino.play import replay_casino
from services.cli.replaying.files import read
from services.cli.replaying.no_draw.play import replay_rounds
from services.cli.replaying.omaha.play import replay_omaha
from services.cli.replaying.phh.play import replay_phh
from services.cli.replaying.play import Outcome
from services.cli.replaying.record import NotARecord, within
from services.cli.replaying.tournament.play import replay_tournaments

Format = Callable[[Any], Iterator[Outcome]]
"""A document to the outcome of each hand or round; NotARecord when something in it can't be played."""


def outcomes_of(file: Path) -> Iterator[Outcome]:
    """Each hand or round of the file, played and compared. NotARecord names file, hand and field.

    One PHH hand that can't be read, among many that can, is an outcome of its own.
    """
    for name, document in read(file):
        yield from outcomes_in(name, document)


def outcomes_in(name: str, document: Any) -> Iterator[Outcome]:
    """Of one document, whatever it is called."""
    with within(name):
        if is_noted(document):
            yield _noted(name, document)
        else:
            yield from format_of(document)(document)


def is_noted(document: Any) -> bool:
    """Whether it is a hand in PHH."""
    return isinstance(document, dict) and not {"variant", "actions", "starting_stacks"}.isdisjoint(document)


def format_of(document: Any) -> Format:
    """NotARecord when nothing that it holds is played here."""
    fields = document if isinstance(document, dict) else {}
    for listed, marks, found in _FORMATS:
        within_it = fields.get(listed)
        items = within_it if isinstance(within_it, list) else []
        if any(not marks.isdisjoint(item) for item in items if isinstance(item, dict)):
            return found
    raise NotARecord("holds no hands, rounds or coups that the replay knows")


def _noted(name: str, document: dict[str, Any]) -> Outcome:
    try:
        return replay_phh(name, document)
    except NotARecord as wrong:
        return Outcome(name, "", "", variant=str(document.get("variant", "?"))[:20], no_record=f"{name}: {wrong}")


_FORMATS: tuple[tuple[str, frozenset[str], Format], ...] = (
    ("hands", frozenset({"events", "stub_top", "lead_seat"}), replay_casino),
    ("hands", frozenset({"actions", "ruleset", "positions"}), replay_omaha),
    ("rounds", frozenset({"coups"}), replay_coups),
    ("rounds", frozenset({"deck_order", "dealer_hand", "seats"}), replay_rounds),
    ("cases", frozenset({"setup", "steps", "expected"}), replay_tournaments),
)
"""The list in the document, and fields of which an item of it has one."""
