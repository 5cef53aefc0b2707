"""From each money event of tables, tournaments and wallet to double-entry transfers. Pure: all our bookkeeping is here.

A transfer moves `amount` from `debit` to `credit`, so it balances by construction. Line numbers count within the event.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import msgspec

from libs.contracts import bank_events as banks
from libs.contracts import banked_rounds as house
from libs.contracts import conduct_events as conduct
from libs.contracts import live_events as live
from libs.contracts import poker_events as poker
from libs.contracts import table_events as table
from libs.contracts import tournament_ticket_events as tickets
from libs.contracts import tournaments_events as tournaments
from libs.contracts import wallet_events as wallet
from libs.contracts.facts import Fact
from libs.contracts.tournament_play_events import GuaranteeReturned, PrizesFixed
from libs.money.chips import are_chips
from services.wallet.projections import chart
from services.wallet.projections.chart import Book


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


Line = tuple[str, str, int, str, str]
"""Debit, credit, amount, kind and reference; the currency is the event's."""
Rule = Callable[[Any, Book], Iterable[Line]]
States = Callable[[Any], list[tuple[str, int]]]


def transfers_of(event: Fact, book: Book) -> list[Transfer]:
    """What the event moves; empty for one that moves no money: chips are none. `book` says whether it is play money."""
    rule = _rule_of(type(event))
    if rule is None or are_chips(event):
        return []
    currency = currency_of(event)
    lines = rule(event, book)
    return [Transfer(debit, credit, amount, currency, *rest) for debit, credit, amount, *rest in lines if amount > 0]


def stated_balances(event: Fact) -> list[tuple[str, int]]:
    """Figures that the event itself gives for accounts after it, to be held against the books."""
    states = _states_of(type(event))
    return states(event) if states else []


def currency_of(event: Fact) -> str:
    """Currency of an event that moves money or states balances."""
    currency: str = event.currency  # type: ignore[attr-defined]
    return currency


@cache
def _rule_of(event: type[Fact]) -> Rule | None:
    """The event's own rule, or that of what it derives from: games against the house share theirs."""
    return next((_RULES[each] for each in event.__mro__ if each in _RULES), None)


@cache
def _states_of(event: type[Fact]) -> States | None:
    return next((_STATES[each] for each in event.__mro__ if each in _STATES), None)


# Accounts of an event


def _player(e: Any) -> str:
    return chart.player(e.player, e.currency)


def _stack(e: Any) -> str:
    return chart.stack(e.table, e.player)


def _pot(e: Any) -> str:
    return chart.pot(e.table, e.hand)


def _round(e: Any) -> str:
    return chart.house_round(e.table, e.round)


def _bank(e: Any) -> str:
    return chart.bank(e.table)


def _hand(e: Any) -> str:
    return f"{e.table}/{e.hand}"


def _between(e: Any, paid: str) -> str:
    """Of one payment or credit, between the player's account and the tournament's."""
    return chart.in_transit(f"{e.tournament}/{paid}")


# Rules that are more than one line


def _deposited(e: wallet.FundsDeposited, book: Book) -> Iterable[Line]:
    if book == "demo":
        yield chart.play_credit(e.currency), _player(e), e.amount, "play_credit", e.reference
    else:
        yield chart.operator_cash(e.currency), _player(e), e.amount, "deposit", e.reference


def _bought_in(e: table.PlayerSeated | table.TopUpAdded, book: Book) -> Iterable[Line]:
    kind, reference = ("top_up", e.top_up) if isinstance(e, table.TopUpAdded) else ("buy_in", e.reservation)
    transit = chart.in_transit(e.reservation)
    yield transit, _stack(e), e.amount - e.commission, kind, reference
    # pt-811-2015 17.b: off the buy-in and off each top-up
    yield transit, chart.commission(e.table, e.rulebook), e.commission, "commission", reference


def _awarded(e: poker.PotAwarded, book: Book) -> Iterable[Line]:
    reference = f"{_hand(e)}/{e.pot}"
    for payment in e.payments:
        yield _pot(e), chart.stack(e.table, payment.player), payment.net, "payment", reference
        yield _pot(e), chart.rake(e.table, e.rulebook), payment.rake, "rake", reference


def _round_settled(e: house.BankedRoundSettled, book: Book) -> Iterable[Line]:
    """All stakes first, then the payouts: the bank is never below zero in between."""
    reference = f"{e.table}/{e.round}"
    yield _round(e), _bank(e), sum(result.staked for result in e.results), "stakes", reference
    for result in e.results:
        yield _bank(e), chart.stack(e.table, result.player), result.credited, "payout", reference


_PARTS = ("prize", "fee", "bounty")
_HELD = (*_PARTS, "ticket")


def _paid_in(e: tournaments.PaymentTaken, book: Book) -> Iterable[Line]:
    ticket = isinstance(e, tournaments.EntryPaid) and e.with_ticket
    source = chart.tournament(e.tournament, "ticket") if ticket else _between(e, e.payment)
    for part in _PARTS:
        yield source, chart.tournament(e.tournament, part), getattr(e, part), e.bought, e.payment


def _given_back(e: tournaments.CreditsDue, book: Book) -> Iterable[Line]:
    for each in e.credits:
        for part in _HELD:
            account = chart.tournament(e.tournament, part)
            yield account, _between(e, each.credit), getattr(each, part), e.why, each.credit


def _restored(e: tickets.TicketRestored, book: Book) -> Iterable[Line]:
    for part in _PARTS:
        account = chart.tournament(e.tournament, part)
        yield account, chart.tournament(e.tournament, "ticket"), getattr(e, part), "ticket", e.ticket


def _lapsed(e: tickets.TicketLapsed, book: Book) -> Iterable[Line]:
    prize = chart.tournament(e.tournament, "prize")
    to = prize if e.to == "prize" else chart.bank_source(book, e.currency)
    yield chart.tournament(e.tournament, "ticket"), to, e.amount, "ticket", e.ticket


def _refunded(source: Callable[[Any], str], number: str) -> Rule:
    """All bets are returned (pt-811-2015 72, pt-803-2015-no-draw 33, pt-812-2015-baccarat 29)."""

    def rule(e: Any, book: Book) -> Iterable[Line]:
        reference = f"{e.table}/{getattr(e, number)}"
        for refund in e.refunds:
            yield source(e), chart.stack(e.table, refund.player), refund.amount, "void", reference

    return rule


def _to_the_bank(kind: str) -> Rule:
    return lambda e, book: [(chart.bank_source(book, e.currency), _bank(e), e.amount, kind, e.table)]


def _from_the_bank(kind: str) -> Rule:
    return lambda e, book: [(_bank(e), chart.bank_source(book, e.currency), e.amount, kind, e.table)]


_RULES: Mapping[type[Fact], Rule] = {
    wallet.FundsDeposited: _deposited,
    wallet.FundsWithdrawn: lambda e, _: [
        (_player(e), chart.operator_cash(e.currency), e.amount, "withdrawal", e.reference)
    ],
    wallet.FundsReserved: lambda e, _: [(_player(e), chart.in_transit(e.sitting), e.amount, "reserve", e.reserve)],
    wallet.FundsReleased: lambda e, _: [(chart.in_transit(e.sitting), _player(e), e.amount, "release", e.reserve)],
    wallet.SittingSettled: lambda e, _: [
        (chart.in_transit(e.sitting), _player(e), e.returned, "settlement", e.sitting)
    ],
    # pt-217-2007 7.b: out of the wallet and not the stack
    wallet.FeeCharged: lambda e, _: [(_player(e), chart.commission(e.table, e.rulebook), e.amount, "fee", e.fee)],
    wallet.TournamentPaid: lambda e, _: [(_player(e), _between(e, e.payment), e.amount, "tournament", e.payment)],
    wallet.TournamentCredited: lambda e, _: [(_between(e, e.credit), _player(e), e.amount, e.why, e.credit)],
    tournaments.PaymentTaken: _paid_in,
    tournaments.CreditsDue: _given_back,
    # pt-810-2015 FP-18: up to the guarantee
    PrizesFixed: lambda e, book: [
        (chart.bank_source(book, e.currency), chart.tournament(e.tournament, "prize"), e.amount, "guarantee",
         e.tournament)
    ],
    GuaranteeReturned: lambda e, book: [
        (chart.tournament(e.tournament, "prize"), chart.bank_source(book, e.currency), e.amount, "guarantee",
         e.tournament)
    ],
    # pt-810-2015 FP-17: an account of their own
    tickets.TicketsAwarded: lambda e, _: [
        (chart.tournament(e.tournament, "prize"), chart.in_transit(f"{e.target}/ticket/{won.ticket}"), e.value,
         "ticket", won.ticket)
        for won in e.tickets
    ],
    tickets.TicketIssued: lambda e, _: [
        (_between(e, f"ticket/{e.ticket}"), chart.tournament(e.tournament, "ticket"), e.amount, "ticket", e.ticket)
    ],
    tickets.TicketRestored: _restored,
    tickets.TicketLapsed: _lapsed,
    # pt-810-2015 22: not before the end
    tournaments.FeesEarned: lambda e, _: [
        (chart.tournament(e.tournament, "fee"), chart.commission(e.tournament, e.rulebook), e.amount, "fee",
         e.tournament)
    ],
    # pt-217-2007 9.d: never part of a pot or of the rake
    conduct.DealerTipped: lambda e, _: [(_stack(e), chart.tips(e.table), e.amount, "tip", e.reservation)],
    # pt-217-2007 70.a: chips that were pushed to the wrong seat
    live.PotReversed: lambda e, _: [
        (chart.stack(e.table, e.from_player), chart.stack(e.table, e.to_player), e.amount, "reversal",
         f"{_hand(e)}/{e.incident}")
    ],
    table.PlayerSeated: _bought_in,
    table.TopUpAdded: _bought_in,
    # pt-811-2015 10: the whole stack
    table.PlayerLeft: lambda e, _: [(_stack(e), chart.in_transit(e.reservation), e.stack, "cash_out", e.reservation)],
    table.RefundSent: lambda e, _: [(_stack(e), chart.in_transit(e.reservation), e.amount, "cash_out", e.reservation)],
    poker.BlindPosted: lambda e, _: [(_stack(e), _pot(e), e.amount, "blind", _hand(e))],
    poker.BetPlaced: lambda e, _: [(_stack(e), _pot(e), e.amount, "bet", _hand(e))],
    poker.UncalledBetReturned: lambda e, _: [(_pot(e), _stack(e), e.amount, "uncalled", _hand(e))],
    poker.PotAwarded: _awarded,
    poker.HandVoided: _refunded(_pot, "hand"),
    house.BankedStakePlaced: lambda e, _: [(_stack(e), _round(e), e.amount, e.area, f"{e.table}/{e.round}")],
    house.BankedStakeWithdrawn: lambda e, _: [(_round(e), _stack(e), e.amount, "withdrawn", f"{e.table}/{e.round}")],
    house.BankedRoundSettled: _round_settled,
    house.BankedRoundVoided: _refunded(_round, "round"),
    banks.BankOpened: _to_the_bank("bank_opening"),
    banks.BankToppedUp: _to_the_bank("bank_top_up"),
    banks.BankCovered: _to_the_bank("bank_cover"),
    banks.BankDropped: _from_the_bank("bank_drop"),
    banks.BankClosed: _from_the_bank("bank_closing"),
}  # fmt: skip
"""By type, or by that from which it derives; asking each event for twenty types takes longer than booking it."""


def _figure(account: Callable[[Any], str], field: str = "") -> States:
    """Of one account, by the field that states it; without one it has to be empty."""
    return lambda e: [(account(e), getattr(e, field) if field else 0)]


def _held(e: tournaments.TournamentMoney) -> list[tuple[str, int]]:
    return [(chart.tournament(e.tournament, part), getattr(e.held, part)) for part in _HELD]


_AVAILABLE, _STACKS, _BANKED = _figure(_player, "available"), _figure(_stack, "stack"), _figure(_bank, "bank")
_STATES: Mapping[type[Fact], States] = {
    wallet.FundsDeposited: _AVAILABLE,
    wallet.FundsWithdrawn: _AVAILABLE,
    wallet.FundsReserved: _AVAILABLE,
    wallet.FundsReleased: _AVAILABLE,
    wallet.SittingSettled: _AVAILABLE,
    wallet.FeeCharged: _AVAILABLE,
    wallet.TournamentPaid: _AVAILABLE,
    wallet.TournamentCredited: _AVAILABLE,
    tournaments.TournamentMoney: _held,
    conduct.DealerTipped: _STACKS,
    table.PlayerSeated: _STACKS,
    table.TopUpAdded: _STACKS,
    table.PlayerLeft: _figure(_stack),
    poker.BlindPosted: _STACKS,
    poker.BetPlaced: _STACKS,
    poker.UncalledBetReturned: _STACKS,
    # Not the stacks: whoever left in the hand may sit there again with another one.
    poker.HandEnded: _figure(_pot),
    poker.HandVoided: _figure(_pot),
    house.BankedStakeMoved: _STACKS,
    house.BankedRoundSettled: lambda e: [(_round(e), 0), (_bank(e), e.bank)],
    house.BankedRoundVoided: _figure(_round),
    banks.BankOpened: _BANKED,
    banks.BankToppedUp: _BANKED,
    banks.BankCovered: _BANKED,
    banks.BankDropped: _BANKED,
    banks.BankClosed: _figure(_bank),
}
