"""Chips in a round against the house: stakes in are credits and the house's result, seat by seat and in all."""

from collections.abc import Iterator

from libs.contracts import bank_events as b
from libs.contracts import banked_rounds as h
from libs.contracts.baccarat_events import BettingClosed, CoupDealt
from libs.contracts.facts import Fact
from libs.contracts.no_draw_poker_events import AntesClosed, SecondBetPlaced
from services.audit.verifying.findings import Kind
from services.audit.verifying.hand_chips import Chips, Complaint, Step


def _opened(chips: Chips, fact: h.BankedRoundOpened) -> Iterator[Complaint]:
    if any(chips.lying.values()):
        yield Kind.HAND_ORDER, f"round {fact.round} opens while stakes of round {chips.round} lie"
    if fact.round != chips.last_round + 1:
        yield Kind.HAND_ORDER, f"round {fact.round} follows round {chips.last_round}"
    for seat in fact.seats:
        stack = chips.stacks.get(seat.reservation)
        if stack != seat.stack:
            yield Kind.CHIPS, f"seat {seat.seat} begins with {seat.stack}, its stack was {stack}"
    chips.round = chips.last_round = fact.round
    chips.lying, chips.closed = {}, False


def _closed(chips: Chips, fact: h.BankedRoundEvent) -> Iterator[Complaint]:
    yield from _running(chips, fact.round)
    chips.closed = True


def _placed(chips: Chips, fact: h.BankedStakePlaced) -> Iterator[Complaint]:
    yield from _running(chips, fact.round)
    if chips.closed and not isinstance(fact, SecondBetPlaced):  # that one follows the cards (pt-803-2015 23)
        yield Kind.HAND_ORDER, f"seat {fact.seat} stakes {fact.amount} after the close"
    chips.stacks[fact.reservation] = fact.stack
    chips.lying[fact.seat] = chips.lying.get(fact.seat, 0) + fact.amount


def _withdrawn(chips: Chips, fact: h.BankedStakeWithdrawn) -> Iterator[Complaint]:
    yield from _running(chips, fact.round)
    if chips.closed:
        yield Kind.HAND_ORDER, f"seat {fact.seat} takes {fact.amount} back after the close"
    if fact.amount > chips.lying.get(fact.seat, 0):
        yield Kind.CHIPS, f"seat {fact.seat} takes {fact.amount} back, {chips.lying.get(fact.seat, 0)} lay there"
    chips.stacks[fact.reservation] = fact.stack
    chips.lying[fact.seat] = chips.lying.get(fact.seat, 0) - fact.amount


def _settled(chips: Chips, fact: h.BankedRoundSettled) -> Iterator[Complaint]:
    yield from _running(chips, fact.round)
    for result in fact.results:
        yield from _result(chips, fact.round, result)
    if left := sum(chips.lying.values()):
        yield Kind.CHIPS, f"round {fact.round} was settled with {left} of stakes unaccounted for"
    house = sum(result.staked - result.credited for result in fact.results)
    if fact.house != house:
        yield Kind.CHIPS, f"round {fact.round}: the house tells {fact.house}, stakes less credits are {house}"
    if fact.bank != chips.bank + house:
        yield Kind.CHIPS, f"round {fact.round}: the bank tells {fact.bank}, it had {chips.bank} and won {house}"
    chips.bank = fact.bank
    chips.round, chips.lying = None, {}
    chips.rounds_settled += 1


def _result(chips: Chips, number: int, result: h.SeatSettled) -> Iterator[Complaint]:
    where = f"round {number} seat {result.seat}"
    staked = chips.lying.pop(result.seat, 0)
    if result.staked != staked:
        yield Kind.CHIPS, f"{where}: settled for {result.staked}, {staked} lay there"
    if result.net != result.credited - result.staked:
        yield Kind.CHIPS, f"{where}: {result.credited} - {result.staked} is not {result.net}"
    for name in ("staked", "credited", "commission"):
        if sum(getattr(bet, name) for bet in result.bets) != getattr(result, name):
            yield Kind.CHIPS, f"{where}: {name} by area is not {getattr(result, name)}"
    before = chips.stacks.get(result.reservation)
    if before is not None and before + result.credited != result.stack:
        yield Kind.CHIPS, f"{where}: {before} and {result.credited} are not {result.stack}"
    chips.stacks[result.reservation] = result.stack


def _voided(chips: Chips, fact: h.BankedRoundVoided) -> Iterator[Complaint]:
    yield from _running(chips, fact.round)
    for refund in fact.refunds:
        staked = chips.lying.pop(refund.seat, 0)
        if refund.amount != staked:  # pt-803-2015-no-draw 33, pt-812-2015-baccarat 29
            yield Kind.CHIPS, f"seat {refund.seat} gets {refund.amount} back, it had staked {staked}"
        chips.stacks[refund.reservation] = refund.stack
    if left := sum(chips.lying.values()):
        yield Kind.CHIPS, f"void round {fact.round} kept {left}"
    chips.round, chips.lying = None, {}
    chips.rounds_voided += 1


def _lapsed(chips: Chips, fact: h.BankedRoundLapsed) -> Iterator[Complaint]:
    yield from _running(chips, fact.round)
    if left := sum(chips.lying.values()):
        yield Kind.CHIPS, f"round {fact.round} lapsed with {left} staked"
    chips.round = None


def _to_bank(chips: Chips, fact: b.BankOpened | b.BankToppedUp | b.BankCovered) -> Iterator[Complaint]:
    chips.treasury += fact.amount
    yield from _banked(chips, chips.bank + fact.amount, fact.bank)


def _from_bank(chips: Chips, fact: b.BankDropped) -> Iterator[Complaint]:
    chips.treasury -= fact.amount
    yield from _banked(chips, chips.bank - fact.amount, fact.bank)


def _bank_closed(chips: Chips, fact: b.BankClosed) -> Iterator[Complaint]:
    chips.treasury -= fact.amount
    yield from _banked(chips, chips.bank - fact.amount, 0)


def _banked(chips: Chips, due: int, told: int) -> Iterator[Complaint]:
    if due != told:
        yield Kind.CHIPS, f"the bank tells {told}, folded {due}"
    chips.bank = told


def _running(chips: Chips, number: int) -> Iterator[Complaint]:
    if chips.round != number:
        yield Kind.HAND_ORDER, f"an event of round {number} while round {chips.round} runs"


BANKED_STEPS: dict[type[Fact], Step] = {
    h.BankedRoundOpened: _opened,
    h.BankedStakePlaced: _placed,
    **dict.fromkeys((AntesClosed, BettingClosed, CoupDealt, h.BankedDeckDealt, h.BankedCardsShown), _closed),
    h.BankedStakeWithdrawn: _withdrawn,
    h.BankedRoundSettled: _settled,
    h.BankedRoundVoided: _voided,
    h.BankedRoundLapsed: _lapsed,
    b.BankOpened: _to_bank,
    b.BankToppedUp: _to_bank,
    b.BankCovered: _to_bank,
    b.BankDropped: _from_bank,
    b.BankClosed: _bank_closed,
}
"""By base: every game's own events derive from these."""
