"""Money of a casino table beside the pots: tips, sessions, pots pushed to the wrong seat (pt-217-2007 7.b, 9.d)."""

import pytest

from libs.contracts import conduct_events as conduct
from libs.contracts import live_events as live
from libs.contracts import poker_events as poker
from libs.contracts import wallet_events as wallet
from services.wallet.policies.reactions import when_session_fee_due
from services.wallet.projections.transfers import Transfer, transfers_of
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


@pytest.mark.rule("pt-217-2007", "70.a")
def test_a_reversed_pot_goes_from_stack_to_stack() -> None:
    back = live.PotReversed(
        table="t1", hand=3, incident=1, from_seat=4, from_player="dan", to_seat=3, to_player="cem", amount=9_120,
        from_stack=6_000, to_stack=15_120, currency="EUR",
    )  # fmt: skip
    assert list(transfers_of(back, "real")) == [
        Transfer("stack/t1/dan", "stack/t1/cem", 9_120, "EUR", "reversal", "t1/3/1")
    ]
