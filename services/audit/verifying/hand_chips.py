"""Everything that lies on one table, folded from its public events; what goes into a pot of poker comes out of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from libs.contracts import poker_events as p
from libs.contracts.facts import Fact
from services.audit.verifying.findings import Kind


@dataclass(slots=True)
class Chips:
    """Fold of one table. Every stack is what the *event* says it is, so that the sum is a check and not a tautology."""

    stacks: dict[str, int] = field(default_factory=dict)
    """By sitting: who left during a hand and sits down again before it ends is in it under the old one."""
    seated: dict[int, str] = field(default_factory=dict)
    in_hand: dict[int, str] = field(default_factory=dict)
    """Seat to the sitting that was dealt in there."""
    staked: dict[int, int] = field(default_factory=dict)
    won: dict[int, int] = field(default_factory=dict)
    hand: int | None = None
    last_hand: int = 0
    pot: int = 0
    hand_rake: int = 0
    rake: int = 0
    commission: int = 0
    brought: int = 0
    taken: int = 0
    events: int = 0
    hands_ended: int = 0
    hands_voided: int = 0
    round: int | None = None
    """Against the house: the round whose stakes lie on the table."""
    last_round: int = 0
    lying: dict[int, int] = field(default_factory=dict)
    """Seat to what it has staked in the round."""
    closed: bool = False
    """Whether its bets are."""
    due: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Of a tournament: by payment, to which sitting chips are to be added, and how many."""
    bank: int = 0
    treasury: int = 0
    """What came from the house's treasury, less what went back."""
    rounds_settled: int = 0
    rounds_voided: int = 0

    @property
    def on_table(self) -> int:
        return sum(self.stacks.values()) + self.pot + sum(self.lying.values()) + self.bank

    @property
    def accounted(self) -> int:
        return self.brought - self.taken - self.rake - self.commission + self.treasury


Complaint = tuple[Kind, str]
Step = Callable[[Chips, Any], Iterator[Complaint]]
"""What one event does to a table's chips, and what does not agree about it."""


def _started(chips: Chips, fact: p.HandStarted) -> Iterator[Complaint]:
    if chips.hand is not None:
        yield Kind.HAND_ORDER, f"hand {fact.hand} starts while hand {chips.hand} runs"
    if fact.hand != chips.last_hand + 1:
        yield Kind.HAND_ORDER, f"hand {fact.hand} follows hand {chips.last_hand}"
    for seat in fact.seats:
        if chips.stacks.get(seat.reservation) != seat.stack:
            stack = chips.stacks.get(seat.reservation)
            yield Kind.CHIPS, f"seat {seat.seat} starts with {seat.stack}, its stack was {stack}"
    chips.hand = chips.last_hand = fact.hand
    chips.in_hand = {seat.seat: seat.reservation for seat in fact.seats}
    chips.staked = {seat.seat: 0 for seat in fact.seats}
    chips.won = {seat.seat: 0 for seat in fact.seats}
    chips.hand_rake = 0


def _put_in(chips: Chips, fact: p.BlindPosted | p.BetPlaced) -> Iterator[Complaint]:
    if fact.amount <= 0:
        yield Kind.NEGATIVE, f"seat {fact.seat} puts in {fact.amount}"
    yield from _running(chips, fact.hand)
    chips.stacks[_who(chips, fact.seat)] = fact.stack
    chips.staked[fact.seat] = chips.staked.get(fact.seat, 0) + fact.amount
    chips.pot += fact.amount
    if fact.all_in != (fact.stack == 0):
        yield Kind.CHIPS, f"seat {fact.seat} all-in is {fact.all_in} with a stack of {fact.stack}"


def _returned(chips: Chips, fact: p.UncalledBetReturned) -> Iterator[Complaint]:
    yield from _running(chips, fact.hand)
    chips.stacks[_who(chips, fact.seat)] = fact.stack
    chips.staked[fact.seat] = chips.staked.get(fact.seat, 0) - fact.amount
    chips.pot -= fact.amount


def _awarded(chips: Chips, fact: p.PotAwarded) -> Iterator[Complaint]:
    yield from _running(chips, fact.hand)
    if sum(payment.gross for payment in fact.payments) != fact.amount:
        yield Kind.CHIPS, f"pot {fact.pot} of {fact.amount} is not what its payments come to"
    if sum(payment.rake for payment in fact.payments) != fact.rake:
        yield Kind.CHIPS, f"pot {fact.pot}: rake {fact.rake} is not what its payments bore"
    for payment in fact.payments:
        if payment.gross - payment.rake != payment.net or payment.net < 0:
            yield Kind.CHIPS, f"payment to seat {payment.seat}: {payment.gross} - {payment.rake} is not {payment.net}"
        who = _who(chips, payment.seat)
        chips.stacks[who] = chips.stacks.get(who, 0) + payment.net
        chips.won[payment.seat] = chips.won.get(payment.seat, 0) + payment.net
    chips.pot -= fact.amount
    chips.rake += fact.rake
    chips.hand_rake += fact.rake


def _ended(chips: Chips, fact: p.HandEnded) -> Iterator[Complaint]:
    yield from _running(chips, fact.hand)
    if chips.pot != 0:
        yield Kind.CHIPS, f"hand {fact.hand} ended with {chips.pot} undivided"
    if fact.rake != chips.hand_rake:
        yield Kind.CHIPS, f"hand {fact.hand}: rake {fact.rake}, its pots bore {chips.hand_rake}"
    if sum(result.rake for result in fact.results) != fact.rake:
        yield Kind.CHIPS, f"hand {fact.hand}: rake by seat is not {fact.rake}"
    for result in fact.results:
        yield from _result(chips, fact.hand, result)
    chips.hand = None
    chips.hands_ended += 1


def _result(chips: Chips, hand: int, result: p.SeatResult) -> Iterator[Complaint]:
    # Whoever has left the table has nothing there.
    found = (chips.staked.get(result.seat), chips.won.get(result.seat), chips.stacks.get(result.reservation, 0))
    told = (result.staked, result.won, result.stack)
    if found != told:
        yield Kind.CHIPS, f"hand {hand} seat {result.seat}: staked, won, stack told {told}, folded {found}"


def _voided(chips: Chips, fact: p.HandVoided) -> Iterator[Complaint]:
    yield from _running(chips, fact.hand)
    for refund in fact.refunds:
        if refund.amount != chips.staked.get(refund.seat, 0):  # pt-811-2015 72
            yield (
                Kind.CHIPS,
                f"seat {refund.seat} gets {refund.amount} back, it had put in {chips.staked.get(refund.seat)}",
            )
        chips.stacks[_who(chips, refund.seat)] = refund.stack
        chips.pot -= refund.amount
    if chips.pot != 0:
        yield Kind.CHIPS, f"void hand {fact.hand} kept {chips.pot}"
    chips.hand = None
    chips.hands_voided += 1


def _who(chips: Chips, seat: int) -> str:
    """The sitting that plays the hand at this seat."""
    return chips.in_hand.get(seat, f"seat {seat}")


def _running(chips: Chips, hand: int) -> Iterator[Complaint]:
    if chips.hand != hand:
        yield Kind.HAND_ORDER, f"an event of hand {hand} while hand {chips.hand} runs"


HAND_STEPS: dict[type[Fact], Step] = {
    p.HandStarted: _started,
    p.BlindPosted: _put_in,
    p.BetPlaced: _put_in,
    p.UncalledBetReturned: _returned,
    p.PotAwarded: _awarded,
    p.HandEnded: _ended,
    p.HandVoided: _voided,
}
