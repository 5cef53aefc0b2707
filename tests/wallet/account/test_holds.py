"""Money for a seat: held once, released once, settled once; in whatever order the table's answers come."""

import pytest

from libs.contracts import wallet_events as events
from libs.contracts.messages import Principal
from libs.contracts.wallet_commands import AccountReason as Reason
from libs.contracts.wallet_commands import HoldFunds, ReleaseHold, SettleHold
from tests.wallet.account.given import OPERATOR, PLAYER, POLICY, deposited, given, held, opened, settled, topped_up

HOLD = HoldFunds(hold="s1", sitting="s1", table="table-7", amount=4_000)


def test_a_hold_is_made_once() -> None:
    given(opened, deposited).when(POLICY, HOLD).then(held)
    given(opened, deposited, held).when(POLICY, HOLD).then_nothing()
    given(opened, deposited, held, settled).when(POLICY, HOLD).then_nothing()
    for other in (
        HoldFunds(hold="s1", sitting="s1", table="table-7", amount=4_001),
        HoldFunds(hold="s1", sitting="s1", table="table-8", amount=4_000),
        HoldFunds(hold="s1", sitting="s2", table="table-7", amount=4_000),
    ):
        given(opened, deposited, held).when(POLICY, other).then_rejected(Reason.HOLD_CONFLICT)


@pytest.mark.rule("pt-811-2015", "8")
def test_a_hold_beyond_the_balance_is_refused_for_good() -> None:
    refused = events.HoldRefused(
        hold="s2", sitting="s2", table="table-7", amount=10_001, available=10_000, reason="insufficient_funds"
    )
    command = HoldFunds(hold="s2", sitting="s2", table="table-7", amount=10_001)
    more = events.FundsDeposited(reference="r2", amount=50_000, available=60_000, held=0, by="operator:acme")
    given(opened, deposited).when(POLICY, command).then(refused)
    given(opened, deposited, refused, more).when(POLICY, command).then_nothing()
    assert given(opened, deposited).when(POLICY, command).account().available == 10_000


@pytest.mark.parametrize("by", [PLAYER, OPERATOR])
def test_only_policies_hold_release_and_settle(by: Principal) -> None:
    story = given(opened, deposited, held)
    story.when(by, HoldFunds(hold="s2", sitting="s2", table="table-7", amount=1)).then_rejected(Reason.NOT_ALLOWED)
    story.when(by, ReleaseHold(hold="s1", reason="lapsed")).then_rejected(Reason.NOT_ALLOWED)
    story.when(by, SettleHold(sitting="s1", returned=4_000)).then_rejected(Reason.NOT_ALLOWED)


def test_a_released_hold_goes_home_once() -> None:
    released = events.HoldReleased(
        hold="s1", sitting="s1", table="table-7", amount=4_000, available=10_000, held=0, reason="lapsed"
    )
    given(opened, deposited, held).when(POLICY, ReleaseHold(hold="s1", reason="lapsed")).then(released)
    given(opened, deposited, held, released).when(POLICY, ReleaseHold(hold="s1", reason="lapsed")).then_nothing()
    given(opened, deposited).when(POLICY, ReleaseHold(hold="s1", reason="lapsed")).then_rejected(Reason.UNKNOWN_HOLD)


def test_a_refused_hold_has_nothing_to_release() -> None:
    refused = events.HoldRefused(
        hold="s1", sitting="s1", table="table-7", amount=10_001, available=10_000, reason="insufficient_funds"
    )
    given(opened, deposited, refused).when(POLICY, ReleaseHold(hold="s1", reason="hold_refused")).then_nothing()


@pytest.mark.rule("pt-811-2015", "10")
def test_a_settlement_closes_every_hold_of_the_sitting() -> None:
    given(opened, deposited, held, topped_up).when(POLICY, SettleHold(sitting="s1", returned=7_300)).then(
        events.HoldSettled(sitting="s1", table="table-7", brought=5_000, returned=7_300, available=12_300, held=0)
    )
    given(opened, deposited, held).when(POLICY, SettleHold(sitting="s1", returned=0)).then(
        events.HoldSettled(sitting="s1", table="table-7", brought=4_000, returned=0, available=6_000, held=0)
    )


def test_a_sitting_is_settled_once() -> None:
    over = given(opened, deposited, held, settled)
    over.when(POLICY, SettleHold(sitting="s1", returned=5_500)).then_nothing()
    over.when(POLICY, SettleHold(sitting="s1", returned=5_501)).then_rejected(Reason.SETTLEMENT_CONFLICT)
    over.when(POLICY, HoldFunds(hold="t9", sitting="s1", table="table-7", amount=1)).then_rejected(
        Reason.SITTING_IS_OVER
    )
    given(opened, deposited).when(POLICY, SettleHold(sitting="s1", returned=1)).then_rejected(Reason.UNKNOWN_SITTING)


@pytest.mark.rule("pt-811-2015", "72")
def test_the_refund_of_a_void_hand_follows_a_player_who_had_gone() -> None:
    home = events.HoldSettled(
        sitting="s1", table="table-7", brought=0, returned=400, available=11_900, held=0, settlement="table-7/90"
    )
    over = given(opened, deposited, held, settled)
    over.when(POLICY, SettleHold(sitting="s1", returned=400, settlement="table-7/90")).then(home)
    again = given(opened, deposited, held, settled, home)
    again.when(POLICY, SettleHold(sitting="s1", returned=400, settlement="table-7/90")).then_nothing()
    again.when(POLICY, SettleHold(sitting="s1", returned=401, settlement="table-7/90")).then_rejected(
        Reason.SETTLEMENT_CONFLICT
    )
    again.when(POLICY, SettleHold(sitting="s1", returned=5_500)).then_nothing()


def test_other_sittings_stay_held() -> None:
    elsewhere = events.FundsHeld(hold="s2", sitting="s2", table="table-8", amount=1_000, available=5_000, held=5_000)
    account = given(opened, deposited, held, elsewhere).when(POLICY, SettleHold(sitting="s1", returned=4_000)).account()
    assert (account.available, account.held) == (9_000, 1_000)


def test_a_top_up_that_failed_after_the_sitting_was_settled_still_comes_home() -> None:
    over = events.HoldSettled(sitting="s1", table="table-7", brought=5_000, returned=4_000, available=9_000, held=0)
    home = events.HoldReleased(
        hold="t1", sitting="s1", table="table-7", amount=1_000, available=10_000, held=0, reason="left"
    )
    given(opened, deposited, held, topped_up, over).when(POLICY, ReleaseHold(hold="t1", reason="left")).then(home)
    given(opened, deposited, held, topped_up, over, home).when(
        POLICY, ReleaseHold(hold="t1", reason="left")
    ).then_nothing()


def test_a_buy_in_that_was_settled_never_comes_home_a_second_time() -> None:
    given(opened, deposited, held, settled).when(POLICY, ReleaseHold(hold="s1", reason="lapsed")).then_nothing()


def test_nothing_is_known_of_an_account_that_was_not_opened() -> None:
    for command in (HOLD, ReleaseHold(hold="s1", reason="x"), SettleHold(sitting="s1", returned=1)):
        given().when(POLICY, command).then_rejected(Reason.UNKNOWN_ACCOUNT)
