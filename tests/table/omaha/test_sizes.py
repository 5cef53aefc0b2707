"""How much may be bet in each of the four structures (24), and how often it may be raised (38)."""

import pytest

from tests.table.omaha.play import game, offered, portugal
from tests.table.play import TableUnderTest
from tests.table.test_rulebooks import accepted, rules_broken
from tests.testkit.cases import Case

OMAHA = "pt-811-2015-omaha"


@portugal("24/1")
def test_a_table_has_one_of_four_structures(case: Case) -> None:
    allowed = case.read("allowed", list[str])
    for structure in (..., allowed[:2], "spread_limit", "pot_limit_with_raise_cap"):
        assert rules_broken(OMAHA, structure=structure) == [("structure", "pt-811-2015#24")]
    for structure in allowed:
        assert accepted(OMAHA, structure=structure).betting.structure == structure


def refuses(table: TableUnderTest, to: int, reason: str, rule: str) -> None:
    """A round total that the turn may not go to."""
    seat = table.turn or 0
    assert table.act(seat, "raise", to) == reason
    assert table.refused is not None
    assert table.refused.rule == f"pt-811-2015#{rule}"


def takes(table: TableUnderTest, to: int) -> None:
    assert table.act(table.turn or 0, "raise", to) is None, table.refused


@portugal("24.a/1")
def test_half_pot_before_the_flop(case: Case) -> None:
    small, big = case.ints("blinds")
    table = game(1, range(1, case.int("players") + 1), "limit_half_pot", small_blind=small, big_blind=big)
    assert table.hand.pot == case["pot"]
    assert table.legal == (False, case["call"], case["least"], case["most"])
    refuses(table, case["above"], "above_max", "24.a")
    takes(table, case["most"])


@portugal("24.a/2")
def test_half_pot_for_a_first_bet(case: Case) -> None:
    table = game(1, (1, 2, 3), "limit_half_pot", big_blind=200).plays("1 raise 450", "2 call", "3 fold")
    assert table.hand.pot == case["pot"]
    refuses(table, case["above"], "above_max", "24.a")
    takes(table, case["most"])


@portugal("24.a/3")
def test_half_pot_for_a_raise(case: Case) -> None:
    table = game(1, (1, 2, 3), "limit_half_pot", big_blind=200).plays("1 raise 450", "2 call", "3 fold")
    table.plays("2 check", "1 bet 550", "2 call")
    assert table.hand.pot == case["pot"]
    table.plays(f"2 bet {case['bet']}")
    assert table.hand.pot == case["with_bet"]
    assert case["with_bet"] + case["call"] == case["called"]
    assert table.legal == (False, case["call"], case["least"], case["most"])
    refuses(table, case["most"] + 1, "above_max", "24.a")
    takes(table, case["most"])


@portugal("24.a/4")
def test_half_of_an_odd_pot_is_rounded_down(case: Case) -> None:
    table = game(1, (1, 2, 3, 4), "limit_half_pot", small_blind=33, big_blind=case["minimum"])
    table.plays("4 call", "1 call", "2 fold", "3 check")
    table.plays("3 check", "4 check", "1 check")
    assert (table.hand.street, table.hand.pot) == ("turn", case["pot"])
    refuses(table, case["most"] + 1, "above_max", "24.a")
    takes(table, case["most"])


@portugal("24.a/5")
def test_raise_count_before_the_flop(case: Case) -> None:
    table = game(
        1, range(1, case.int("players") + 1), "limit_raise_count", raise_cap=case["cap"], big_blind=case["minimum"]
    )
    refuses(table, case.ints("to")[0] + 1, "above_max", "24.a")
    for to in case.ints("to"):
        takes(table, to)
    refuses(table, case["refused"], case["why"], "38")
    assert offered(table) == {"fold", "call"}


@portugal("24.a/6")
def test_raise_count_on_the_turn_doubles_the_bet(case: Case) -> None:
    table = game(
        1, range(1, case.int("players") + 1), "limit_raise_count", raise_cap=case["cap"], big_blind=case["minimum"]
    )
    table.plays("1 call", "2 call", "3 check", "2 check", "3 check", "1 check")
    assert table.hand.street == "turn"
    refuses(table, case["minimum"], "below_min", "23")
    takes(table, case["bet"])
    for to in case.ints("to"):
        takes(table, to)
    refuses(table, case["refused"], "raise_cap", "38")


@portugal("24.b/1")
def test_pot_limit_before_the_flop(case: Case) -> None:
    small, big = case.ints("blinds")
    for players in (3, 6):
        table = game(1, range(1, players + 1), "pot_limit", small_blind=small, big_blind=big)
        assert table.hand.pot == case["pot"]
        assert table.legal == (False, case["call"], case["least"], case["most"])
        refuses(table, case["above"], "above_max", "24.b")
        takes(table, case["most"])


@portugal("24.b/2")
def test_pot_limit_over_a_raise(case: Case) -> None:
    small, big = case.ints("blinds")
    table = game(1, (1, 2, 3, 4), "pot_limit", small_blind=small, big_blind=big)
    takes(table, case["raise"])
    assert table.hand.pot == case["pot"]
    assert table.legal == (False, case["raise"], case["least"], case["most"])
    refuses(table, case["most"] + 1, "above_max", "24.b")
    takes(table, case["most"])


@portugal("24.b/3")
def test_pot_limit_heads_up(case: Case) -> None:
    small, big = case.ints("blinds")
    table = game(1, (1, 2), "pot_limit", small_blind=small, big_blind=big)
    assert (table.turn, table.hand.players[1].in_round, table.hand.pot) == (1, case["in"], case["pot"])
    refuses(table, case["most"] + 1, "above_max", "24.b")
    takes(table, case["most"])


def three_in_the_middle(last: int = 10**6) -> TableUnderTest:
    """Pot limit, on the flop: 3650 in the pot of seats 3, 4 and 1; seat 3 has `last` left."""
    table = game(1, {1: 10**6, 2: 10**6, 3: 1200 + last, 4: 10**6}, "pot_limit")
    return table.plays("4 raise 350", "1 raise 1200", "2 fold", "3 call", "4 call")


@portugal("24.b/4")
def test_pot_limit_over_a_bet_of_the_pot(case: Case) -> None:
    table = three_in_the_middle()
    assert table.hand.pot == case["pot"]
    table.plays("3 check", f"4 bet {case['bet']}")
    assert table.hand.pot == case["with_bet"]
    refuses(table, case["above"], "above_max", "24.b")
    takes(table, case["most"])


@portugal("24.b/5")
def test_pot_limit_over_a_smaller_bet(case: Case) -> None:
    table = game(1, (1, 2, 3), "pot_limit").plays("1 raise 200", "2 call", "3 call")
    table.plays("2 bet 600", "3 call", "1 call", "2 bet 400", "3 call", "1 call")
    assert (table.hand.street, table.hand.pot) == ("river", case["pot"])
    table.plays(f"2 bet {case['bet']}")
    assert table.hand.pot == case["with_bet"]
    refuses(table, case["most"] + 1, "above_max", "24.b")
    takes(table, case["most"])


@portugal("24.b/6")
def test_pot_limit_for_a_first_bet(case: Case) -> None:
    table = game(1, range(1, 6), "pot_limit").plays("4 call", "5 call", "1 call", "2 call", "3 check")
    assert table.hand.pot == case["pot"]
    refuses(table, case["above"], "above_max", "24.b")
    takes(table, case["most"])


@portugal("24.b/7")
def test_pot_limit_and_an_all_in_within_it(case: Case) -> None:
    table = three_in_the_middle(last=case["left"]).plays("3 check", "4 bet 3650")
    assert table.legal[2:] == (case["least"], case["most"]), "of a player with enough"
    table.plays("1 call")
    assert (table.turn, table.legal[2]) == (3, case["least"])
    takes(table, case["left"])
    assert (table.hand.bet, table.stacks[3], table.hand.players[3].all_in) == (case["left"], 0, True)


@portugal("24.b/8")
def test_pot_limit_after_a_short_all_in(case: Case) -> None:
    stacks = dict.fromkeys((1, 3, 4, 5), 5000) | {2: case["minimum"] + case["all_in"]}
    table = game(1, stacks, "pot_limit", big_blind=case["minimum"])
    table.plays("4 call", "5 call", "1 call", "2 call", "3 check")
    assert table.hand.pot == case["pot"]
    table.plays(f"2 bet {case['all_in']}")
    assert (table.hand.pot, table.hand.players[2].all_in) == (case["with_bet"], True)
    assert table.legal == (False, case["all_in"], case["least"], case["most"])


@portugal("24.c/1")
def test_no_limit_is_the_stack(case: Case) -> None:
    blind = 200
    table = game(1, {1: 10**5, 2: case["stack"] + blind, 3: 10**5, 4: 10**5}, big_blind=blind)
    table.plays("4 call", "1 call", "2 call", "3 check")
    assert table.hand.pot == case["pot"]
    refuses(table, case["above"], "above_max", "24.c")
    takes(table, case["stack"])
    assert (table.stacks[2], table.hand.players[2].all_in) == (0, True)


@portugal("24.c/2")
def test_what_the_opponent_cannot_match_comes_back(case: Case) -> None:
    table = game(1, {1: case["stack"], 2: case["left"]}).plays(f"1 raise {case['stack']}", "2 call")
    (back,) = [event for event in table.told if type(event).__name__ == "UncalledBetReturned"]
    assert (back.seat, back.amount) == (1, case["returned"])
    (ended,) = [event for event in table.told if type(event).__name__ == "HandEnded"]
    assert [result.staked for result in ended.results] == [case["left"]] * 2


@portugal("38/1")
def test_the_cap_on_raises(case: Case) -> None:
    table = game(1, range(1, case.int("players") + 1), "limit_raise_count", raise_cap=case["cap"])
    table.plays("4 call", "1 call", "2 call", "3 check", "2 bet 100")
    for number in range(case.int("cap")):
        takes(table, 200 + 100 * number)
    refuses(table, 200 + 100 * case["cap"], case["why"], "38")


@pytest.mark.parametrize(
    ("acts", "taken"),
    [
        pytest.param(("3 raise 200", "1 fold", "2 raise 300", "3 raise 400"), True, marks=portugal("38/2")),
        pytest.param(("3 raise 200", "1 raise 300", "2 raise 400", "3 fold"), False, marks=portugal("38/3")),
    ],
)
def test_two_are_in_before_or_after_the_cap_is_reached(case: Case, acts: tuple[str, ...], taken: bool) -> None:
    table = game(1, (1, 2, 3), "limit_raise_count", raise_cap=case["cap"])
    table.plays("1 call", "2 call", "3 check", "2 bet 100", *acts)
    assert table.hand.raises == case["cap"] == case["tried"] - 1
    if taken:
        takes(table, 100 + 100 * case["tried"])
    else:
        refuses(table, 100 + 100 * case["tried"], "raise_cap", "38")


def fixed_flop(case: Case) -> TableUnderTest:
    """A is seat 1, B seat 2 with the case's all-in, C seat 3 and asked."""
    table = game(
        3,
        {1: 5000, 2: case["minimum"] + case["all_in"], 3: 5000},
        "limit_raise_count",
        big_blind=case["minimum"],
        raise_cap=case["cap"],
    )
    table.plays("3 call", "1 call", "2 check", f"1 bet {case['bet']}", f"2 raise {case['all_in']}")
    assert (table.turn, table.legal[1]) == (3, case["all_in"])
    return table


@portugal("38/4")
def test_fixed_limit_after_less_than_half_a_bet(case: Case) -> None:
    table = fixed_flop(case)
    assert (offered(table), table.legal[2:]) == ({"fold", "call", "raise"}, (case["complete"],) * 2)
    called = fixed_flop(case).plays("3 call")
    assert (called.turn, called.legal[1], offered(called)) == (1, case["call"], {"fold", "call"})
    refuses(called, case["complete"], "not_reopened", "37")
    takes(table, case["complete"])
    assert table.hand.raises == 1


@portugal("38/5")
def test_fixed_limit_after_half_a_bet(case: Case) -> None:
    table = fixed_flop(case)
    assert (offered(table), table.legal[2:]) == ({"fold", "call", "raise"}, (case["raise"],) * 2)
    table.plays("3 call")
    assert (table.turn, table.legal[1]) == (1, case["call"])
    assert (offered(table), table.legal[2:]) == ({"fold", "call", "raise"}, (case["raise"],) * 2)
    assert case["cap"] - table.hand.raises == case["left"]


@portugal("38/6")
def test_pot_limit_has_no_cap(case: Case) -> None:
    table = game(1, dict.fromkeys((1, 2, 3), 10**7), "pot_limit")
    table.plays("1 call", "2 call", "3 check", "2 bet 100")
    for _ in range(case.int("made")):
        takes(table, table.legal[2] or 0)
    assert table.hand.raises == case["made"] == case["tried"] - 1
    takes(table, table.legal[2] or 0)
