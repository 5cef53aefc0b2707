"""Topping up: bounds, never during a hand, whole or not at all."""

import pytest

from libs.contracts.table_events import TopUpAdded, TopUpFailed
from tests.table.play import TableUnderTest


def portugal(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-811-2015", *refs)


def two(**stacks: int) -> TableUnderTest:
    table = TableUnderTest(buy_in_min=1000, buy_in_max=10_000)
    return table.with_stacks(**(stacks or {"s1": 6500, "s2": 10_000, "s3": 3000}))


def test_the_order_of_reasons() -> None:
    table = two()
    assert table.top_up(9, 10**9) == "not_seated"
    table.deal(button=1)
    table.leave(2)
    assert table.top_up(2, 10**9) == "leaving"
    assert table.top_up(1, 10**9, table.sitting) == "top_up_used"
    assert table.top_up(1, 3501, "u1") == "above_ceiling"
    assert table.top_up(1, 100, "u1") is None
    assert table.top_up(1, 100, "u2") == "top_up_pending"


@portugal("2.q")
def test_up_to_the_ceiling() -> None:
    table = two()
    assert table.top_up(1, 3501) == "above_ceiling"
    assert table.refused is not None
    assert table.refused.rule == "pt-811-2015#2.q"
    assert table.top_up(1, 3500) is None
    assert table.names == ["TopUpRequested", "TopUpDue"]
    assert table.stacks[1] == 6500
    assert table.confirm_top_up() is None
    assert table.stacks[1] == 10_000
    assert table.confirm_top_up() == "no_such_top_up"


@portugal("2.q")
def test_the_ceiling_is_for_what_is_left_after_the_commission() -> None:
    table = TableUnderTest(rake_mode="buy_in", rake_bp=1_000).seat(1)
    assert (table.stacks[1], table.state.rules.entry.top_up_to) == (9_000, 10_000)
    assert table.top_up(1, 1_112) == "above_ceiling"
    assert table.top_up(1, 1_111) is None
    assert table.confirm_top_up() is None
    assert table.stacks[1] == 10_000, "111 of commission"


@portugal("11.b", "2.j")
@pytest.mark.parametrize("how", ["in the hand", "folded", "on a break"])
def test_during_a_hand_it_is_kept(how: str) -> None:
    table = two()
    if how == "on a break":
        table.seat(4, amount=3000)
        table.sit_out(4, on_break=True)
    table.deal(button=1)
    asker = {"in the hand": 3, "folded": 1, "on a break": 4}[how]
    if how == "folded":
        table.plays("1 fold")
    assert table.top_up(asker, 2000) is None
    assert table.names == ["TopUpRequested"]
    table.folds_round()
    assert "TopUpDue" in table.names
    assert table.names.index("HandEnded") < table.names.index("TopUpDue")


@portugal("11.b")
def test_a_kept_top_up_fails_as_a_whole() -> None:
    table = two().deal(button=1)
    table.top_up(3, 7000)
    table.plays("1 raise 300", "2 fold", "3 raise 900", "1 call", "3 check", "1 fold")
    (failed,) = table.of(TopUpFailed)
    assert (failed.reason, failed.seat) == ("above_ceiling", 3)
    assert table.stacks[3] > 3000


@portugal("11.b")
def test_the_wallet_refuses() -> None:
    table = two()
    table.top_up(3, 7000)
    assert table.fail_top_up() is None
    (failed,) = table.of(TopUpFailed)
    assert failed.reason == "reserve_refused"
    assert table.stacks[3] == 3000
    assert table.top_up(3, 7000, "u2") is None


@portugal("11.b")
def test_funded_while_a_hand_runs_is_added_after_it() -> None:
    table = two()
    table.top_up(3, 7000)
    table.deal(button=1)
    assert table.confirm_top_up() is None
    assert table.names == ["TopUpFunded"]
    assert table.stacks[3] == 2900
    table.plays("1 fold", "2 fold")
    (failed,) = table.of(TopUpFailed)
    assert failed.reason == "above_ceiling"
    table = two()
    table.top_up(3, 5000)
    table.deal(button=1)
    table.confirm_top_up()
    table.plays("1 fold", "2 fold")
    (added,) = table.of(TopUpAdded)
    assert added.stack == 3050 + 5000


def test_a_leaver_s_top_up_fails() -> None:
    table = two()
    table.top_up(3, 5000)
    table.leave(3)
    assert table.names == ["TopUpFailed", "PlayerLeft"]
    assert table.confirm_top_up() == "no_such_top_up"
