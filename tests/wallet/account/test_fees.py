"""A session's charge leaves the wallet once, or is refused once (pt-217-2007 7.b)."""

import pytest
from msgspec.structs import replace

from libs.contracts import wallet_events as events
from libs.contracts.wallet_commands import AccountReason as Reason
from libs.contracts.wallet_commands import ChargeFee
from tests.wallet.account.given import OPERATOR, POLICY, deposited, given, opened, reserved, settled

FEE = ChargeFee(fee="t1-1-ann", table="table-7", rulebook="pt-217-2007-holdem", amount=2_000)


@pytest.mark.rule("pt-217-2007", "7.b")
def test_a_charge_is_taken_once_out_of_free_money() -> None:
    charged = events.FeeCharged(
        fee="t1-1-ann", table="table-7", rulebook="pt-217-2007-holdem", amount=2_000, available=4_000, reserved=4_000
    )
    given(opened, deposited, reserved).when(POLICY, FEE).then(charged)
    given(opened, deposited, reserved, charged).when(POLICY, FEE).then_nothing()
    other = ChargeFee(fee="t1-1-ann", table="table-7", rulebook="pt-217-2007-holdem", amount=2_001)
    given(opened, deposited, reserved, charged).when(POLICY, other).then_rejected(Reason.REFERENCE_CONFLICT)


def test_what_is_not_there_is_refused_and_stays_refused() -> None:
    refused = events.FeeRefused(fee="t1-1-ann", table="table-7", amount=2_000, available=0, reason="insufficient_funds")
    given(opened).when(POLICY, FEE).then(refused)
    given(opened, refused, deposited).when(POLICY, FEE).then_nothing()


def test_nobody_pays_for_a_table_where_he_does_not_sit() -> None:
    """With the table's login and marks the free money of anybody by name went to the house, in one step."""
    elsewhere = replace(FEE, table="table-8")
    given(opened, deposited).when(POLICY, FEE).then_rejected(Reason.UNKNOWN_SITTING)
    given(opened, deposited, reserved).when(POLICY, elsewhere).then_rejected(Reason.UNKNOWN_SITTING)
    given(opened, deposited, reserved, settled).when(POLICY, FEE).then_rejected(Reason.UNKNOWN_SITTING)


def test_only_a_policy_charges() -> None:
    given(opened, deposited).when(OPERATOR, FEE).then_rejected(Reason.NOT_ALLOWED)
