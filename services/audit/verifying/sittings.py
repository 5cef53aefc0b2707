"""Tables against wallet: every chip a table took in was held for that sitting, and all that left it came home."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from libs.contracts import table_events as t
from libs.contracts import wallet_events as w
from libs.contracts.messages import Message, PublicEvent
from services.audit.verifying.findings import Finding, Kind

GRACE_MS = 30_000
"""How long a policy may take from one journal to the other before its silence counts as a finding."""


@dataclass(slots=True)
class Sitting:
    """What both sides say of one sitting. `*_at` are milliseconds since the epoch."""

    stream: str
    used: dict[str, int] = field(default_factory=dict)
    """Hold id to the amount the table seated or topped up with."""
    left_with: int | None = None
    left_at: int = 0


@dataclass(slots=True)
class Hold:
    stream: str
    sitting: str
    table: str
    amount: int
    at: int
    ended: bool = False


@dataclass(slots=True)
class Sittings:
    """Fold of both sides; the order in which table and wallet events come in does not matter."""

    sittings: dict[str, Sitting] = field(default_factory=dict)
    holds: dict[str, Hold] = field(default_factory=dict)
    holds_of: dict[str, list[Hold]] = field(default_factory=dict)
    """Holds by sitting."""
    returned: dict[str, tuple[str, int]] = field(default_factory=dict)
    given_up: dict[str, int] = field(default_factory=dict)
    """Hold id to the time at which the table gave the seat or top-up up."""
    now: int = 0


def note(sittings: Sittings, event: PublicEvent, fact: Message) -> None:
    """Takes one event of either service."""
    sittings.now = max(sittings.now, event.time)
    match fact:
        case t.PlayerSeated():
            _of(sittings, event, fact.reservation).used[fact.reservation] = fact.amount
        case t.TopUpAdded():
            _of(sittings, event, fact.reservation).used[fact.top_up] = fact.amount
        case t.SeatReleased():
            sittings.given_up[fact.reservation] = event.time
        case t.TopUpFailed():
            sittings.given_up[fact.top_up] = event.time
        case t.PlayerLeft():
            sitting = _of(sittings, event, fact.reservation)
            sitting.left_with, sitting.left_at = fact.stack, event.time
        case w.FundsHeld():
            hold = Hold(event.stream, fact.sitting, fact.table, fact.amount, event.time)
            sittings.holds[fact.hold] = hold
            sittings.holds_of.setdefault(fact.sitting, []).append(hold)
        case w.HoldReleased():
            if fact.hold in sittings.holds:
                sittings.holds[fact.hold].ended = True
        case w.HoldSettled():
            sittings.returned[fact.sitting] = (event.stream, fact.returned)
            for hold in sittings.holds_of.get(fact.sitting, ()):
                hold.ended = True
        case _:
            pass


def check_sittings(sittings: Sittings, grace_ms: int = GRACE_MS) -> Iterator[Finding]:
    """What does not agree when both journals have been read to their ends."""
    old = sittings.now - grace_ms
    for name, sitting in sittings.sittings.items():
        for hold_id, amount in sitting.used.items():
            hold = sittings.holds.get(hold_id)
            if hold is None or (hold.amount, hold.table, hold.sitting) != (amount, sitting.stream, name):
                detail = f"sitting {name} played {amount} of hold {hold_id}, the wallet held {hold and hold.amount}"
                yield Finding(Kind.HOLD, sitting.stream, detail)
        yield from _homecoming(sittings, name, sitting, old)
    for name, (stream, returned) in sittings.returned.items():
        if name not in sittings.sittings:
            yield Finding(Kind.HOLD, stream, f"{returned} came home from sitting {name}, which no table knows")
    yield from _open_holds(sittings, old)


def _homecoming(sittings: Sittings, name: str, sitting: Sitting, old: int) -> Iterator[Finding]:
    home = sittings.returned.get(name)
    if home is not None and home[1] != sitting.left_with:
        yield Finding(Kind.HOLD, home[0], f"sitting {name} left with {sitting.left_with}, {home[1]} came home")
    if home is None and sitting.left_with is not None and sitting.left_at < old:
        yield Finding(
            Kind.HOLD_OPEN, sitting.stream, f"sitting {name} left with {sitting.left_with}, nothing came home"
        )


def _open_holds(sittings: Sittings, old: int) -> Iterator[Finding]:
    for hold_id, hold in sittings.holds.items():
        if hold.ended:
            continue
        given_up = sittings.given_up.get(hold_id)
        if given_up is not None and max(given_up, hold.at) < old:
            yield Finding(Kind.HOLD_OPEN, hold.stream, f"hold {hold_id} of {hold.amount} was given up and never ended")


def _of(sittings: Sittings, event: PublicEvent, name: str) -> Sitting:
    return sittings.sittings.setdefault(name, Sitting(event.stream))
