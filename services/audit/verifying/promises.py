"""What the house promises to tournaments of its own money. One has its bound at the proposal; those of a day, here.

A decider knows one tournament; who may propose and approve them could announce many, each within its bound.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from libs.contracts import tournaments_events as t
from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent


@dataclass(slots=True)
class Promise:
    """Of one tournament, in minor units; `day` (`2026-11-27`, UTC) once it is announced."""

    amount: int = 0
    currency: str = ""
    day: str = ""


def note_promise(promise: Promise, event: PublicEvent, fact: Fact) -> None:
    if isinstance(fact, t.TournamentProposed):
        promise.amount, promise.currency = fact.definition.promised, fact.definition.currency
    elif isinstance(fact, t.TournamentAnnounced):
        promise.day = day_of(event.time)


def day_of(at: int) -> str:
    """Of milliseconds since the epoch."""
    return datetime.fromtimestamp(at // 1000, UTC).strftime("%Y-%m-%d")
