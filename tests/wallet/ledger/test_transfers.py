"""Every event type to its transfers: which move money, from where to where, and that the rest move none."""

from typing import Any

import pytest

from libs.contracts import bank_events as banks
from libs.contracts import banked_rounds as house
from libs.contracts import escrow_events as escrow
from libs.contracts import live_events as live
from libs.contracts import poker_events as poker
from libs.contracts import pool_events as pool
from libs.contracts import table_events as table
from libs.contracts import tournaments_events as tournaments
from libs.contracts import wallet_events as wallet
from libs.contracts.registry import EVENT_TYPES
from libs.contracts.tournament_ticket_events import TicketsAwarded
from services.wallet.projections.transfers import _RULES, Transfer, _rule_of, transfers_of

TABLE: dict[str, Any] = {"table": "table-7"}
ANN: dict[str, Any] = {**TABLE, "player": "ann", "seat": 1, "currency": "EUR"}
IN_HAND: dict[str, Any] = {**ANN, "hand": 3}
BY = "operator:acme"
WALLET: dict[str, Any] = {
    "account": "account-ann-EUR",
    "player": "ann",
    "currency": "EUR",
    "available": 0,
    "reserved": 0,
}
PLAYER, TRANSIT, STACK, POT = "player/ann/EUR", "in-transit/s1", "stack/table-7/ann", "pot/table-7/3"
RAKE, COMMISSION = "rake/table-7/pt-811-2015-omaha", "commission/table-7/pt-811-2015-omaha"
RULES: dict[str, Any] = {"rulebook": "pt-811-2015-omaha"}
BUY_IN: dict[str, Any] = {**ANN, **RULES, "reservation": "s1", "amount": 10_000, "commission": 1_000, "stack": 9_000}
SITTING: dict[str, Any] = {**WALLET, "sitting": "s1", "table": "table-7"}

PAYMENTS = [
    poker.Payment(seat=1, player="ann", gross=1_065, rake=53, net=1_012),
    poker.Payment(seat=2, player="bob", gross=1_065, rake=53, net=1_012),
]
AWARD: dict[str, Any] = {
    **TABLE, **RULES, "hand": 3, "currency": "EUR", "pot": "main", "eligible": [1, 2], "winners": [1, 2],
    "rake": 106, "basis": "pot", "amount": 2_130,
}  # fmt: skip
ROUND, BANK, TREASURY = "round/table-7/9", "bank/table-7", "treasury/EUR"
IN_ROUND: dict[str, Any] = {**TABLE, "round": 9, "currency": "EUR"}
STAKE: dict[str, Any] = {**IN_ROUND, "seat": 1, "player": "ann", "reservation": "s1", "stack": 1, "total": 500}
BANKED: dict[str, Any] = {**TABLE, "currency": "EUR", "kind": "real", "amount": 700}
CHANGED: dict[str, Any] = {**BANKED, "change": "c1", "bank": 9_000, "requested_by": "staff:a", "by": "staff:b"}
SETTLED = [
    house.SeatSettled(
        seat=1, player="ann", reservation="s1", staked=2_000, credited=3_900, commission=100, net=1_900, stack=1,
        bets=[house.BetSettled(area="banca", staked=2_000, credited=3_900, commission=100)],
    ),
    house.SeatSettled(
        seat=2, player="bob", reservation="s2", staked=700, credited=0, net=-700, stack=1,
        bets=[house.BetSettled(area="ponto", staked=700, credited=0)],
    ),
]  # fmt: skip
ROUND_REFUNDS = [table.Refund(seat=1, player="ann", reservation="s1", amount=300, stack=1)]
REFUNDS = [table.Refund(seat=1, player="ann", reservation="s1", amount=300, stack=10_000)]


def moves(*lines: tuple[str, str, int, str]) -> list[tuple[str, str, int, str]]:
    return list(lines)


CASES = [
    (wallet.FundsDeposited(**WALLET, by=BY, reference="r", amount=7),
     moves(("operator-cash/EUR", PLAYER, 7, "deposit"))),
    (wallet.FundsWithdrawn(**WALLET, by=BY, reference="r", amount=7),
     moves((PLAYER, "operator-cash/EUR", 7, "withdrawal"))),
    (wallet.FundsReserved(**SITTING, reserve="s1", amount=7), moves((PLAYER, TRANSIT, 7, "reserve"))),
    (wallet.FundsReleased(**SITTING, reserve="t1", amount=7, reason="x"), moves((TRANSIT, PLAYER, 7, "release"))),
    (wallet.SittingSettled(**SITTING, brought=9, returned=7), moves((TRANSIT, PLAYER, 7, "settlement"))),
    (wallet.SittingSettled(**SITTING, brought=9, returned=0), []),
    (
        table.PlayerSeated(**BUY_IN, kind="real"),
        moves((TRANSIT, STACK, 9_000, "buy_in"), (TRANSIT, COMMISSION, 1_000, "commission")),
    ),
    (
        table.TopUpAdded(**BUY_IN, top_up="t1"),
        moves((TRANSIT, STACK, 9_000, "top_up"), (TRANSIT, COMMISSION, 1_000, "commission")),
    ),
    (
        table.PlayerLeft(**ANN, reservation="s1", stack=13_250, reason="player"),
        moves((STACK, TRANSIT, 13_250, "cash_out")),
    ),
    (table.PlayerLeft(**ANN, reservation="s1", stack=0, reason="absent"), []),
    (
        poker.BlindPosted(**IN_HAND, blind="small", compulsory=True, amount=50, to=50, stack=1, all_in=False),
        moves((STACK, POT, 50, "blind")),
    ),
    (
        poker.BetPlaced(**IN_HAND, act="raise", amount=150, to=200, stack=1, all_in=False),
        moves((STACK, POT, 150, "bet")),
    ),
    (poker.UncalledBetReturned(**IN_HAND, amount=600, stack=1), moves((POT, STACK, 600, "uncalled"))),
    (
        poker.PotAwarded(**AWARD, payments=PAYMENTS),
        moves(
            (POT, STACK, 1_012, "payment"), (POT, RAKE, 53, "rake"),
            (POT, "stack/table-7/bob", 1_012, "payment"), (POT, RAKE, 53, "rake"),
        ),
    ),
    (
        poker.HandVoided(**TABLE, hand=3, cause="x", by="house", refunds=REFUNDS, currency="EUR"),
        moves((POT, STACK, 300, "void")),
    ),
    (house.BankedStakePlaced(**STAKE, area="ante", amount=500), moves((STACK, ROUND, 500, "ante"))),
    (house.BankedStakeWithdrawn(**STAKE, area="ante", amount=500), moves((ROUND, STACK, 500, "withdrawn"))),
    (
        house.BankedRoundSettled(**IN_ROUND, rulebook="pt-812-2015-baccarat", results=SETTLED, house=-1_200, bank=1),
        moves((ROUND, BANK, 2_700, "stakes"), (BANK, STACK, 3_900, "payout")),
    ),
    (
        house.BankedRoundVoided(**IN_ROUND, cause="x", by="house", refunds=ROUND_REFUNDS),
        moves((ROUND, STACK, 300, "void")),
    ),
    (
        banks.BankOpened(**BANKED, bank=700, risk_limit=1, by="staff:a"),
        moves((TREASURY, BANK, 700, "bank_opening")),
    ),
    (banks.BankToppedUp(**CHANGED), moves((TREASURY, BANK, 700, "bank_top_up"))),
    (banks.BankDropped(**CHANGED), moves((BANK, TREASURY, 700, "bank_drop"))),
    (banks.BankCovered(**BANKED, bank=700, cause="x"), moves((TREASURY, BANK, 700, "bank_cover"))),
    (banks.BankClosed(**BANKED), moves((BANK, TREASURY, 700, "bank_closing"))),
]  # fmt: skip


@pytest.mark.parametrize(("event", "expected"), CASES, ids=lambda value: type(value).__name__)
def test_an_event_moves_what_it_says(event: Any, expected: list[tuple[str, str, int, str]]) -> None:
    found = transfers_of(event, "real")
    assert [(t.debit, t.credit, t.amount, t.kind) for t in found] == expected
    assert all(t.currency == "EUR" and t.amount > 0 for t in found)


def test_play_money_of_a_bank_comes_from_play_credit() -> None:
    (opened,) = transfers_of(banks.BankOpened(**{**BANKED, "kind": "demo"}, bank=700, risk_limit=1, by="x"), "demo")
    assert (opened.debit, opened.credit) == ("play-credit/EUR", BANK)


def test_every_event_with_an_amount_of_moved_money_has_a_rule() -> None:
    # `TopUpFunded`: the money stays in transit until `TopUpAdded`. `PaymentReturned`: it never left transit.
    # `PrizesWithheld`: they stay on the tournament's account.
    said_but_not_moved = {
        table.SeatReserved, table.TopUpRequested, table.TopUpDue, table.TopUpFunded,
        wallet.WithdrawalRefused, wallet.ReserveRefused, wallet.FeeRefused, wallet.ReferenceClaimed,
        wallet.CashCounted, wallet.CashRequested, wallet.CashDeclined,
        pool.PaymentNoted, pool.TicketNoted, pool.CreditNoted,
        wallet.HomeAsked, escrow.ReserveNoted, escrow.RiskNoted, escrow.BankNoted, escrow.CoverNoted,
        escrow.BankReturned,
        poker.SessionFeeDue, poker.SessionFeeUnpaid, live.IncidentRecorded, live.StubReshuffled,
        banks.BankChangeRequested, banks.BankChangeDeclined, wallet.TournamentPaymentRefused,
        tournaments.PaymentDue, tournaments.PaymentReturned, tournaments.CancellationProposed,
        tournaments.PrizesWithheld,
    }  # fmt: skip
    with_amounts = {
        event
        for event in EVENT_TYPES.values()
        if {"amount", "returned", "refunds", "credits"} & set(event.__struct_fields__)
    }
    settled = {event for event in EVENT_TYPES.values() if issubclass(event, house.BankedRoundSettled)}
    moving = {event for event in EVENT_TYPES.values() if _rule_of(event) is not None}
    assert with_amounts - said_but_not_moved == moving - settled - {table.PlayerLeft, TicketsAwarded}
    shared = {rule for rule in _RULES if rule.__module__ == house.__name__} | {tournaments.PaymentTaken}
    assert set(_RULES) - shared <= set(EVENT_TYPES.values())


def test_a_pot_is_paid_out_to_the_unit() -> None:
    paid = transfers_of(poker.PotAwarded(**AWARD, payments=PAYMENTS), "real")
    assert sum(t.amount for t in paid) == sum(payment.gross for payment in PAYMENTS) == 2_130


def test_money_never_goes_from_player_to_player() -> None:
    """ACC-1: between two wallets there is always a game or the cashier."""
    moved = [transfer for event, _ in CASES for transfer in transfers_of(event, "real")]
    assert len(moved) > len(CASES)
    assert not [t for t in moved if t.debit.startswith("player/") and t.credit.startswith("player/")]
    assert {t.credit.split("/")[0] for t in moved if t.debit.startswith("player/")} == {"operator-cash", "in-transit"}


def test_play_money_comes_from_nowhere_real() -> None:
    event = wallet.FundsDeposited(**{**WALLET, "by": BY, "account": "account-ann-EUR-demo"}, reference="r", amount=7)
    assert transfers_of(event, "demo") == [Transfer("play-credit/EUR", PLAYER, 7, "EUR", "play_credit", "r")]
