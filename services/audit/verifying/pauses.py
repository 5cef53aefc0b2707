"""Who pauses a table again and again: nobody has to agree, and everybody waits meanwhile."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.contracts.people import person_of
from libs.contracts.table_events import TablePaused
from services.audit.verifying.findings import Finding, Kind

OFTEN = 3
"""Pauses of one table by one person within 24 hours that are looked at."""
_DAY_MS = 86_400_000


@dataclass(slots=True)
class Pauses:
    """Of one table."""

    at: dict[str, list[int]] = field(default_factory=dict)
    """By person: milliseconds since the epoch, the last 24 hours of them, and none that was told of."""


def is_of_people(fact: Fact) -> bool:
    """The house itself pauses a table without entropy, which is told each time."""
    return isinstance(fact, TablePaused) and fact.by != "house"


def note_pause(pauses: Pauses, event: PublicEvent, fact: Fact) -> Iterator[Finding]:
    assert isinstance(fact, TablePaused), "nothing else is a pause"
    lately = {who: [at for at in them if at > event.time - _DAY_MS] for who, them in pauses.at.items()}
    person = person_of(fact.by)
    them = [*lately.get(person, ()), event.time]
    lately[person] = them if len(them) < OFTEN else []
    pauses.at = {who: them for who, them in lately.items() if them}
    if len(them) >= OFTEN:
        detail = f"paused by {fact.by} {len(them)} times within 24 hours, the last time for {fact.reason!r}"
        yield Finding(Kind.PAUSED, event.stream, detail, event.version)
