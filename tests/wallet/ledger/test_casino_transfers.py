"""Money of a casino table beside the pots: tips, sessions, pots pushed to the wrong seat (pt-217-2007 7.b, 9.d)."""

import msgspec
import pytest
from msgspec.structs import replace

from libs.contracts import conduct_events as conduct
from libs.contracts import live_events as live
from libs.contracts import poker_events as poker
from libs.contracts import wallet_events as wallet
from libs.contracts.wallet_commands import ChargeFee
from services.wallet.policies.reactions import when_session_fee_due
from services.wallet.projections.transfers import Transfer, transfers_of
from tests.table.casino.test_sessions import charged
from tests.testkit.cases import Case
from tests.wallet.account.given import POLICY, deposited, given, opened, reserved
from tests.wallet.policies.test_policies import event_of

CASINO = "pt-217-2007-holdem"


@pytest.mark.rule("pt-217-2007", "9.d")
def test_a_tip_goes_into_a_slot_of_its_own() -> None:
    tip = conduct.DealerTipped(
        table="t1", player="ann", seat=1, reservation="s1", amount=500, stack=9_500, currency="EUR"
    )
    assert list(transfers_of(tip, "real")) == [Transfer("stack/t1/ann", "tips/t1", 500, "EUR", "tip", "s1")]


@pytest.mark.rule("pt-217-2007", "7.b")
def test_a_session_is_paid_out_of_the_account_and_not_the_stack() -> None:
    due = poker.SessionFeeDue(
        table="t1", fee="t1-1-ann", session=1, player="ann", seat=1, reservation="s1", amount=2_000, currency="EUR",
        kind="real", rulebook=CASINO,
    )  # fmt: skip
    assert list(transfers_of(due, "real")) == []
    [command] = when_session_fee_due(event_of("table", "t1", due), due)
    assert (command.type, command.stream, command.body["amount"]) == ("ChargeFee", "account-ann-EUR", 2_000)
    charged = wallet.FeeCharged(
        account="account-ann-EUR", player="ann", currency="EUR", fee="t1-1-ann", table="t1", rulebook=CASINO,
        amount=2_000, available=8_000, reserved=0,
    )  # fmt: skip
    assert list(transfers_of(charged, "real")) == [
        Transfer("player/ann/EUR", f"commission/t1/{CASINO}", 2_000, "EUR", "fee", "t1-1-ann")
    ]


@pytest.mark.rule("pt-217-2007", "7.b/1")
def test_when_a_session_starts_the_wallet_of_each_is_debited_once_and_no_stack_is(case: Case) -> None:
    table = charged(rake_bp=case["percent"] * 100, buy_in=case["buy_in"])
    table.now = case.moment("starts")
    table.wake()
    table.folds_round().wake()
    debits = []
    for due in table.of(poker.SessionFeeDue, everything=True):
        assert list(transfers_of(due, "real")) == [], "nothing leaves the stack"
        [command] = when_session_fee_due(event_of("table", "t1", due), due)
        fee = msgspec.convert(command.body, ChargeFee)
        assert (due.session, fee.fee) == (1, f"t1-1-{due.player}")
        sits = replace(reserved, table="t1")
        story = given(opened, deposited, sits)
        told = wallet.FeeCharged(
            fee=fee.fee, table="t1", rulebook=CASINO, amount=case["fee"], available=6_000 - case["fee"], reserved=4_000
        )
        story.when(POLICY, fee).then(told)
        given(opened, deposited, sits, told).when(POLICY, fee).then_nothing()
        debits.append((command.stream, fee.amount))
    assert debits == [(f"account-p{n}-EUR", case["fee"]) for n in range(1, case.int("players") + 1)]


@pytest.mark.rule("pt-217-2007", "70.a")
def test_a_reversed_pot_goes_from_stack_to_stack() -> None:
    back = live.PotReversed(
        table="t1", hand=3, incident=1, from_seat=4, from_player="dan", to_seat=3, to_player="cem", amount=9_120,
        from_stack=6_000, to_stack=15_120, currency="EUR",
    )  # fmt: skip
    assert list(transfers_of(back, "real")) == [
        Transfer("stack/t1/dan", "stack/t1/cem", 9_120, "EUR", "reversal", "t1/3/1")
    ]
