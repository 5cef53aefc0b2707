"""How much may be bet and how often raised: pt-217-2007 19, 21, 47, 86 to 88, FP-2."""

from libs.contracts.poker_events import (
    BetPlaced,
    BlindPosted,
)
from tests.table.casino.play import (
    CASINO_HOLDEM,
    CASINO_OMAHA,
    SINTETICO,
    STREETS,
    h6,
    is_refused,
    led,
    o6,
    p1_first,
    refused,
    rule,
    to_flop,
)
from tests.table.casino.test_casino_rulebooks import accepted, refusals
from tests.table.live.play import LiveTable
from tests.table.play import TableUnderTest
from tests.testkit.cases import Case, each_case


def pot_of_3000(structure: str) -> TableUnderTest:
    """On the flop, P1 to act, three players left, nothing bet."""
    first = 450 if structure == "limit_half_pot" else 700
    table = h6(structure=structure).plays(f"3 raise {first}", "4 fold", "5 fold", "6 fold", "1 call", "2 raise 1000")
    return table.plays("3 call", "1 call")


@rule("19/1")
def test_no_bet_below_the_minimum(case: Case) -> None:
    table = to_flop(h6(big_blind=case["minimum"], buy_in=case["stack"] + case["minimum"]), 1, 2, 3)
    assert (table.hand.street, table.stacks[1]) == (STREETS[case.int("round") - 1], case["stack"])
    assert is_refused(table, 1, "bet", case["refused"], "below_min", "86")
    table.plays(f"1 bet {case['taken']}")


@rule("19/2")
def test_an_all_in_may_be_below_the_minimum_and_is_no_bet_to_double(case: Case) -> None:
    brought = case.int("left") + case.int("minimum")
    table = TableUnderTest(CASINO_HOLDEM, buy_in_min=brought, buy_in_max=20_000, big_blind=case["minimum"])
    led(table.seat(2, 3, 4, 5, 6, amount=20_000).seat(1, amount=brought), 1)
    to_flop(table, 1, 2, 3).plays(f"1 bet {case['left']}")
    assert table.hand.players[1].all_in
    assert is_refused(table, 2, "raise", case["refused"], "below_min")
    table.plays(f"2 raise {case['taken']}")
    assert table.hand.raises == case["raises"]


@each_case("pt-217-2007", "21.a/1", "21.b/1")
def test_half_the_pot_or_all_of_it(case: Case) -> None:
    half = case["most"] < case["pot"]
    table = pot_of_3000("limit_half_pot" if half else "pot_limit")
    if half:
        assert table.state.rules.betting.big_blind == case["minimum"]
    assert (table.hand.street, table.hand.pot) == (STREETS[case.int("round") - 1], case["pot"])
    assert is_refused(table, 1, "bet", case["over"], "above_max", "21.a" if half else "21.b")
    table.plays(f"1 bet {case['most']}")


@rule("21.a/2")
def test_half_the_pot_counts_the_call_first(case: Case) -> None:
    table = h6(structure="limit_half_pot")
    assert [event.amount for event in table.of(BlindPosted)] == case["posts"]
    assert (table.hand.street, table.hand.pot) == (STREETS[case.int("round") - 1], case["pot"])
    assert table.legal[1] == case["call"]
    assert case["pot"] + case["call"] == case["called"] == 2 * case["half"]
    assert is_refused(table, 3, "raise", case["over"], "above_max", "21.a")
    table.plays(f"3 raise {case['most']}")
    assert table.hand.bet == case["call"] + case["half"]


@rule("21.a/3")
def test_half_a_reduced_pot_is_never_below_the_minimum(case: Case) -> None:
    table = LiveTable(1, 2, 3, 4, 5, structure="limit_half_pot", big_blind=case["minimum"]).stack_pack("")
    table.begin(1, unposted=[2]).deal_holes()
    assert table.report("PE-91") is None
    assert table.rule_on("reduced_pot") is None
    table.plays("3 fold", "4 fold", "5 fold", "1 call", "2 check").burn().turn_up(3)
    assert (table.hand.street, table.hand.pot) == (STREETS[case.int("round") - 1], case["pot"])
    assert case["pot"] // 2 == case["half"] < case["most"]
    assert is_refused(table, 1, "bet", case["over"], "above_max", "21.a")
    table.plays(f"1 bet {case['most']}")


@rule("21.c/1")
def test_the_stack(case: Case) -> None:
    table = h6()
    assert (table.hand.pot, table.stacks[3]) == (case["pot"], case["stack"])
    assert is_refused(table, 3, "raise", case["over"], "above_max", "21.c")
    table.plays(f"3 raise {case['to']}")
    assert table.hand.players[3].all_in


@rule("47/1")
def test_the_cap_of_a_variant_is_there_without_asking_and_is_no_other(case: Case) -> None:
    for rulebook in (CASINO_HOLDEM, CASINO_OMAHA):
        assert accepted(rulebook).betting.raise_cap == case["cap"]
        assert accepted(rulebook, raise_cap=case["cap"]).betting.raise_cap == case["cap"]
        assert refusals(rulebook, raise_cap=case["refused"]) == [("raise_cap", f"pt-217-2007#{case['rule']}")]
    profile = {"ante": 50, "kind": "demo"}
    assert accepted(SINTETICO, **profile).betting.raise_cap is None
    for cap in (case["cap"], case["refused"]):
        assert refusals(SINTETICO, **profile, raise_cap=cap)[0] == ("raise_cap", "pt-217-2007#S.11")


@rule("47/2", "88")
def test_raises_are_unlimited_when_only_two_are_left(case: Case) -> None:
    first, second, third = case.ints("raises")
    table = h6().plays(f"3 raise {first}", f"4 raise {second}", f"5 raise {third}", "6 fold", "1 fold", "2 fold")
    table.plays("3 fold", f"4 raise {case['again']}", "5 raise 1200", "4 raise 1400")
    assert table.hand.raises == 6


@rule("86/1")
def test_the_last_bet_counts_twice(case: Case) -> None:
    table = to_flop(o6(big_blind=case["minimum"]), 1, 2, 3)
    assert table.state.rules.betting.pot_multiplier == case["multiplier"]
    assert (table.hand.street, table.hand.pot) == (STREETS[case.int("round") - 1], case["pot"])
    table.plays(f"1 bet {case['bet']}")
    assert case["most"] - case["bet"] == case["over_call"] == case["pot"] + case["multiplier"] * case["bet"]
    state = table.state
    for taken in (case["least"], case["most"]):
        table.state = state
        assert is_refused(table, 2, "raise", case["below"], "below_min", "86")
        assert is_refused(table, 2, "raise", case["over"], "above_max", "21.b")
        table.plays(f"2 raise {taken}")


@rule("86/2")
def test_the_last_bet_counts_once_or_three_times(case: Case) -> None:
    chosen = zip(case.ints("multiplier"), case.ints("counted"), case.ints("most"), strict=True)
    for multiplier, counted, most in chosen:
        table = to_flop(o6(pot_multiplier=multiplier), 1, 2, 3)
        assert table.hand.pot == case["pot"]
        table.plays(f"1 bet {case['bet']}")
        assert most == case["bet"] + case["pot"] + counted
        assert refused(table, 2, "raise", most + 1) == "above_max"
        table.plays(f"2 raise {most}")


@rule("86/3")
def test_callers_count_in_the_pot(case: Case) -> None:
    table = to_flop(o6(), 1, 2, 3)
    assert (table.hand.street, table.hand.pot) == (STREETS[case.int("round") - 1], case["pot"])
    table.plays(f"1 bet {case['bet']}", "2 call")
    assert (table.hand.pot, case["most"] - case["bet"]) == (case["bets"], case["over_call"])
    assert is_refused(table, 3, "raise", case["over"], "above_max")
    table.plays(f"3 raise {case['most']}")


@rule("86/4")
def test_the_first_raise_of_a_pot_limit_hand_counts_the_blinds(case: Case) -> None:
    table = o6()
    assert [event.amount for event in table.of(BlindPosted)] == case["posts"]
    assert (table.hand.street, table.hand.pot) == (STREETS[case.int("round") - 1], case["pot"])
    _, call, _, most = table.legal
    assert (call, most) == (case["call"], case["most"])
    assert case["pot"] + case["call"] == case["called"] == case["most"] - case["call"]
    table.plays(f"3 raise {case['most']}")


@rule("86/5")
def test_the_next_raise_adds_the_minimum_however_large_the_one_before(case: Case) -> None:
    table = o6(big_blind=case["minimum"]).plays(f"3 raise {case['first']}", "4 fold", "5 fold", "6 fold")
    assert case["again"] - case["first"] == case["minimum"]
    table.plays(f"1 raise {case['again']}")
    assert table.hand.raises == 2


@rule("87/1")
def test_three_raises_in_the_first_round(case: Case) -> None:
    first, second, third = case.ints("raises")
    table = o6()
    assert table.hand.street == STREETS[case.int("round") - 1]
    table.plays(f"3 raise {first}", "4 call", "5 fold", "6 fold", f"1 raise {second}", "2 fold", f"3 raise {third}")
    assert is_refused(table, 4, "raise", case["refused"], "raise_cap", "87")
    table.plays("4 call")


@rule("87/2")
def test_an_opening_bet_and_three_raises(case: Case) -> None:
    table = to_flop(o6(), 1, 2, 3, 4, 5, 6)
    assert (table.hand.street, table.hand.pot) == (STREETS[case.int("round") - 1], case["pot"])
    table.plays(f"1 bet {case['bet']}", *(f"{n} raise {to}" for n, to in enumerate(case.ints("raises"), 2)))
    for seat in (5, 6, 1, 2, 3):
        assert is_refused(table, seat, "raise", case["refused"], "raise_cap", "87")
        table.plays(f"{seat} fold" if seat == 6 else f"{seat} call")
    assert {player.committed - 200 for player in table.hand.alive} == {case["call"]}
    assert (table.hand.street, table.hand.raises) == (STREETS[case.int("next") - 1], case["count"])


def two_raises(case: Case, stack_of_4: int) -> TableUnderTest:
    """Round 2 of six who called: P1 bets, P3 raises, P4 calls, P1 raises again."""
    table = TableUnderTest(CASINO_OMAHA, buy_in_min=1_000, buy_in_max=20_000)
    led(table.seat(1, 2, 3, 5, 6, amount=20_000).seat(s4=stack_of_4), 1)
    table.plays("3 call", "4 call", "5 call", "6 call", "1 call", "2 check")
    assert (table.hand.street, table.hand.pot) == ("flop", case["pot"])
    first, second, third = case.ints("raises")
    table.plays(f"1 bet {case['bet']}", "2 fold", f"3 raise {first}", "4 call", "5 fold", "6 fold", f"1 raise {second}")
    return table.plays(f"3 raise {third}")


@rule("88/1", "47")
def test_a_fold_that_leaves_two_lifts_the_cap(case: Case) -> None:
    table = two_raises(case, 20_000)
    assert table.hand.street == STREETS[case.int("round") - 1]
    table.plays("4 fold", f"1 raise {case['again']}")
    assert table.hand.raises == case["number"]


@rule("88/2")
def test_an_all_in_player_is_still_in_play(case: Case) -> None:
    table = two_raises(case, case.int("all_in") + 200)
    assert (table.turn, table.hand.players[4].all_in, table.hand.left) == (1, True, 3)
    assert is_refused(table, 1, "raise", case["again"], "raise_cap", "87")


@rule("FP-2/1")
def test_a_short_all_in_reopens_nothing(case: Case) -> None:
    table = p1_first(s3=case["all_in"]).plays(f"1 raise {case['first']}", "2 call", f"3 raise {case['all_in']}")
    assert case["all_in"] - case["first"] == case["more"] < case["minimum"] == table.state.rules.betting.big_blind
    table.plays("4 fold", "5 call", "6 fold")
    assert (table.turn, table.legal, table.hand.raises) == (1, (False, case["owed"], None, None), case["raises"])
    assert is_refused(table, 1, "raise", 1000, "not_reopened", "FP-2")
    table.plays("1 call")


@rule("FP-2/2")
def test_a_full_raise_after_it_does(case: Case) -> None:
    table = p1_first(s3=case["all_in"]).plays(f"1 raise {case['first']}", "2 call", f"3 raise {case['all_in']}")
    table.plays("4 fold", f"5 raise {case['again']}", "6 fold")
    assert case["again"] - case["all_in"] == case["full"]
    table.plays("1 raise 1400")


@rule("FP-2/3")
def test_two_short_all_ins_together_do(case: Case) -> None:
    second, third = case.ints("all_ins")
    table = p1_first(s2=second, s3=third).plays(f"1 raise {case['first']}", f"2 raise {second}", f"3 raise {third}")
    table.plays("4 call", "5 fold", "6 fold")
    assert table.hand.players[4].in_round == case["call"]
    assert case["faces"] >= case["minimum"] == table.state.rules.betting.big_blind
    assert (table.turn, table.legal[1:3], table.hand.raises) == (1, (case["faces"], case["least"]), case["raises"])
    table.plays(f"1 raise {case['least']}")


@rule("FP-2/4", "87")
def test_no_all_in_goes_over_the_cap(case: Case) -> None:
    table = p1_first(s4=case["stack"]).plays("1 raise 700", "2 raise 1100", f"3 raise {case['bet']}")
    assert (table.turn, table.hand.raises, table.hand.players[4].in_round) == (4, case["raises"], 0)
    assert is_refused(table, 4, "raise", case["stack"], "raise_cap", "87")
    table.plays("4 call")
    (bet,) = table.of(BetPlaced)
    assert bet.to == case["bet"]
