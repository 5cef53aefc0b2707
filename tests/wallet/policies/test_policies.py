"""Event to command, both ways between table and wallet: the right account, the right reserve, an id from the event."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts import table_events as table
from libs.contracts import wallet_events as wallet
from libs.contracts.facts import Fact, TableEvent, WalletEvent
from libs.contracts.messages import CommandMessage, Principal, PublicEvent, time_of
from libs.contracts.registry import encode_fact, wire_name
from libs.money.play import PLAY_CURRENCY
from services.table.policies.reactions import TO_WALLET
from services.wallet.policies.reactions import REACTIONS

NOW = 1_790_000_000_123
AT: dict[str, Any] = {"table": "table-7", "player": "ann", "seat": 3, "currency": "EUR"}
OF: dict[str, Any] = {"account": "account-ann-EUR", "player": "ann", "currency": "EUR", "table": "table-7"}

reserved = table.SeatReserved(**AT, reservation="s1", amount=4_000, until=0)
due = table.TopUpDue(**AT, reservation="s1", top_up="t1", amount=500)
released = table.SeatReleased(**AT, reservation="s1", reason="lapsed")
failed = table.TopUpFailed(**AT, reservation="s1", top_up="t1", reason="left")
left = table.PlayerLeft(**AT, reservation="s1", stack=5_120, reason="player")

CHIPS = {"settlement": "table-7/9", "covered": False}

CASES = [
    (reserved, "ReserveFunds", {"reserve": "s1", "sitting": "s1", "table": "table-7", "amount": 4_000}),
    (due, "ReserveFunds", {"reserve": "t1", "sitting": "s1", "table": "table-7", "amount": 500}),
    (released, "ReleaseFunds", {"reserve": "s1", "table": "table-7", "reason": "lapsed", "covered": False}),
    (failed, "ReleaseFunds", {"reserve": "t1", "table": "table-7", "reason": "left", "covered": False}),
    (
        left,
        "SettleSitting",
        {"sitting": "s1", "table": "table-7", "returned": 5_120, "settlement": "table-7/9", "covered": False},
    ),
]


def event_of(service: str, stream: str, body: Fact) -> PublicEvent:
    return PublicEvent(
        stream=stream, version=9, type=wire_name(type(body)), time=NOW, causation="c", correlation="k",
        data=encode_fact(body)[1])  # fmt: skip


@pytest.mark.rule("pt-811-2015", "2.q", "74", "75")
@pytest.mark.parametrize(("fact", "kind", "body"), CASES, ids=lambda value: type(value).__name__)
def test_the_wallet_answers_the_table(fact: TableEvent, kind: str, body: dict[str, Any]) -> None:
    event = event_of("table", "table-7", fact)
    [command] = REACTIONS[type(fact)](event, fact)
    assert (command.stream, command.type, command.body) == ("account-ann-EUR", kind, body)
    who = Principal("policy", f"wallet.{REACTIONS[type(fact)].__name__}")
    assert (command.principal, command.correlation) == (who, "k")
    assert time_of(command.id) == NOW
    assert REACTIONS[type(fact)](event, fact) == [command], "twice is the same command"
    [for_play] = REACTIONS[type(fact)](event, replace(fact, currency=PLAY_CURRENCY))
    assert for_play.stream == "account-ann-FUN-demo"


def test_two_events_never_share_a_command_id() -> None:
    one = event_of("table", "table-7", reserved)
    other = replace(one, version=10)
    assert REACTIONS[type(reserved)](one, reserved)[0].id != REACTIONS[type(reserved)](other, reserved)[0].id


def answered(fact: WalletEvent) -> CommandMessage:
    [command] = TO_WALLET[type(fact)](event_of("wallet", fact.account, fact), fact)
    assert (command.stream, command.principal.kind) == ("table-7", "policy")
    return command


def test_the_table_answers_the_wallet() -> None:
    figures: dict[str, Any] = {**OF, "sitting": "s1", "amount": 4_000, "available": 0}
    seat = answered(wallet.FundsReserved(**figures, reserve="s1", reserved=4_000))
    top_up = answered(wallet.FundsReserved(**figures, reserve="t1", reserved=4_000))
    no_seat = answered(wallet.ReserveRefused(**figures, reserve="s1", reason="insufficient_funds"))
    no_top_up = answered(wallet.ReserveRefused(**figures, reserve="t1", reason="insufficient_funds"))
    fee: dict[str, Any] = {**OF, "fee": "t1-1-ann", "amount": 2_000, "available": 0}
    paid = answered(wallet.FeeCharged(**fee, rulebook="pt-217-2007-holdem", reserved=0))
    unpaid = answered(wallet.FeeRefused(**fee, reason="insufficient_funds"))
    assert [(command.type, command.body) for command in (seat, top_up, no_seat, no_top_up, paid, unpaid)] == [
        ("ConfirmSeat", {"reservation": "s1"}),
        ("ConfirmTopUp", {"top_up": "t1"}),
        ("ReleaseSeat", {"reservation": "s1", "reason": "reserve_refused"}),
        ("FailTopUp", {"top_up": "t1"}),
        ("ConfirmFee", {"fee": "t1-1-ann"}),
        ("FailFee", {"fee": "t1-1-ann"}),
    ]
