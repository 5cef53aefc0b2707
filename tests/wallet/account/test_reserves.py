"""Money for a seat: reserved once, released once, settled once; in whatever order the table's answers come."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts import wallet_events as events
from libs.contracts.messages import Principal
from libs.contracts.wallet_commands import AccountReason as Reason
from libs.contracts.wallet_commands import ReleaseFunds, ReserveFunds, SettleSitting
from services.wallet.domain.account.decide import MOST_WAITING
from tests.wallet.account.given import (
    OPERATOR,
    PLAYER,
    POLICY,
    demo_opened,
    deposited,
    given,
    opened,
    reserved,
    settled,
    topped_up,
)

RELEASE = ReleaseFunds(
    reserve="s1",
    table="table-7",
    reason="lapsed",
    covered=True,
)
RESERVE = ReserveFunds(reserve="s1", sitting="s1", table="table-7", amount=4_000)


def test_funds_are_reserved_once() -> None:
    given(opened, deposited).when(POLICY, RESERVE).then(reserved)
    given(opened, deposited, reserved).when(POLICY, RESERVE).then_nothing()
    given(opened, deposited, reserved, settled).when(POLICY, RESERVE).then_nothing()
    for other in (
        ReserveFunds(reserve="s1", sitting="s1", table="table-7", amount=4_001),
        ReserveFunds(reserve="s1", sitting="s1", table="table-8", amount=4_000),
        ReserveFunds(reserve="s1", sitting="s2", table="table-7", amount=4_000),
    ):
        given(opened, deposited, reserved).when(POLICY, other).then_rejected(Reason.RESERVE_CONFLICT)


@pytest.mark.rule("pt-811-2015", "8")
def test_a_reserve_beyond_the_balance_is_refused_for_good() -> None:
    refused = events.ReserveRefused(
        reserve="s2", sitting="s2", table="table-7", amount=10_001, available=10_000, reason="insufficient_funds"
    )
    command = ReserveFunds(reserve="s2", sitting="s2", table="table-7", amount=10_001)
    more = events.FundsDeposited(reference="r2", amount=50_000, available=60_000, reserved=0, by="operator:acme")
    given(opened, deposited).when(POLICY, command).then(refused)
    given(opened, deposited, refused, more).when(POLICY, command).then_nothing()
    assert given(opened, deposited).when(POLICY, command).account().available == 10_000


@pytest.mark.parametrize("by", [PLAYER, OPERATOR])
def test_only_policies_reserve_release_and_settle(by: Principal) -> None:
    story = given(opened, deposited, reserved)
    story.when(by, ReserveFunds(reserve="s2", sitting="s2", table="table-7", amount=1)).then_rejected(
        Reason.NOT_ALLOWED
    )
    story.when(by, RELEASE).then_rejected(Reason.NOT_ALLOWED)
    story.when(by, SettleSitting(sitting="s1", table="table-7", returned=4_000, covered=True)).then_rejected(
        Reason.NOT_ALLOWED
    )


def test_a_released_reserve_goes_home_once() -> None:
    released = events.FundsReleased(
        reserve="s1",
        sitting="s1",
        table="table-7",
        amount=4_000,
        available=10_000,
        reserved=0,
        reason="lapsed",
        covered=True,
    )
    given(opened, deposited, reserved).when(POLICY, RELEASE).then(released)
    given(opened, deposited, reserved, released).when(POLICY, RELEASE).then_nothing()
    given(opened, deposited).when(POLICY, RELEASE).then_rejected(Reason.UNKNOWN_RESERVE)


def test_nothing_of_another_table_is_released_or_settled() -> None:
    """One id at two tables: by the second one's lapse the first one's chips were freed while they were played with."""
    elsewhere = given(opened, deposited, reserved)
    elsewhere.when(
        POLICY,
        ReleaseFunds(
            reserve="s1",
            table="table-8",
            reason="lapsed",
            covered=True,
        ),
    ).then_rejected(Reason.RESERVE_CONFLICT)
    elsewhere.when(POLICY, SettleSitting(sitting="s1", table="table-8", returned=0, covered=True)).then_rejected(
        Reason.UNKNOWN_SITTING
    )


def test_a_refused_reserve_has_nothing_to_release() -> None:
    refused = events.ReserveRefused(
        reserve="s1", sitting="s1", table="table-7", amount=10_001, available=10_000, reason="insufficient_funds"
    )
    given(opened, deposited, refused).when(
        POLICY, ReleaseFunds(reserve="s1", table="table-7", reason="reserve_refused", covered=True)
    ).then_nothing()


@pytest.mark.rule("pt-811-2015", "10")
def test_a_settlement_closes_every_reserve_of_the_sitting() -> None:
    given(opened, deposited, reserved, topped_up).when(
        POLICY, SettleSitting(sitting="s1", table="table-7", returned=7_300, covered=True)
    ).then(
        events.SittingSettled(
            sitting="s1", table="table-7", brought=5_000, returned=7_300, available=12_300, reserved=0, covered=True
        )
    )
    given(opened, deposited, reserved).when(
        POLICY, SettleSitting(sitting="s1", table="table-7", returned=0, covered=True)
    ).then(
        events.SittingSettled(
            sitting="s1", table="table-7", brought=4_000, returned=0, available=6_000, reserved=0, covered=True
        )
    )


def test_a_sitting_is_settled_once() -> None:
    over = given(opened, deposited, reserved, settled)
    over.when(POLICY, SettleSitting(sitting="s1", table="table-7", returned=5_500, covered=True)).then_nothing()
    over.when(POLICY, SettleSitting(sitting="s1", table="table-7", returned=5_501, covered=True)).then_rejected(
        Reason.SETTLEMENT_CONFLICT
    )
    over.when(POLICY, ReserveFunds(reserve="t9", sitting="s1", table="table-7", amount=1)).then_rejected(
        Reason.SITTING_IS_OVER
    )
    given(opened, deposited).when(
        POLICY, SettleSitting(sitting="s1", table="table-7", returned=1, covered=True)
    ).then_rejected(Reason.UNKNOWN_SITTING)


@pytest.mark.rule("pt-811-2015", "72")
def test_the_refund_of_a_void_hand_follows_a_player_who_had_gone() -> None:
    home = events.SittingSettled(
        sitting="s1",
        table="table-7",
        brought=0,
        returned=400,
        available=11_900,
        reserved=0,
        settlement="table-7/90",
        covered=True,
    )
    over = given(opened, deposited, reserved, settled)
    over.when(
        POLICY, SettleSitting(sitting="s1", table="table-7", returned=400, settlement="table-7/90", covered=True)
    ).then(home)
    again = given(opened, deposited, reserved, settled, home)
    again.when(
        POLICY, SettleSitting(sitting="s1", table="table-7", returned=400, settlement="table-7/90", covered=True)
    ).then_nothing()
    again.when(
        POLICY, SettleSitting(sitting="s1", table="table-7", returned=401, settlement="table-7/90", covered=True)
    ).then_rejected(Reason.SETTLEMENT_CONFLICT)
    again.when(POLICY, SettleSitting(sitting="s1", table="table-7", returned=5_500, covered=True)).then_nothing()


def test_other_sittings_stay_reserved() -> None:
    elsewhere = events.FundsReserved(
        reserve="s2", sitting="s2", table="table-8", amount=1_000, available=5_000, reserved=5_000
    )
    account = (
        given(opened, deposited, reserved, elsewhere)
        .when(POLICY, SettleSitting(sitting="s1", table="table-7", returned=4_000, covered=True))
        .account()
    )
    assert (account.available, account.reserved) == (9_000, 1_000)


def test_a_top_up_that_failed_after_the_sitting_was_settled_still_comes_home() -> None:
    over = events.SittingSettled(
        sitting="s1", table="table-7", brought=5_000, returned=4_000, available=9_000, reserved=0, covered=True
    )
    home = events.FundsReleased(
        reserve="t1",
        sitting="s1",
        table="table-7",
        amount=1_000,
        available=10_000,
        reserved=0,
        reason="left",
        covered=True,
    )
    given(opened, deposited, reserved, topped_up, over).when(
        POLICY, ReleaseFunds(reserve="t1", table="table-7", reason="left", covered=True)
    ).then(home)
    given(opened, deposited, reserved, topped_up, over, home).when(
        POLICY, ReleaseFunds(reserve="t1", table="table-7", reason="left", covered=True)
    ).then_nothing()


def test_a_buy_in_that_was_settled_never_comes_home_a_second_time() -> None:
    given(opened, deposited, reserved, settled).when(POLICY, RELEASE).then_nothing()


def test_nothing_is_known_of_an_account_that_was_not_opened() -> None:
    for command in (
        RESERVE,
        ReleaseFunds(reserve="s1", table="table-7", reason="x", covered=True),
        SettleSitting(sitting="s1", table="table-7", returned=1, covered=True),
    ):
        given().when(POLICY, command).then_rejected(Reason.UNKNOWN_ACCOUNT)


def test_what_a_table_alone_sends_home_is_asked_for_and_moves_nothing() -> None:
    """Of real money, a seat's reserve as chips: else it could be free, and go home as chips besides (adr/0022)."""
    chips = SettleSitting(sitting="s1", table="table-7", returned=5_000, settlement="table-7/9")
    of: dict[str, Any] = {"sitting": "s1", "table": "table-7"}
    left = events.HomeAsked(**of, amount=5_000, settlement="table-7/9")
    unplayed = events.HomeAsked(**of, amount=4_000, reserve="s1", reason="lapsed")
    for command, asked in ((chips, left), (replace(RELEASE, covered=False), unplayed)):
        given(opened, deposited, reserved).when(POLICY, command).then(asked)
        account = given(opened, deposited, reserved).when(POLICY, command).account()
        assert (account.available, account.reserved) == (6_000, 4_000)
        given(opened, deposited, reserved, asked).when(POLICY, command).then_nothing()
    more = replace(chips, returned=5_001)
    given(opened, deposited, reserved, left).when(POLICY, more).then_rejected(Reason.SETTLEMENT_CONFLICT)
    given(opened, deposited).when(POLICY, chips).then_rejected(Reason.UNKNOWN_SITTING)
    given(opened, deposited, reserved).when(POLICY, replace(chips, table="table-8")).then_rejected(
        Reason.UNKNOWN_SITTING
    )


def test_what_is_covered_comes_home_and_is_asked_for_no_more() -> None:
    of: dict[str, Any] = {"sitting": "s1", "table": "table-7"}
    asked = events.HomeAsked(**of, amount=5_000, settlement="table-7/9")
    covered = SettleSitting(sitting="s1", table="table-7", returned=5_000, settlement="table-7/9", covered=True)
    account = given(opened, deposited, reserved, asked).when(POLICY, covered).account()
    assert (account.available, account.reserved, account.asked_home) == (11_000, 0, {})
    unplayed = events.HomeAsked(**of, amount=4_000, reserve="s1", reason="lapsed")
    account = given(opened, deposited, reserved, unplayed).when(POLICY, RELEASE).account()
    assert (account.available, account.reserved, account.asked_home) == (10_000, 0, {})


def test_nothing_to_take_home_needs_no_cover() -> None:
    lost = SettleSitting(sitting="s1", table="table-7", returned=0, settlement="table-7/9")
    account = given(opened, deposited, reserved).when(POLICY, lost).account()
    assert (account.available, account.reserved) == (6_000, 0)


@pytest.mark.parametrize("sitting", ["s1", "s9"])
def test_a_top_up_is_of_who_bought_in_at_that_table(sitting: str) -> None:
    """A table that tells one under another table's sitting, or under none, holds no money by it."""
    top_up = ReserveFunds(reserve="top_up-1", sitting=sitting, table="table-8", amount=100)
    given(opened, deposited, reserved).when(POLICY, top_up).then_rejected(Reason.UNKNOWN_SITTING)
    of: dict[str, Any] = {"reserve": "top_up-1", "sitting": "s1", "table": "table-7", "amount": 100}
    told = given(opened, deposited, reserved).when(POLICY, ReserveFunds(**of))
    told.then(events.FundsReserved(**of, available=5_900, reserved=4_100))


ELSEWHERE: dict[str, Any] = {
    "reserve": "s2",
    "sitting": "s2",
    "table": "table-8",
    "available": 2_000,
    "reserved": 8_000,
}


def test_so_much_is_on_its_way_home_from_one_table_and_not_more() -> None:
    """Whoever writes with the table's marks asks for its escrow's room under as many names as he likes."""
    of: dict[str, Any] = {"sitting": "s1", "table": "table-7", "amount": 1}
    asked = [events.HomeAsked(**of, settlement=f"table-7/{number}") for number in range(MOST_WAITING)]
    one_more = SettleSitting(sitting="s1", table="table-7", returned=1, settlement="table-7/99")
    story = given(opened, deposited, reserved, replace(reserved, **ELSEWHERE), *asked)
    story.when(POLICY, one_more).then_rejected(Reason.TOO_MANY_WAITING)
    elsewhere = SettleSitting(sitting="s2", table="table-8", returned=4_000)
    story.when(POLICY, elsewhere).then(events.HomeAsked(sitting="s2", table="table-8", amount=4_000))


def test_play_money_is_free_at_once() -> None:
    told = given(demo_opened, deposited, reserved, stream="account-ann-FUN-demo").when(
        POLICY, replace(RELEASE, covered=False)
    )
    account = told.account()
    assert (account.available, account.reserved) == (10_000, 0)
