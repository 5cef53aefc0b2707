"""Money in and out: each reference counts once, for ever, and nothing goes below zero (GAM-4)."""

import pytest
from msgspec.structs import replace

from libs.contracts import wallet_events as events
from libs.contracts.messages import Principal
from libs.contracts.wallet_commands import AccountReason as Reason
from libs.contracts.wallet_commands import ChargeFee, DepositFunds, WithdrawFunds
from services.wallet.domain.account.decide import MAX_BALANCE
from tests.wallet.account.given import OPERATOR, PLAYER, POLICY, demo_opened, deposited, given, opened, reserved

DEMO = "account-ann-EUR-demo"


def test_a_deposit_counts_once() -> None:
    given(opened).when(OPERATOR, DepositFunds(reference="r1", amount=10_000)).then(deposited)
    given(opened, deposited).when(OPERATOR, DepositFunds(reference="r1", amount=10_000)).then_nothing()
    given(opened, deposited).when(OPERATOR, DepositFunds(reference="r1", amount=9_999)).then_rejected(
        Reason.REFERENCE_CONFLICT
    )
    given(opened, deposited).when(OPERATOR, WithdrawFunds(reference="r1", amount=10_000)).then_rejected(
        Reason.REFERENCE_CONFLICT
    )


@pytest.mark.parametrize("other", [Principal("staff", "hilda"), Principal("operator", "other")], ids=str)
def test_a_reference_of_one_says_nothing_of_anothers(other: Principal) -> None:
    """Each is told to pay out, so each is debited."""
    withdrawn = events.FundsWithdrawn(reference="w1", amount=4_000, available=6_000, reserved=0, by=str(OPERATOR))
    again = WithdrawFunds(reference="w1", amount=4_000)
    given(opened, deposited, withdrawn).when(OPERATOR, again).then_nothing()
    given(opened, deposited, withdrawn).when(other, again).then(replace(withdrawn, available=2_000, by=str(other)))
    more = given(opened, deposited).when(other, DepositFunds(reference="r1", amount=10_000)).account()
    assert more.available == 20_000


def test_cashiers_share_their_references() -> None:
    by_hilda = replace(deposited, by="staff:hilda")
    given(opened, by_hilda).when(Principal("staff", "ivan"), DepositFunds(reference="r1", amount=10_000)).then_nothing()


def test_a_reference_that_looks_like_a_fee_holds_none_up() -> None:
    like_a_fee = given(opened, replace(deposited, reference="fee:f1"), reserved)
    assert (
        like_a_fee.when(POLICY, ChargeFee(fee="f1", amount=100, table="table-7", rulebook="pt-217-2007-holdem"))
        .account()
        .available
        == 5_900
    )


def test_a_deposit_is_refused_in_order() -> None:
    given().when(OPERATOR, DepositFunds(reference="r1", amount=MAX_BALANCE)).then_rejected(Reason.UNKNOWN_ACCOUNT)
    given(opened, deposited).when(PLAYER, DepositFunds(reference="r1", amount=MAX_BALANCE)).then_rejected(
        Reason.NOT_ALLOWED
    )
    given(opened, deposited).when(OPERATOR, DepositFunds(reference="r1", amount=MAX_BALANCE)).then_rejected(
        Reason.REFERENCE_CONFLICT
    )
    given(opened, deposited).when(OPERATOR, DepositFunds(reference="r2", amount=MAX_BALANCE)).then_rejected(
        Reason.BALANCE_LIMIT
    )


@pytest.mark.parametrize("by", [PLAYER, POLICY])
def test_only_the_cashier_moves_money_in_and_out(by: object) -> None:
    given(opened, deposited).when(by, DepositFunds(reference="r2", amount=1)).then_rejected(Reason.NOT_ALLOWED)  # type: ignore[arg-type]
    given(opened, deposited).when(by, WithdrawFunds(reference="r2", amount=1)).then_rejected(Reason.NOT_ALLOWED)  # type: ignore[arg-type]


@pytest.mark.rule("pt-811-2015", "11.a")
@pytest.mark.rule("mo-97-2010", "4.2")
def test_a_withdrawal_takes_what_is_available_and_no_more() -> None:
    given(opened, deposited, reserved).when(OPERATOR, WithdrawFunds(reference="w1", amount=6_000)).then(
        events.FundsWithdrawn(reference="w1", amount=6_000, available=0, reserved=4_000, by="operator:acme")
    )
    given(opened, deposited, reserved).when(OPERATOR, WithdrawFunds(reference="w1", amount=6_001)).then(
        events.WithdrawalRefused(
            reference="w1", amount=6_001, available=6_000, reason="insufficient_funds", by="operator:acme"
        )
    )


def test_a_refused_withdrawal_never_pays_later() -> None:
    refused = events.WithdrawalRefused(
        reference="w1", amount=20_000, available=10_000, reason="insufficient_funds", by="operator:acme"
    )
    more = events.FundsDeposited(reference="r2", amount=50_000, available=60_000, reserved=0, by="operator:acme")
    given(opened, deposited, refused, more).when(OPERATOR, WithdrawFunds(reference="w1", amount=20_000)).then_rejected(
        Reason.REFUSED_BEFORE
    )
    given(opened, deposited, refused, more).when(OPERATOR, WithdrawFunds(reference="w1", amount=10)).then_rejected(
        Reason.REFERENCE_CONFLICT
    )


@pytest.mark.rule("pt-811-2015", "75")
def test_play_money_can_be_given_and_never_taken_out() -> None:
    free = events.FundsDeposited(reference="r1", amount=500, available=500, reserved=0, by="operator:acme")
    given(demo_opened, stream=DEMO).when(OPERATOR, DepositFunds(reference="r1", amount=500)).then(free)
    given(demo_opened, free, stream=DEMO).when(OPERATOR, WithdrawFunds(reference="w1", amount=1)).then_rejected(
        Reason.DEMO_MONEY, "pt-811-2015#75"
    )
