"""From each money event of table and wallet to double-entry transfers. Pure: the whole of our bookkeeping is here.

A transfer moves `amount` from `debit` to `credit`, so it balances by construction. Line numbers count within the event.
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, TypeVar

import msgspec

from libs.contracts import bank_events as banks
from libs.contracts import banked_rounds as house
from libs.contracts import conduct_events as conduct
from libs.contracts import live_events as live
from libs.contracts import poker_events as poker
from libs.contracts import table_events as table
from libs.contracts import wallet_events as wallet
from libs.contracts.facts import Fact
from libs.money.chips import are_chips
from services.wallet.projections.chart import (
    Book,
    bank,
    bank_source,
    commission,
    house_round,
    in_transit,
    operator_cash,
    play_credit,
    player,
    pot,
    rake,
    stack,
    tips,
)

EventT = TypeVar("EventT", bound=Fact)


class Transfer(msgspec.Struct, frozen=True):
    debit: str
    """Account that gives."""
    credit: str
    """Account that receives."""
    amount: int
    """Minor units, above zero."""
    currency: str
    kind: str
    reference: str


Rule = Callable[[Any, Book], Iterable[Transfer]]
_RULES: dict[type[Fact], Rule] = {}


def transfers_of(event: Fact, book: Book) -> list[Transfer]:
    """What the event moves; empty for one that moves no money: chips are none. `book` says whether it is play money."""
    rule = _rule_of(type(event))
    if rule is None or are_chips(event):
        return []
    return [transfer for transfer in rule(event, book) if transfer.amount > 0]


@cache
def _rule_of(event: type[Fact]) -> Rule | None:
    """The event's own rule, or that of what it derives from: games against the house share theirs."""
    return next((_RULES[each] for each in event.__mro__ if each in _RULES), None)


def _books(event: type[EventT]) -> Callable[[Callable[[EventT, Book], Iterable[Transfer]]], Rule]:
    def keep(rule: Callable[[EventT, Book], Iterable[Transfer]]) -> Rule:
        _RULES[event] = rule
        return rule

    return keep


# The wallet


@_books(wallet.FundsDeposited)
def _deposited(e: wallet.FundsDeposited, book: Book) -> Iterable[Transfer]:
    if book == "demo":
        yield Transfer(
            play_credit(e.currency), player(e.player, e.currency), e.amount, e.currency, "play_credit", e.reference
        )
    else:
        yield Transfer(
            operator_cash(e.currency), player(e.player, e.currency), e.amount, e.currency, "deposit", e.reference
        )


@_books(wallet.FundsWithdrawn)
def _withdrawn(e: wallet.FundsWithdrawn, book: Book) -> Iterable[Transfer]:
    yield Transfer(
        player(e.player, e.currency), operator_cash(e.currency), e.amount, e.currency, "withdrawal", e.reference
    )


@_books(wallet.FundsReserved)
def _reserved(e: wallet.FundsReserved, book: Book) -> Iterable[Transfer]:
    yield Transfer(player(e.player, e.currency), in_transit(e.sitting), e.amount, e.currency, "reserve", e.reserve)


@_books(wallet.FundsReleased)
def _released(e: wallet.FundsReleased, book: Book) -> Iterable[Transfer]:
    yield Transfer(in_transit(e.sitting), player(e.player, e.currency), e.amount, e.currency, "release", e.reserve)


@_books(wallet.SittingSettled)
def _settled(e: wallet.SittingSettled, book: Book) -> Iterable[Transfer]:
    yield Transfer(in_transit(e.sitting), player(e.player, e.currency), e.returned, e.currency, "settlement", e.sitting)


@_books(wallet.FeeCharged)
def _fee(e: wallet.FeeCharged, book: Book) -> Iterable[Transfer]:
    # pt-217-2007 7.b: out of the wallet and not the stack
    yield Transfer(player(e.player, e.currency), commission(e.table, e.rulebook), e.amount, e.currency, "fee", e.fee)


# The table, between hands


@_books(conduct.DealerTipped)
def _tipped(e: conduct.DealerTipped, book: Book) -> Iterable[Transfer]:
    # pt-217-2007 9.d: never part of a pot or of the rake
    yield Transfer(stack(e.table, e.player), tips(e.table), e.amount, e.currency, "tip", e.reservation)


@_books(live.PotReversed)
def _reversed(e: live.PotReversed, book: Book) -> Iterable[Transfer]:
    # pt-217-2007 70.a: chips that were pushed to the wrong seat
    source, target = stack(e.table, e.from_player), stack(e.table, e.to_player)
    yield Transfer(source, target, e.amount, e.currency, "reversal", f"{e.table}/{e.hand}/{e.incident}")


@_books(table.PlayerSeated)
def _seated(e: table.PlayerSeated, book: Book) -> Iterable[Transfer]:
    yield from _bought_in(e, "buy_in", e.reservation)


@_books(table.TopUpAdded)
def _topped_up(e: table.TopUpAdded, book: Book) -> Iterable[Transfer]:
    yield from _bought_in(e, "top_up", e.top_up)


def _bought_in(e: table.PlayerSeated | table.TopUpAdded, kind: str, reference: str) -> Iterable[Transfer]:
    transit = in_transit(e.reservation)
    yield Transfer(transit, stack(e.table, e.player), e.amount - e.commission, e.currency, kind, reference)
    # pt-811-2015 17.b: off the buy-in and off each top-up
    yield Transfer(transit, commission(e.table, e.rulebook), e.commission, e.currency, "commission", reference)


@_books(table.PlayerLeft)
def _left(e: table.PlayerLeft, book: Book) -> Iterable[Transfer]:
    # pt-811-2015 10: the whole stack
    yield Transfer(stack(e.table, e.player), in_transit(e.reservation), e.stack, e.currency, "cash_out", e.reservation)


# The table, in a hand


@_books(poker.BlindPosted)
def _blind(e: poker.BlindPosted, book: Book) -> Iterable[Transfer]:
    yield Transfer(stack(e.table, e.player), pot(e.table, e.hand), e.amount, e.currency, "blind", _hand(e))


@_books(poker.BetPlaced)
def _bet(e: poker.BetPlaced, book: Book) -> Iterable[Transfer]:
    yield Transfer(stack(e.table, e.player), pot(e.table, e.hand), e.amount, e.currency, "bet", _hand(e))


@_books(poker.UncalledBetReturned)
def _uncalled(e: poker.UncalledBetReturned, book: Book) -> Iterable[Transfer]:
    yield Transfer(pot(e.table, e.hand), stack(e.table, e.player), e.amount, e.currency, "uncalled", _hand(e))


@_books(poker.PotAwarded)
def _awarded(e: poker.PotAwarded, book: Book) -> Iterable[Transfer]:
    source, reference = pot(e.table, e.hand), f"{_hand(e)}/{e.pot}"
    for payment in e.payments:
        yield Transfer(source, stack(e.table, payment.player), payment.net, e.currency, "payment", reference)
        yield Transfer(source, rake(e.table, e.rulebook), payment.rake, e.currency, "rake", reference)


@_books(poker.HandVoided)
def _voided(e: poker.HandVoided, book: Book) -> Iterable[Transfer]:
    # pt-811-2015 72: all bets are returned
    for refund in e.refunds:
        yield Transfer(pot(e.table, e.hand), stack(e.table, refund.player), refund.amount, e.currency, "void", _hand(e))


def _hand(
    e: poker.BlindPosted | poker.BetPlaced | poker.UncalledBetReturned | poker.PotAwarded | poker.HandVoided,
) -> str:
    return f"{e.table}/{e.hand}"


# The table, in a round against the house


@_books(house.BankedStakePlaced)
def _staked(e: house.BankedStakePlaced, book: Book) -> Iterable[Transfer]:
    yield Transfer(stack(e.table, e.player), house_round(e.table, e.round), e.amount, e.currency, e.area, _round(e))


@_books(house.BankedStakeWithdrawn)
def _unstaked(e: house.BankedStakeWithdrawn, book: Book) -> Iterable[Transfer]:
    source = house_round(e.table, e.round)
    yield Transfer(source, stack(e.table, e.player), e.amount, e.currency, "withdrawn", _round(e))


@_books(house.BankedRoundSettled)
def _round_settled(e: house.BankedRoundSettled, book: Book) -> Iterable[Transfer]:
    """All stakes first, then the payouts: the bank is never below zero in between."""
    lying, banked, reference = house_round(e.table, e.round), bank(e.table), _round(e)
    yield Transfer(lying, banked, sum(result.staked for result in e.results), e.currency, "stakes", reference)
    for result in e.results:
        yield Transfer(banked, stack(e.table, result.player), result.credited, e.currency, "payout", reference)


@_books(house.BankedRoundVoided)
def _round_voided(e: house.BankedRoundVoided, book: Book) -> Iterable[Transfer]:
    # pt-803-2015-no-draw 33, pt-812-2015-baccarat 29: all stakes are returned
    source = house_round(e.table, e.round)
    for refund in e.refunds:
        yield Transfer(source, stack(e.table, refund.player), refund.amount, e.currency, "void", _round(e))


def _round(e: house.BankedRoundEvent) -> str:
    return f"{e.table}/{e.round}"


# A table's bank


@_books(banks.BankOpened)
@_books(banks.BankToppedUp)
@_books(banks.BankCovered)
def _to_the_bank(e: banks.BankOpened | banks.BankToppedUp | banks.BankCovered, book: Book) -> Iterable[Transfer]:
    yield Transfer(bank_source(book, e.currency), bank(e.table), e.amount, e.currency, _bank_kind(e), e.table)


@_books(banks.BankDropped)
@_books(banks.BankClosed)
def _from_the_bank(e: banks.BankDropped | banks.BankClosed, book: Book) -> Iterable[Transfer]:
    yield Transfer(bank(e.table), bank_source(book, e.currency), e.amount, e.currency, _bank_kind(e), e.table)


def _bank_kind(e: Fact) -> str:
    return _BANK_KINDS[type(e)]


_BANK_KINDS: dict[type[Fact], str] = {
    banks.BankOpened: "bank_opening",
    banks.BankToppedUp: "bank_top_up",
    banks.BankCovered: "bank_cover",
    banks.BankDropped: "bank_drop",
    banks.BankClosed: "bank_closing",
}


# What events say of balances


def stated_balances(event: Fact) -> list[tuple[str, int]]:
    """Figures that the event itself gives for accounts after it, to be held against the books."""
    states = _states_of(type(event))
    return states(event) if states else []


@cache
def _states_of(event: type[Fact]) -> "States | None":
    return next((_STATES[each] for each in event.__mro__ if each in _STATES), None)


def _available(e: Any) -> list[tuple[str, int]]:
    return [(player(e.player, e.currency), e.available)]


def _stack(e: Any) -> list[tuple[str, int]]:
    return [(stack(e.table, e.player), e.stack)]


def _gone(e: Any) -> list[tuple[str, int]]:
    return [(stack(e.table, e.player), 0)]


def _pot_paid_out(e: Any) -> list[tuple[str, int]]:
    """Not the stacks: whoever left in the hand may sit there again with another one."""
    return [(pot(e.table, e.hand), 0)]


def _bank(e: Any) -> list[tuple[str, int]]:
    return [(bank(e.table), e.bank)]


States = Callable[[Any], list[tuple[str, int]]]
_STATES: dict[type[Fact], States] = {
    wallet.FundsDeposited: _available,
    wallet.FundsWithdrawn: _available,
    wallet.FundsReserved: _available,
    wallet.FundsReleased: _available,
    wallet.SittingSettled: _available,
    wallet.FeeCharged: _available,
    conduct.DealerTipped: _stack,
    table.PlayerSeated: _stack,
    table.TopUpAdded: _stack,
    table.PlayerLeft: _gone,
    poker.BlindPosted: _stack,
    poker.BetPlaced: _stack,
    poker.UncalledBetReturned: _stack,
    poker.HandEnded: _pot_paid_out,
    poker.HandVoided: _pot_paid_out,
    house.BankedStakeMoved: _stack,
    house.BankedRoundSettled: lambda e: [(house_round(e.table, e.round), 0), *_bank(e)],
    house.BankedRoundVoided: lambda e: [(house_round(e.table, e.round), 0)],
    banks.BankOpened: _bank,
    banks.BankToppedUp: _bank,
    banks.BankCovered: _bank,
    banks.BankDropped: _bank,
    banks.BankClosed: lambda e: [(bank(e.table), 0)],
}
"""By type, or by that from which it derives; asking each event for twenty types takes longer than booking it."""


def currency_of(event: Fact) -> str:
    """Currency of an event that moves money or states balances."""
    currency: str = event.currency  # type: ignore[attr-defined]
    return currency
