"""Conservation at a table: after every event, what lies on it is what was brought less what was taken away and kept."""

from collections.abc import Iterator
from functools import cache

from libs.contracts import conduct_events as conduct
from libs.contracts import live_events as v
from libs.contracts import table_events as t
from libs.contracts import tournament_events as e
from libs.contracts import waiting_list_events as waiting
from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from services.audit.verifying.banked_chips import BANKED_STEPS
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.hand_chips import HAND_STEPS, Chips, Complaint, Step

__all__ = ["Chips", "check_chips"]


def check_chips(chips: Chips, event: PublicEvent, fact: Fact) -> Iterator[Finding]:
    """Folds one event of one table into `chips` and yields what does not agree after it."""
    chips.events += 1
    step = _step_of(type(fact))
    if step is None:
        return
    for kind, detail in step(chips, fact):
        yield Finding(kind, event.stream, detail, event.version)
    if chips.on_table != chips.accounted:
        detail = f"stacks and pots {chips.on_table}, brought less taken, rake and commission {chips.accounted}"
        yield Finding(Kind.CHIPS, event.stream, detail, event.version)
        # One break is reported once: go on from what lies there.
        chips.brought += chips.on_table - chips.accounted
    if min(chips.pot, chips.bank, *chips.stacks.values(), *chips.lying.values()) < 0:
        yield Finding(Kind.NEGATIVE, event.stream, "a stack, the pot or the bank is below zero", event.version)


@cache
def _step_of(event: type[Fact]) -> Step | None:
    """The event's own step, or that of what it derives from."""
    return next((_STEPS[each] for each in event.__mro__ if each in _STEPS), None)


def _seated(chips: Chips, fact: t.PlayerSeated) -> Iterator[Complaint]:
    yield from _sits(chips, fact, fact.stack)
    chips.brought += fact.amount
    chips.commission += fact.commission


def _entrant_seated(chips: Chips, fact: e.EntrantSeated) -> Iterator[Complaint]:
    """At a tournament table chips come and go with their entrant, and are counted like all others."""
    yield from _sits(chips, fact, fact.chips)
    chips.brought += fact.chips


def _sits(chips: Chips, fact: t.PlayerSeated | e.EntrantSeated, stack: int) -> Iterator[Complaint]:
    if fact.seat in chips.seated or fact.reservation in chips.stacks:
        yield Kind.CHIPS, f"seat {fact.seat} was taken already"
    chips.seated[fact.seat] = fact.reservation
    chips.stacks[fact.reservation] = stack


def _entrant_gone(
    chips: Chips, fact: e.EntrantEliminated | e.EntrantMoved | e.EntrantFinished | e.EntrantDisqualified
) -> Iterator[Complaint]:
    amount = 0 if isinstance(fact, e.EntrantEliminated) else fact.chips
    stack = chips.stacks.pop(fact.reservation, None)
    chips.taken += amount
    if chips.seated.pop(fact.seat, None) != fact.reservation or stack != amount:
        yield Kind.CHIPS, f"seat {fact.seat} is left with {amount}, its stack was {stack}"


def _entrant_buys(chips: Chips, fact: e.EntrantChipsDue) -> Iterator[Complaint]:
    """By the tournament's own command, as `orders.py` has it."""
    chips.due[fact.payment] = (fact.reservation, fact.chips)
    return iter(())


def _entrant_bought(chips: Chips, fact: e.EntrantChipsAdded) -> Iterator[Complaint]:
    if chips.due.pop(fact.payment, None) != (fact.reservation, fact.chips):
        yield Kind.CHIPS, f"seat {fact.seat} gets {fact.chips} by {fact.payment}, which were not due there"
    chips.stacks[fact.reservation] += fact.chips
    chips.brought += fact.chips
    if chips.stacks[fact.reservation] != fact.stack:
        yield Kind.CHIPS, f"seat {fact.seat} is told to have {fact.stack}, and has {chips.stacks[fact.reservation]}"


def _topped_up(chips: Chips, fact: t.TopUpAdded) -> Iterator[Complaint]:
    chips.stacks[fact.reservation] = fact.stack
    chips.brought += fact.amount
    chips.commission += fact.commission
    return iter(())


def _tipped(chips: Chips, fact: conduct.DealerTipped) -> Iterator[Complaint]:
    chips.stacks[fact.reservation] = fact.stack
    chips.taken += fact.amount
    return iter(())


def _moved(chips: Chips, fact: waiting.SeatChanged) -> Iterator[Complaint]:
    if chips.seated.pop(fact.from_seat, None) != fact.reservation or fact.to_seat in chips.seated:
        yield Kind.CHIPS, f"seat {fact.from_seat} moves to {fact.to_seat}, which does not agree with who sits where"
    chips.seated[fact.to_seat] = fact.reservation


def _reversed(chips: Chips, fact: v.PotReversed) -> Iterator[Complaint]:
    for seat, stack in ((fact.from_seat, fact.from_stack), (fact.to_seat, fact.to_stack)):
        chips.stacks[chips.seated[seat]] = stack
    return iter(())


def _left(chips: Chips, fact: t.PlayerLeft) -> Iterator[Complaint]:
    stack = chips.stacks.pop(fact.reservation, None)
    chips.taken += fact.stack
    if chips.seated.get(fact.seat) == fact.reservation:
        del chips.seated[fact.seat]
    if stack != fact.stack:
        yield Kind.CHIPS, f"seat {fact.seat} leaves with {fact.stack}, its stack was {stack}"


def _sent_after(chips: Chips, fact: t.RefundSent) -> Iterator[Complaint]:
    owed = chips.stacks.pop(fact.reservation, None)
    chips.taken += fact.amount
    if fact.reservation in chips.seated.values():
        yield Kind.CHIPS, f"a refund is sent after seat {fact.seat}, who has not left"
    if owed != fact.amount:
        yield Kind.CHIPS, f"a refund of {fact.amount} is sent after seat {fact.seat}, who was owed {owed}"


_STEPS: dict[type[Fact], Step] = {
    t.PlayerSeated: _seated,
    t.TopUpAdded: _topped_up,
    t.PlayerLeft: _left,
    t.RefundSent: _sent_after,
    conduct.DealerTipped: _tipped,
    waiting.SeatChanged: _moved,
    v.PotReversed: _reversed,
    e.EntrantSeated: _entrant_seated,
    e.EntrantChipsDue: _entrant_buys,
    e.EntrantChipsAdded: _entrant_bought,
    e.EntrantEliminated: _entrant_gone,
    e.EntrantMoved: _entrant_gone,
    e.EntrantDisqualified: _entrant_gone,
    e.EntrantFinished: _entrant_gone,
    **HAND_STEPS,
    **BANKED_STEPS,
}
