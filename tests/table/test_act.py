"""What a player may do on a turn: order of refusals, sizes of each structure, reopening, caps."""

from typing import Any

import pytest

from libs.contracts.messages import Principal
from libs.contracts.poker_events import BetPlaced, BlindPosted, PlayerChecked, PlayerFolded
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


@portugal("34", "34.b", "34.c")
def test_fold_check_call_raise() -> None:
    table = TableUnderTest().seat(1, 2, 3).deal(button=1)
    assert table.legal == (False, 100, 200, 350)
    assert table.act(1, "check") == "cannot_check"
    assert table.refused is not None
    assert table.refused.rule == "pt-811-2015#34.b"
    table.plays("1 call", "2 call")
    assert table.legal == (True, None, 200, 400)
    assert table.act(3, "call") == "nothing_to_call"
    table.plays("3 check")
    assert table.hand.street == "flop"
    assert table.act(2, "call") == "nothing_to_call"


@portugal("34.a", "35")
def test_folding_with_nothing_owed() -> None:
    table = TableUnderTest().seat(1, 2, 3).deal(button=1).plays("1 call", "2 call", "3 check", "2 fold")
    assert [event.actor for event in table.of(PlayerFolded)] == ["player"]
    assert table.turn == 3


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


@portugal("2.k", "39")
def test_all_in_for_less_than_a_call() -> None:
    table = stacked_game(1, s1=10_000, s2=10_000, s3=10_000, s4=1500).plays("4 call", "1 raise 2000", "2 call")
    table.plays("3 fold")
    assert table.legal == (False, 1400, None, None)
    table.plays("4 call")
    (bet,) = [event for event in table.told if isinstance(event, BetPlaced) and event.seat == 4 and event.all_in]
    assert (bet.amount, bet.to, bet.stack) == (1400, 1500, 0)
    assert table.turn == 2


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


@portugal("24.a")
@pytest.mark.parametrize(
    ("acts", "legal"),
    [
        ((), (False, 200, 400, 450)),
        (("1 raise 450", "2 call", "3 fold"), (True, None, 200, 550)),
        (("1 raise 450", "2 call", "3 fold", "2 check", "1 bet 550", "2 call"), (True, None, 200, 1100)),
        (
            ("1 raise 450", "2 call", "3 fold", "2 check", "1 bet 550", "2 call", "2 bet 1000"),
            (False, 1000, 2000, 3100),
        ),
    ],
)
def test_half_pot(acts: tuple[str, ...], legal: tuple[Any, ...]) -> None:
    table = big_game(3, structure="limit_half_pot", big_blind=200).plays(*acts)
    assert table.legal == legal
    assert legal[3] is not None
    assert table.act(table.turn or 0, "raise", legal[3] + 1) == "above_max"
    assert table.refused is not None
    assert table.refused.rule == "pt-811-2015#24.a"


@portugal("24.a")
def test_half_of_an_odd_pot_is_rounded_down() -> None:
    table = big_game(4, structure="limit_half_pot", small_blind=33).plays("4 call", "1 call", "2 fold", "3 check")
    assert table.hand.pot == 333
    assert table.legal == (True, None, 100, 166)


@portugal("24.a", "38")
def test_raise_count_and_its_cap() -> None:
    table = big_game(4, structure="limit_raise_count", big_blind=200)
    assert table.act(4, "raise", 500) == "above_max"
    table.plays("4 raise 400", "1 raise 600", "2 raise 800")
    assert table.act(3, "raise", 1000) == "raise_cap"
    assert table.refused is not None
    assert table.refused.rule == "pt-811-2015#38"
    assert table.legal == (False, 600, None, None)


@portugal("24.a")
def test_raise_count_doubles_on_the_turn() -> None:
    table = big_game(3, structure="limit_raise_count", big_blind=200)
    table.plays("1 call", "2 call", "3 check", "2 check", "3 check", "1 check")
    assert table.act(2, "bet", 200) == "below_min"
    table.plays("2 bet 400", "3 raise 800", "1 raise 1200", "2 raise 1600")
    assert table.act(3, "raise", 2000) == "raise_cap"


@portugal("38")
def test_the_cap_is_lifted_heads_up_only_before_it_is_reached() -> None:
    game: dict[str, Any] = {"structure": "limit_raise_count", "big_blind": 200}
    table = big_game(3, **game).plays("1 call", "2 call", "3 check")
    table.plays("2 bet 200", "3 raise 400", "1 fold", "2 raise 600", "3 raise 800")
    assert table.legal == (False, 200, 1000, 1000)
    table = big_game(3, **game).plays("1 call", "2 call", "3 check")
    table.plays("2 bet 200", "3 raise 400", "1 raise 600", "2 raise 800", "3 fold")
    assert table.act(1, "raise", 1000) == "raise_cap"
    table = big_game(3, raise_cap_lifted_heads_up=False, **game).plays("1 fold", "2 call", "3 check")
    table.plays("2 bet 200", "3 raise 400", "2 raise 600", "3 raise 800")
    assert table.act(2, "raise", 1000) == "raise_cap"


@portugal("38")
def test_fixed_limit_short_all_ins_under_and_from_half_a_bet() -> None:
    def flop(stack_of_b: int) -> TableUnderTest:
        table = stacked_game(3, "limit_raise_count", 200, s1=5000, s2=200 + stack_of_b, s3=5000)
        return table.plays("3 call", "1 call", "2 check", "1 bet 200", "2 raise " + str(stack_of_b))

    under = flop(290)
    assert (under.turn, under.legal) == (3, (False, 290, 400, 400))
    under.plays("3 call")
    assert (under.turn, under.legal) == (1, (False, 90, None, None))
    assert under.act(1, "raise", 400) == "not_reopened"
    half = flop(300)
    assert half.legal == (False, 300, 500, 500)
    half.plays("3 call")
    assert (half.turn, half.legal, half.hand.raises) == (1, (False, 100, 500, 500), 1)


@portugal("38")
def test_no_cap_in_the_other_structures() -> None:
    for structure in ("pot_limit", "no_limit"):
        table = big_game(3, structure=structure).plays("1 call", "2 call", "3 check", "2 bet 100")
        for raise_number in range(1, 9):
            seat = table.turn
            assert table.act(seat or 0, "raise", table.legal[2]) is None, raise_number


@portugal("24.b")
@pytest.mark.parametrize(
    ("acts", "legal"),
    [
        ((), (False, 100, 200, 350)),
        (("4 raise 350",), (False, 350, 600, 1200)),
        (("4 raise 350", "1 fold", "2 fold", "3 fold"), None),
    ],
)
def test_pot_limit_before_the_flop(acts: tuple[str, ...], legal: tuple[Any, ...] | None) -> None:
    table = big_game(4).plays(*acts)
    if legal is None:
        assert table.state.hand is None
        return
    assert table.legal == legal
    assert legal[3] is not None
    assert table.act(table.turn or 0, "raise", legal[3] + 1) == "above_max"
    assert table.refused is not None
    assert table.refused.rule == "pt-811-2015#24.b"


@portugal("24.b")
def test_pot_limit_heads_up_and_all_in_below_the_minimum() -> None:
    assert big_game(2).legal == (False, 50, 200, 300)
    table = stacked_game(1, "pot_limit", s1=100_000, s2=100_000, s3=9000 + 1200, s4=100_000)
    table.plays("4 raise 350", "1 raise 1200", "2 fold", "3 call", "4 call", "3 check", "4 bet 3650", "1 raise 14600")
    assert table.legal == (False, 9000, None, None)
    table = stacked_game(1, "pot_limit", s1=100_000, s2=100_000, s3=9000 + 1200, s4=100_000)
    table.plays("4 raise 350", "1 raise 1200", "2 fold", "3 call", "4 call", "3 check", "4 bet 3650", "1 call")
    assert table.legal == (False, 3650, 7300, 9000)


@portugal("24.c")
def test_no_limit_is_the_stack_and_the_rest_comes_back() -> None:
    table = stacked_game(2, s1=20_000, s2=3000)
    table.plays("2 call", "1 check")
    assert table.legal == (True, None, 100, 19_900)
    assert table.act(1, "bet", 19_901) == "above_max"
    assert table.refused is not None
    assert table.refused.rule == "pt-811-2015#24.c"
    table.plays("1 bet 19900", "2 call")
    (returned,) = [event for event in table.told if type(event).__name__ == "UncalledBetReturned"]
    assert (returned.seat, returned.amount) == (1, 17_000)


@portugal("37")
def test_a_short_all_in_does_not_reopen() -> None:
    # A = 2, B = 3 (short), C = 1; button 1.
    table = stacked_game(1, s1=5000, s2=5000, s3=800).plays("1 call", "2 call", "3 check", "2 bet 500", "3 raise 700")
    table.plays("1 call")
    assert (table.turn, table.legal) == (2, (False, 200, None, None))
    assert table.act(2, "raise", 1400) == "not_reopened"
    assert table.refused is not None
    assert table.refused.rule == "pt-811-2015#37"


@portugal("37")
def test_a_full_raise_after_it_reopens() -> None:
    table = stacked_game(1, s1=5000, s2=5000, s3=800).plays("1 call", "2 call", "3 check", "2 bet 500", "3 raise 700")
    table.plays("1 raise 1200")
    assert table.legal[2] == 1700


@portugal("37")
def test_short_all_ins_count_together() -> None:
    # A = 2, B = 3 (700), C = 4 (1000), D = 1.
    table = stacked_game(1, s1=9000, s2=9000, s3=800, s4=1100)
    table.plays("4 call", "1 call", "2 call", "3 check", "2 bet 500", "3 raise 700", "4 raise 1000", "1 call")
    assert (table.turn, table.legal[2]) == (2, 1500)


@portugal("37")
def test_for_each_player_it_counts_from_the_own_last_act() -> None:
    # A = 2, B = 3 (700), D = 4, C = 1 (1000): A calls 1000, D faces only 300 more.
    table = stacked_game(1, s1=1100, s2=9000, s3=800, s4=9000)
    table.plays("4 call", "1 call", "2 call", "3 check", "2 bet 500", "3 raise 700", "4 call", "1 raise 1000", "2 call")
    assert (table.turn, table.legal) == (4, (False, 300, None, None))


@portugal("37")
def test_posting_is_not_acting() -> None:
    table = stacked_game(1, s1=9000, s2=9000, s3=9000, s4=9000, s5=150)
    table.plays("4 call", "5 raise 150", "1 fold", "2 fold")
    assert (table.turn, table.legal[1:3]) == (3, (50, 250))
    table.plays("3 call")
    assert (table.turn, table.legal) == (4, (False, 50, None, None))


@portugal("37")
def test_a_check_before_a_short_bet_is_an_act() -> None:
    # A = 2 checks, B = 3 all-in 60, C = 1 calls.
    table = stacked_game(1, s1=9000, s2=9000, s3=160).plays("1 call", "2 call", "3 check", "2 check", "3 bet 60")
    table.plays("1 call")
    assert (table.turn, table.legal) == (2, (False, 60, None, None))


@portugal("37")
def test_no_raise_that_nobody_could_answer() -> None:
    table = stacked_game(3, s1=2000, s2=5000, s3=20_000).plays("3 call", "1 raise 2000", "2 raise 5000")
    assert table.legal == (False, 4900, None, None)
    assert table.act(3, "raise", 20_000) == "nobody_to_answer"


@portugal("37")
def test_who_has_not_enough_for_the_bet_cannot_answer_a_raise() -> None:
    table = stacked_game(4, s1=900, s2=1000, s3=2000, s4=20_000).plays("3 raise 2000")
    assert (table.turn, table.legal) == (4, (False, 2000, None, None))
    assert table.act(4, "raise", 20_000) == "nobody_to_answer"
    enough = stacked_game(4, s1=900, s2=2001, s3=2000, s4=20_000).plays("3 raise 2000")
    assert (enough.turn, enough.legal) == (4, (False, 2000, 3900, 20_000))


@portugal("37")
def test_an_all_in_must_fit_the_limit() -> None:
    table = stacked_game(1, "pot_limit", s1=5000, s2=5000, s3=5000, s4=5000).plays("4 raise 350")
    assert table.act(1, "raise", 5000) == "above_max"


@portugal("52")
def test_less_than_the_big_blind_is_no_call() -> None:
    table = stacked_game(4, "pot_limit", s1=250, s2=5000, s3=5000, s4=5000)
    assert table.act(3, "raise", 99) == "below_min"
    table.plays("3 raise 350", "4 fold")
    assert table.legal == (False, 200, None, None)


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
