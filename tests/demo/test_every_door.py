"""Play money: every door through which money moves is tried with it, and none lets it out or real money in.

pt-811-2015 75, pt-803-2015-no-draw 44, pt-812-2015-baccarat 38. The deciders are the real ones.
"""

from collections.abc import Iterator
from typing import Any, get_args

import httpx
import pytest
from msgspec.structs import fields, replace

from libs.contracts.bank_events import BankClosed, BankCovered, BankDropped, BankEvent, BankOpened, BankToppedUp
from libs.contracts.escrow_commands import EscrowCommand
from libs.contracts.facts import Fact
from libs.contracts.messages import CommandMessage, Principal, PublicEvent, Reply
from libs.contracts.poker_events import SessionFeeDue
from libs.contracts.pool_commands import PoolCommand
from libs.contracts.registry import ALL_TABLE_EVENTS, ALL_WALLET_COMMANDS
from libs.contracts.table_events import PlayerLeft, RefundSent, SeatReleased, SeatReserved, TopUpDue, TopUpFailed
from libs.contracts.wallet_commands import Book, account_id
from libs.contracts.wallet_events import FundsDeposited
from libs.decider import Given, Rejected
from libs.money.play import PLAY_CURRENCY, fits
from services.gateway.app.doors import DOORS
from services.gateway.app.gateway import Gateway
from services.wallet.domain.account.decide import AccountDecider
from services.wallet.machine import decode_command
from services.wallet.policies.reactions import REACTIONS
from services.wallet.projections.chart import book_of_account
from services.wallet.projections.transfers import _rule_of, transfers_of
from tests.banked.script import night
from tests.testkit.cases import Case
from tests.testkit.keys import key_of

DEMO = account_id("ann", PLAY_CURRENCY, "demo")
REAL = account_id("ann", "EUR")
SETTLING = {"sitting": "s1", "table": "fun-1", "returned": 900_000, "settlement": "fun-1/9"}


class Bank:
    """Both of Ann's accounts behind the wallet's own decider, spoken to by messages as they stand on the topic."""

    def __init__(self) -> None:
        self.decider = AccountDecider()
        self.states: dict[str, Any] = {}
        self.told: list[tuple[str, Any]] = []

    def asks(self, stream: str, kind: str, body: dict[str, Any], by: str = "operator") -> str | None:
        """None when accepted, else the reason. Nothing may change another account than the one that was named."""
        message = CommandMessage(
            id=key_of("01973a7e-5b0c-7c3e-9f21-6d1f0a4b8c55"), stream=stream, type=kind,  # type: ignore[arg-type]
            principal=Principal(by, "x"), body=body,  # type: ignore[arg-type]
        )  # fmt: skip
        return self.takes(message)

    def takes(self, message: CommandMessage) -> str | None:
        state = self.states.get(message.stream, self.decider.initial(message.stream))
        decided = self.decider.decide(state, decode_command(message), Given(0, None, message.principal))
        if isinstance(decided, Rejected):
            return decided.reason
        self.told += [(message.stream, event) for event in decided.events]
        self.states[message.stream] = decided.states[-1] if decided.states else state
        return None

    def has(self, stream: str) -> tuple[int, int]:
        return self.states[stream].available, self.states[stream].reserved


def bank_with(balance: int) -> Bank:
    """So much of play money, ten euros, and a sitting open at a demo table."""
    bank = Bank()
    assert bank.asks(DEMO, "OpenAccount", {"player": "ann", "currency": PLAY_CURRENCY, "kind": "demo"}) is None
    assert bank.asks(REAL, "OpenAccount", {"player": "ann", "currency": "EUR", "kind": "real"}) is None
    assert bank.asks(DEMO, "DepositFunds", {"reference": "gift", "amount": balance}) is None
    assert bank.asks(REAL, "DepositFunds", {"reference": "card", "amount": 1_000}) is None
    reserve = {"reserve": "s1", "sitting": "s1", "table": "fun-1", "amount": 5_000}
    assert bank.asks(DEMO, "ReserveFunds", reserve, "policy") is None
    return bank


@pytest.fixture
def bank() -> Bank:
    return bank_with(1_000_000)


ATTEMPTS: dict[str, list[tuple[str, dict[str, Any], str, str]]] = {
    # command: stream, body, principal, the reason of the refusal
    "OpenAccount": [
        (REAL, {"player": "ann", "currency": "EUR", "kind": "demo"}, "operator", "wrong_account"),
        (DEMO, {"player": "ann", "currency": PLAY_CURRENCY, "kind": "real"}, "operator", "wrong_account"),
        (account_id("bo", "EUR", "demo"), {"player": "bo", "currency": "EUR", "kind": "demo"}, "operator",
         "wrong_currency"),
        (account_id("bo", PLAY_CURRENCY), {"player": "bo", "currency": PLAY_CURRENCY}, "operator", "wrong_currency"),
    ],
    "DepositFunds": [(REAL, {"reference": "gift", "amount": 1_000_000}, "player", "not_allowed")],
    "WithdrawFunds": [
        (DEMO, {"reference": "w1", "amount": 1}, "operator", "demo_money"),
        (DEMO, {"reference": "w2", "amount": 1_000_000}, "staff", "demo_money"),
        (DEMO, {"reference": "w3", "amount": 1}, "player", "not_allowed"),
    ],
    "ReserveFunds": [
        (REAL, {"reserve": "s2", "sitting": "s2", "table": "real-1", "amount": 2_000}, "policy", "insufficient_funds"),
    ],
    "ReleaseFunds": [(REAL, {"reserve": "s1", "table": "fun-1", "reason": "lapsed"}, "policy", "unknown_reserve")],
    "SettleSitting": [
        (REAL, SETTLING, "policy", "unknown_sitting"),
        (DEMO, SETTLING, "player", "not_allowed"),
    ],
    "ReportSignal": [],  # moves no money
    "ClaimReference": [
        (REAL, {"reference": "r", "player": "a", "currency": "EUR", "purpose": "signal"}, "operator", "wrong_account"),
    ],
    "CountCash": [
        (REAL, {"reference": "r", "player": "a", "currency": "EUR", "purpose": "withdrawal", "amount": 1}, "staff",
         "wrong_account"),
    ],
    "RequestCash": [
        (DEMO, {"reference": "w4", "purpose": "withdrawal", "amount": 1}, "staff", "demo_money"),
        (DEMO, {"reference": "w4", "purpose": "withdrawal", "amount": 1}, "operator", "not_allowed"),
    ],
    "ApproveCash": [(DEMO, {"reference": "w4", "purpose": "withdrawal", "amount": 1}, "staff", "nothing_waits")],
    "DeclineCash": [(DEMO, {"reference": "w4", "reason": "no"}, "staff", "nothing_waits")],
    "ChargeFee": [
        (REAL, {"fee": "f1", "table": "real-1", "rulebook": "x", "amount": 2_000}, "policy", "insufficient_funds"),
        (DEMO, {"fee": "f2", "table": "fun-1", "rulebook": "x", "amount": 1}, "player", "not_allowed"),
    ],
    "PayTournament": [
        (REAL, {"payment": "e1", "tournament": "sunday-1", "amount": 2_000}, "policy", "insufficient_funds"),
        (DEMO, {"payment": "e2", "tournament": "sunday-1", "amount": 1}, "player", "not_allowed"),
    ],
    "CreditTournament": [
        (REAL, {"credit": "p1", "tournament": "sunday-1", "amount": 1, "why": "prize"}, "player", "not_allowed"),
        (DEMO, {"credit": "p2", "tournament": "sunday-1", "amount": 1, "why": "prize"}, "operator", "not_allowed"),
    ],
    "ReturnPayment": [
        (REAL, {"payment": "e1", "tournament": "sunday-1", "amount": 2_000}, "policy", "not_paid"),
        (DEMO, {"payment": "e2", "tournament": "sunday-1", "amount": 1}, "player", "not_allowed"),
    ],
    # What a pool or an escrow is told no account knows: it has no currency of its own, and moves no money.
    **{
        command.__name__: [(REAL, dict(command.example), "policy", "wrong_account")]
        for command in ALL_WALLET_COMMANDS
        if issubclass(command, PoolCommand | EscrowCommand)
    },
}  # fmt: skip


@pytest.mark.rule("pt-811-2015", "75")
@pytest.mark.rule("pt-803-2015-no-draw", "44/1")
@pytest.mark.rule("pt-812-2015-baccarat", "38/1")
def test_no_command_of_the_wallet_turns_play_money_into_anything(bank: Bank, case: Case) -> None:
    assert sum(bank.has(DEMO)) == case.of("44/1")["balance"]
    assert {command.__name__ for command in ALL_WALLET_COMMANDS} == set(ATTEMPTS), "a new door: try it here"
    before = bank.has(REAL)
    for command, attempts in ATTEMPTS.items():
        for stream, body, by, reason in attempts:
            refused = bank.asks(stream, command, body, by)
            told = getattr(bank.told[-1][1], "reason", None) if refused is None else refused
            assert told == reason, (command, stream, body)
    assert bank.has(REAL) == before
    # And what is won at the demo table prolongs the play, for nothing else (44).
    assert bank.asks(DEMO, "SettleSitting", {"sitting": "s1", "table": "fun-1", "returned": 80_000}, "policy") is None
    assert bank.has(DEMO) == (1_075_000, 0)
    assert bank.has(REAL) == before


@pytest.mark.rule("pt-811-2015", "75/1")
def test_a_demo_balance_has_no_way_out(case: Case) -> None:
    """No command names a ticket, a bonus or a voucher, and there are two kinds of accounts; by each one it is tried."""
    balance = case.int("balance")
    bank = bank_with(balance)
    before = bank.has(REAL)
    assert get_args(Book) == ("real", "demo")
    for command, attempts in ATTEMPTS.items():
        for stream, body, by, _ in attempts:
            had = bank.has(stream) if stream in bank.states else None
            for amount in (balance, bank.has(DEMO)[0]):  # all of it, and what is not on a table
                asked = {"amount": amount, "reference": f"{body.get('reference')}-{amount}"}
                bank.asks(stream, command, body | {name: asked[name] for name in asked if name in body}, by)
                assert had is None or bank.has(stream) == had, command
    assert bank.has(REAL) == before
    assert sum(bank.has(DEMO)) == balance
    assert {stream for stream, _ in bank.told} == {REAL, DEMO}


@pytest.mark.rule("pt-811-2015", "75/2")
def test_at_nothing_there_is_more_free_credit(case: Case) -> None:
    bank = Bank()
    assert bank.asks(DEMO, "OpenAccount", {"player": "ann", "currency": PLAY_CURRENCY, "kind": "demo"}) is None
    assert bank.has(DEMO) == (case["balance"], 0)
    assert bank.asks(DEMO, "DepositFunds", {"reference": "more", "amount": 5_000}) is None
    assert bank.has(DEMO) == (case["balance"] + 5_000, 0)
    (given,) = [event for _, event in bank.told if isinstance(event, FundsDeposited)]
    assert {account.split("/")[0] for each in transfers_of(given, "demo") for account in (each.debit, each.credit)} == {
        "play-credit",
        "player",
    }


def facts() -> Iterator[Any]:
    seat: dict[str, Any] = {"table": "t", "reservation": "s1", "player": "ann", "seat": 1, "currency": "EUR"}
    yield SeatReserved(**seat, amount=5_000, until=1)
    yield SeatReleased(**seat, reason="lapsed")
    yield TopUpDue(**seat, top_up="t1", amount=5_000)
    yield TopUpFailed(**seat, top_up="t1", reason="left")
    yield PlayerLeft(**seat, stack=5_000, reason="player")
    yield RefundSent(**seat, amount=5_000)
    yield SessionFeeDue(**seat, fee="f1", session=1, amount=500, kind="real", rulebook="x")
    bank: dict[str, Any] = {"table": "t", "currency": "EUR", "kind": "real", "amount": 500, "bank": 500, "by": "bo"}
    yield BankOpened(**bank, risk_limit=500)
    yield BankToppedUp(**bank, change="c1", requested_by="eve")
    yield BankDropped(**bank, change="c1", requested_by="eve")
    yield BankCovered(table="t", currency="EUR", kind="real", amount=5, bank=0, cause="a win")
    yield BankClosed(table="t", currency="EUR", kind="real", amount=500)


@pytest.mark.rule("pt-811-2015", "75")
@pytest.mark.parametrize("fact", list(facts()), ids=lambda fact: type(fact).__name__)
def test_no_policy_crosses_from_one_kind_to_the_other(fact: Any) -> None:
    """The table's own kind names the account, whatever the fact says of currencies."""
    event = PublicEvent(stream="t", version=1, type="x", time=1, causation="c", data=b"")
    for kind, currency in (("real", "EUR"), ("demo", PLAY_CURRENCY)):
        other = replace(fact, currency=currency, **({"kind": kind} if hasattr(fact, "kind") else {}))
        asked = REACTIONS[type(fact)](event, other)
        streams = {command.stream for command in asked}
        assert all(stream == "escrow-t" or book_of_account(stream) == kind for stream in streams)
        assert "escrow-t" not in streams or kind == "real", "what is held of a table is real money"
        assert asked or (kind == "demo" and isinstance(fact, BankEvent))
    assert {type(each) for each in facts()} == set(REACTIONS), "a new reaction: try it here"


@pytest.mark.rule("pt-803-2015-no-draw", "44")
@pytest.mark.rule("pt-812-2015-baccarat", "38/1")
def test_no_event_of_a_table_books_play_money_to_an_account_of_the_house() -> None:
    """Every transfer of a night of play money is between play credit, players, tables and their banks."""
    script = night("demo")
    moved = {
        account.split("/")[0]
        for fact in script.facts
        for transfer in transfers_of(fact, "demo")
        for account in (transfer.debit, transfer.credit)
    }
    assert moved == {"play-credit", "player", "in-transit", "stack", "round", "bank"}
    assert "operator-cash" not in moved
    assert "treasury" not in moved


def test_every_event_that_moves_money_was_looked_at() -> None:
    """A new kind of event that moves money at a table has to be played in a night of play money, or be named here."""
    played = {type(fact) for fact in night("demo").facts}
    poker = {"BlindPosted", "BetPlaced", "UncalledBetReturned", "PotAwarded", "HandVoided", "TopUpAdded", "BankCovered"}
    poker |= {"PotReversed", "DealerTipped"}  # From stack to stack, and to the table's tips, in the table's own money.
    poker |= {"RefundSent"}  # A void hand's bets on their way to the account that they came from.
    moving = {event for event in ALL_TABLE_EVENTS if _rule_of(event) is not None}
    for event in moving - played:
        assert event.__name__ in poker or _told_by_kin(event, played), f"{event.__name__} was not looked at"


def _told_by_kin(event: type[Fact], played: set[type[Fact]]) -> bool:
    """Another event of the same base was played: the books treat both by the base."""
    return any(_rule_of(event) is _rule_of(kin) for kin in played)


@pytest.mark.parametrize("currency", ["EUR", "MOP", "USD", PLAY_CURRENCY])
def test_a_currency_is_of_one_kind(currency: str) -> None:
    assert fits("real", currency) != fits("demo", currency)


MONEY_DOORS = {
    "/players/{player}/accounts": {"currency": "EUR", "kind": "demo"},
    "/players/{player}/deposits": {"reference": "d", "amount": 5, "currency": "EUR", "kind": "demo"},
    "/players/{player}/withdrawals": {"reference": "w", "amount": 5, "currency": PLAY_CURRENCY, "kind": "demo"},
}
"""Doors of the gateway that name a kind of money; at all others the table does."""


@pytest.mark.rule("pt-811-2015", "75")
@pytest.mark.rule("pt-803-2015-no-draw", "44")
@pytest.mark.rule("pt-812-2015-baccarat", "38/1")
async def test_every_door_of_the_gateway_is_shut_for_play_money(
    http: httpx.AsyncClient, operator: dict[str, str], gateway: Gateway, house: Any, bank: Bank
) -> None:
    """What the gateway sends goes to the wallet's own decider here; nothing reaches a real account."""
    before = bank.has(REAL)

    def wallet(message: CommandMessage) -> Reply:
        reason = bank.takes(message)
        verdict: Any = "rejected" if reason else "accepted"
        return Reply(command_id=message.id, stream=message.stream, verdict=verdict, version=1, reason=reason)

    house.answer = wallet
    for number, (path, body) in enumerate(MONEY_DOORS.items()):
        headers = operator | {"idempotency-key": key_of(f"door-{number}")}
        answer = await http.post("/v1" + path.format(player="ann"), json=body, headers=headers)
        assert answer.status_code == 409, (path, answer.text)
    assert {service for service, _, _ in house.sent} == {"wallet"}
    assert all(message.stream.endswith("-demo") for message in house.commands)
    assert bank.has(REAL) == before
    with_kind = {
        door.path for door in DOORS for field in fields(door.body) if field.name == "kind" and field.type == Book
    }
    assert with_kind == set(MONEY_DOORS), "a new door names a kind of money: try it here"
