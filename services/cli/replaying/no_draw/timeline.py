"""The timeline of a worked round: sentences of what happened when, those of connections played and all compared."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from libs.contracts import no_draw_poker_events as n
from libs.contracts.facts import TableEvent
from libs.contracts.table_events import ConnectionLost, ConnectionRestored

_SEAT = r"seat (?P<seat>[1-7])"
CONNECTION = re.compile(rf"{_SEAT} connection (?P<change>lost|restored)")
HAPPENINGS = (
    r"^(cards delivered|dealer hand revealed, round settled|round settled|round void"
    r"|warning to seats? [1-7](, [1-7])*, new deadline [0-9]+"
    r"|seat [1-7] (continues, [0-9]+ debited|folds|folded by (timeout|disconnection)|connection (lost|restored)))$"
)
"""The sentences that a timeline may have."""
_FOLDED = {"player": "folds", "timeout": "folded by timeout", "disconnected": "folded by disconnection"}


class _Happened(Protocol):
    @property
    def at_ms(self) -> int: ...
    @property
    def event(self) -> str: ...


def told_at(timeline: Sequence[_Happened], beginning: str, otherwise: int) -> int:
    """When the first sentence that begins so was true; milliseconds after the cards."""
    return next((each.at_ms for each in timeline if each.event.startswith(beginning)), otherwise)


def happenings(told: Sequence[TableEvent]) -> Iterator[dict[str, Any]]:
    """What the table told, in the sentences of a timeline."""
    dealt, shown = None, ""
    for event in told:
        if isinstance(event, n.RoundDealt):
            dealt = event.at
        if isinstance(event, n.DealerShown):
            shown = "dealer hand revealed, "
        if dealt is not None and (said := _said(event, dealt, shown)):
            yield {"at_ms": event.at - dealt, "event": said}


def _said(event: TableEvent, dealt: int, shown: str) -> str:
    match event:
        case n.RoundDealt():
            return "cards delivered"
        case n.SecondBetPlaced():
            return f"seat {event.seat} continues, {event.amount} debited"
        case n.HandSurrendered():
            return f"seat {event.seat} {_FOLDED.get(event.cause, event.cause)}"
        case n.HandsWarned():
            seats = ", ".join(map(str, event.seats))
            return f"warning to seat{'s' if len(event.seats) > 1 else ''} {seats}, new deadline {event.until - dealt}"
        case ConnectionLost() | ConnectionRestored():
            return f"seat {event.seat} connection {'lost' if isinstance(event, ConnectionLost) else 'restored'}"
        case n.RoundSettled():
            return f"{shown}round settled"
        case n.RoundVoided():
            return "round void"
        case _:
            return ""
