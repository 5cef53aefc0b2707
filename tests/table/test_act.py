"""What a player may do on a turn: order of refusals, sizes of each structure, reopening, caps."""

from typing import Any

import pytest

from libs.contracts.messages import Principal
from libs.contracts.poker_events import BetPlaced, BlindPosted, PlayerChecked
from tests.table.play import MACAU, TableUnderTest
from tests.testkit.cases import Case


def portugal(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-811-2015", *refs)


def macau(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("mo-97-2010", *refs)


def big_game(players: int, button: int = 1, rulebook: str = "pt-811-2015-omaha", **changes: Any) -> TableUnderTest:
    """Deep stacks, the hand dealt."""
    deep = {"buy_in_min": 10_000, "buy_in_max": 10**7, "top_up_to": 10**7}
    table = TableUnderTest(rulebook, **(deep | changes))
    return table.seat(*range(1, players + 1), amount=changes.get("buy_in_max", 10**6)).deal(button=button)


def stacked_game(button: int, structure: str = "no_limit", big_blind: int = 100, **stacks: int) -> TableUnderTest:
    table = TableUnderTest(
        structure=structure, big_blind=big_blind, buy_in_min=big_blind, buy_in_max=10**6, top_up_to=10**6
    )
    return table.with_stacks(**stacks).deal(button=button)


def test_the_order_of_refusals() -> None:
    """The first row is wrong in every way; each row mends one thing and meets the next reason."""
    table = TableUnderTest().seat(1, 2, 3)
    assert table.act(2, "check", 7, hand=9, turn=5) == "no_hand"
    table.deal(button=1)
    turn = table.hand.turn
    assert turn is not None
    stranger = Principal("player", "p9")
    assert table.act(2, "check", 7, hand=9, turn=5, by=stranger) == "wrong_hand"
    assert table.act(2, "check", 7, turn=5, by=stranger) == "not_your_seat"
    assert table.act(2, "check", 7, turn=5) == "stale_turn"
    assert table.act(2, "check", 7, turn=turn.version) == "not_your_turn"
    table.now = turn.bank_until + 1
    assert table.act(1, "check", 7, turn=turn.version) == "too_late"
    table.now = turn.bank_until
    assert table.act(1, "check", 7, turn=turn.version) == "cannot_check"
    assert table.act(1, "fold", 7, turn=turn.version) == "amount_not_asked"
    assert table.act(1, "raise", turn=turn.version) == "amount_missing"
    assert table.act(1, "raise", 351, turn=turn.version) == "above_max"
    assert table.act(1, "raise", 199, turn=turn.version) == "below_min"
    assert table.act(1, "raise", 200, turn=turn.version) is None
    assert table.act(1, "raise", 200, turn=turn.version) == "stale_turn"


@portugal("20/1", "21")
def test_only_blinds_are_compulsory(case: Case) -> None:
    table = TableUnderTest(small_blind=case["small"], big_blind=case["big"]).seat(1, 2, 3).deal(button=1)
    posts = [(post.blind, post.compulsory, post.amount) for post in table.of(BlindPosted)]
    assert posts == [("small", True, case["small"]), ("big", True, case["big"])]
    bets = []
    for line in ("1 call", f"2 raise {case['raise']}"):
        table.plays(line)
        bets += [(bet.act, bet.compulsory, bet.to) for bet in table.of(BetPlaced)]
    assert bets == [("call", False, case["call"]), ("raise", False, case["raise"])]


@portugal("22/1")
def test_the_blinds_of_a_hand(case: Case) -> None:
    table = big_game(3, big_blind=case["minimum"], small_blind=case["small"])
    assert [post.amount for post in table.of(BlindPosted)] == case["posts"]


@portugal("23/1")
def test_no_bet_below_the_minimum(case: Case) -> None:
    minimum, stack = case.int("minimum"), case.int("stack")
    table = stacked_game(1, big_blind=minimum, s1=10_000, s2=minimum + stack, s3=10_000)
    table.plays("1 call", "2 call", "3 check")
    assert table.act(2, "bet", case["below"]) == "below_min"
    assert table.refused is not None
    assert table.refused.rule == "pt-811-2015#23"
    assert table.act(2, "bet", case["least"]) is None
    (bet,) = table.of(BetPlaced)
    assert (bet.amount, bet.stack) == (case["least"], stack - case["least"])


@portugal("23/2")
def test_a_stack_below_the_minimum_is_bet_whole(case: Case) -> None:
    minimum, stack = case.int("minimum"), case.int("stack")
    table = stacked_game(1, big_blind=minimum, s1=10_000, s2=minimum + stack, s3=10_000)
    table.plays("1 call", "2 call", "3 check")
    assert table.act(2, "bet", stack) is None
    (bet,) = table.of(BetPlaced)
    assert (bet.amount, bet.all_in) == (stack, True)


@portugal("23/3")
def test_a_raise_is_at_least_the_bet(case: Case) -> None:
    table = big_game(3, structure="no_limit").plays("1 call", "2 call", "3 check")
    table.plays(f"2 bet {case['bet']}")
    assert table.act(3, "raise", case["below"]) == "below_min"
    assert table.act(3, "raise", case["least"]) is None


@portugal("23/4")
def test_a_raise_is_at_least_the_last_one(case: Case) -> None:
    small, big = case.ints("blinds")
    table = big_game(4, structure="no_limit", small_blind=small, big_blind=big)
    table.plays(f"{case['seat']} raise {case['raise']}")
    assert table.act(1, "raise", case["below"]) == "below_min"
    assert table.act(1, "raise", case["least"]) is None
    assert case["least"] == case["raise"] + case["last"]


@portugal("23/5")
def test_a_raise_after_a_short_opening_all_in(case: Case) -> None:
    minimum, short = case.int("minimum"), case.int("all_in")
    table = stacked_game(1, big_blind=minimum, s1=5000, s2=minimum + short, s3=5000)
    table.plays("1 call", "2 call", "3 check", f"2 bet {short}")
    assert table.act(3, "raise", case["below"]) == "below_min"
    assert table.act(3, "raise", case["least"]) is None


@portugal("23", "24.b")
def test_after_a_short_opening_all_in() -> None:
    table = stacked_game(1, "pot_limit", s1=5000, s2=310, s3=5000)
    table.plays("1 raise 250", "2 call", "3 fold")
    assert (table.turn, table.legal) == (2, (True, None, 60, 60))
    table.plays("2 bet 60")
    assert table.legal == (False, 60, None, None)  # nobody is left who could answer a raise
    table = stacked_game(1, "pot_limit", s1=5000, s2=160, s3=5000, s4=5000, s5=5000)
    table.plays("4 call", "5 call", "1 call", "2 call", "3 check", "2 bet 60")
    assert table.legal == (False, 60, 160, 60 + 560 + 60)


@portugal("38")
def test_a_house_that_does_not_lift_the_cap_heads_up() -> None:
    game: dict[str, Any] = {"structure": "limit_raise_count", "big_blind": 200}
    table = big_game(3, raise_cap_lifted_heads_up=False, **game).plays("1 fold", "2 call", "3 check")
    table.plays("2 bet 200", "3 raise 400", "2 raise 600", "3 raise 800")
    assert table.act(2, "raise", 1000) == "raise_cap"


@portugal("24.b")
def test_pot_limit_heads_up_and_all_in_below_the_minimum() -> None:
    assert big_game(2).legal == (False, 50, 200, 300)
    table = stacked_game(1, "pot_limit", s1=100_000, s2=100_000, s3=9000 + 1200, s4=100_000)
    table.plays("4 raise 350", "1 raise 1200", "2 fold", "3 call", "4 call", "3 check", "4 bet 3650", "1 raise 14600")
    assert table.legal == (False, 9000, None, None)
    table = stacked_game(1, "pot_limit", s1=100_000, s2=100_000, s3=9000 + 1200, s4=100_000)
    table.plays("4 raise 350", "1 raise 1200", "2 fold", "3 call", "4 call", "3 check", "4 bet 3650", "1 call")
    assert table.legal == (False, 3650, 7300, 9000)


@portugal("37")
def test_who_has_not_enough_for_the_bet_cannot_answer_a_raise() -> None:
    table = stacked_game(4, s1=900, s2=1000, s3=2000, s4=20_000).plays("3 raise 2000")
    assert (table.turn, table.legal) == (4, (False, 2000, None, None))
    assert table.act(4, "raise", 20_000) == "nobody_to_answer"
    enough = stacked_game(4, s1=900, s2=2001, s3=2000, s4=20_000).plays("3 raise 2000")
    assert (enough.turn, enough.legal) == (4, (False, 2000, 3900, 20_000))


@macau("6.3.1", "6.3.2", "6.4", "11.2.2", "11.2.3")
def test_macau_limit_game_before_the_flop() -> None:
    table = big_game(5, 2, MACAU)
    assert (table.turn, table.legal) == (5, (False, 1000, 2000, 3500))
    assert table.act(5, "raise", 3501) == "above_max"
    assert table.refused is not None
    assert table.refused.rule == "mo-97-2010#11.2.3"
    table.plays("5 raise 3500", "1 fold")
    assert table.legal == (False, 3500, 6000, 12_000)
    table.plays("2 raise 12000", "3 fold")
    assert table.legal == (False, 11_000, 20_500, 40_000)
    table.plays("4 raise 40000")
    assert table.act(5, "raise", 100_000) == "raise_cap"
    assert table.refused is not None
    assert table.refused.rule == "mo-97-2010#12.2"


@macau("6.4")
def test_macau_big_blind_decides_last() -> None:
    table = big_game(5, 2, MACAU).plays("5 call", "1 call", "2 fold", "3 fold")
    assert (table.turn, table.legal) == (4, (True, None, 2000, 4500))
    table = big_game(5, 2, MACAU).plays("5 raise 3500", "1 fold", "2 fold", "3 fold")
    assert table.legal == (False, 2500, 6000, 11_000)


@macau("7.3.1", "7.3.2", "7.3.3")
def test_macau_after_the_flop() -> None:
    table = big_game(3, 1, MACAU).plays("1 raise 2000", "2 call", "3 call")
    assert table.legal == (True, None, 1000, 6000)
    assert table.act(2, "bet", 999) == "below_min"
    assert table.act(2, "bet", 6001) == "above_max"
    table.plays("2 bet 2000")
    assert table.act(3, "check") == "cannot_check"
    assert table.refused is not None
    assert table.refused.rule == "mo-97-2010#7.3.2"
    assert table.legal[:3] == (False, 2000, 4000)


@macau("12.1")
def test_macau_only_raises_of_this_round_count() -> None:
    table = big_game(3, 1, MACAU, structure="no_limit").plays("1 raise 28000", "2 fold", "3 call", "3 bet 1000")
    assert table.legal[2] == 2000


@macau("12.2")
def test_macau_short_all_ins_do_not_count_as_raises() -> None:
    # A = 2, B = 3, C = 4, D = 1 all-in 7000; pot 10,000 on the flop.
    deep = {"buy_in_min": 2000, "buy_in_max": 10**7, "top_up_to": 10**7}
    table = TableUnderTest(MACAU, **deep).with_stacks(s1=9500, s2=10**6, s3=10**6, s4=10**6).deal(button=1)
    table.plays("4 raise 2500", "1 call", "2 call", "3 call")
    table.plays("2 bet 2000", "3 raise 4000", "4 raise 6000", "1 raise 7000", "2 raise 9000")
    assert table.act(3, "raise", 11_000) == "raise_cap"


@macau("12.2", "12.4")
def test_macau_cap_counts_anew_each_round_and_heads_up() -> None:
    table = big_game(3, 1, MACAU).plays("1 raise 2000", "2 raise 3000", "3 raise 4000", "1 call", "2 call")
    table.plays("2 bet 1000")
    assert table.legal[2] == 2000
    table.plays("3 fold", "1 raise 2000", "2 raise 3000", "1 raise 4000")
    assert table.legal[2] == 5000
    table = big_game(2, 1, MACAU, raise_cap_lifted_heads_up=False).plays("1 call", "2 check")
    table.plays("2 bet 1000", "1 raise 2000", "2 raise 3000", "1 raise 4000")
    assert table.act(2, "raise", 5000) == "raise_cap"


@macau("12.4")
@pytest.mark.parametrize("unlimited", [False, True])
def test_macau_heads_up_size_switch(unlimited: bool) -> None:
    table = big_game(2, 1, MACAU, heads_up_size_unlimited=unlimited).plays("1 call", "2 check")
    assert table.legal[3] == table.hand.pot  # the first bet stays under 11.2.1
    table.plays("2 bet 1000")
    assert table.legal[3] == (999_000 if unlimited else 1000 + 3000 + 1000)


@macau("11.1")
def test_an_accepted_act_is_final() -> None:
    table = big_game(3, 1, MACAU).plays("1 raise 2000")
    assert table.act(1, "fold") == "not_your_turn"


@portugal("45")
def test_checks_by_the_house_say_so() -> None:
    table = TableUnderTest().seat(1, 2, 3).deal(button=1).plays("1 call", "2 call").time_out()
    (checked,) = table.of(PlayerChecked)
    assert (checked.seat, checked.actor, checked.reason) == (3, "house", "timeout")
