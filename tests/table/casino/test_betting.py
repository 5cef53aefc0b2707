"""Who may do what and for how much: pt-217-2007 19, 21, 36 to 40, 42 to 48, 84 to 88, FP-2, FP-7."""

import pytest

from libs.contracts.poker_events import (
    BetPlaced,
    CardsShown,
    DecisionAwaited,
    PotAwarded,
    StreetDealt,
    UncalledBetReturned,
)
from tests.table.casino.play import CASINO_OMAHA, casino, h6, led, o6, refused, rule, to_flop
from tests.table.play import TableUnderTest


def pot_of_3000(structure: str) -> TableUnderTest:
    """On the flop, P1 to act, three players left, nothing bet."""
    first = 450 if structure == "limit_half_pot" else 700
    table = h6(structure=structure).plays(f"3 raise {first}", "4 fold", "5 fold", "6 fold", "1 call", "2 raise 1000")
    table.plays("3 call", "1 call")
    assert (table.hand.pot, table.turn) == (3000, 1)
    return table


@rule("9.b", "36", "37", "84")
def test_round_and_turn_are_told_to_everybody() -> None:
    table = h6()
    (awaited,) = table.of(DecisionAwaited)
    assert (awaited.seat, awaited.street) == (3, "preflop")
    table.plays("3 raise 600")
    (bet,), (awaited,) = table.of(BetPlaced), table.of(DecisionAwaited)
    assert table.last == [bet, awaited]
    assert ((bet.seat, bet.act, bet.to), awaited.seat) == ((3, "raise", 600), 4)


@rule("37")
def test_the_turn_says_what_is_open() -> None:
    table = h6().plays("3 fold")
    (awaited,) = table.of(DecisionAwaited)
    legal = awaited.legal
    assert (awaited.seat, legal.call, legal.min_to, legal.max_to) == (4, 200, 400, 20_000)


@rule("36", "84", "39.b")
def test_the_first_round_goes_from_the_left_of_the_big_blind_round_to_him() -> None:
    table = h6()
    order = []
    while table.hand.street == "preflop":
        assert table.turn is not None
        order.append(table.turn)
        assert table.act(table.turn, "check" if table.legal[0] else "call") is None
    assert order == [3, 4, 5, 6, 1, 2]


@rule("84")
def test_of_four_the_lead_acts_when_the_two_after_the_big_blind_have_folded() -> None:
    table = led(casino(1, 2, 3, 4), 1).plays("3 fold", "4 fold")
    assert table.turn == 1
    table.plays("1 call")
    assert table.turn == 2


@rule("42", "44", "46", "85")
def test_later_rounds_begin_with_the_lead_player() -> None:
    table = to_flop(h6(), 1, 2, 3, 4, 5, 6)
    for street in ("flop", "turn", "river"):
        order = []
        while table.state.hand is not None and table.hand.street == street:
            assert table.turn is not None
            order.append(table.turn)
            assert table.act(table.turn, "check") is None
        assert order == [1, 2, 3, 4, 5, 6]


@rule("42", "44", "46")
def test_without_the_lead_the_next_clockwise_opens() -> None:
    table = to_flop(h6(), 2, 4, 6)
    for street in ("flop", "turn", "river"):
        assert (table.hand.street, table.turn, table.hand.bet, table.hand.raises) == (street, 2, 0, 0)
        table.plays("2 check", "4 check", "6 check")


@rule("46")
def test_no_betting_when_one_is_all_in() -> None:
    table = TableUnderTest("pt-217-2007-holdem", buy_in_min=1_000, buy_in_max=20_000)
    led(table.seat(1, 3, 4, 5, 6, amount=20_000).seat(s2=1_000), 1)
    table.plays("3 fold", "4 fold", "5 fold", "6 raise 1000", "1 fold", "2 call")
    assert [event.street for event in table.of(StreetDealt)] == ["flop", "turn", "river"]
    assert not table.of(DecisionAwaited)
    assert table.state.hand is None


@rule("FP-7", "85")
def test_two_left_keep_the_order_with_the_lead_first() -> None:
    table = to_flop(h6(), 1, 2)
    for street in ("flop", "turn", "river"):
        assert (table.hand.street, table.turn) == (street, 1)
        table.plays("1 check", "2 check")


@rule("19")
def test_no_bet_below_the_minimum() -> None:
    table = to_flop(h6(), 1, 2, 3)
    assert refused(table, 1, "bet", 199) == "below_min"
    assert table.refused is not None
    assert table.refused.rule == "pt-217-2007#86"
    table.plays("1 bet 200")


@rule("19", "FP-2")
def test_an_all_in_may_be_below_the_minimum_and_is_no_bet_to_double() -> None:
    table = TableUnderTest("pt-217-2007-holdem", buy_in_min=350, buy_in_max=20_000)
    led(table.seat(2, 3, 4, 5, 6, amount=20_000).seat(s1=350), 1)
    to_flop(table, 1, 2, 3).plays("1 bet 150")
    assert refused(table, 2, "raise", 349) == "below_min"
    table.plays("2 raise 350")
    assert table.hand.raises == 1


@rule("21.a")
def test_half_the_pot() -> None:
    table = pot_of_3000("limit_half_pot")
    assert refused(table, 1, "bet", 1501) == "above_max"
    assert table.refused is not None
    assert table.refused.rule == "pt-217-2007#21.a"
    table.plays("1 bet 1500")


@rule("21.a")
def test_half_the_pot_counts_the_call_first() -> None:
    table = h6(structure="limit_half_pot")
    assert refused(table, 3, "raise", 451) == "above_max"
    table.plays("3 raise 450")


@rule("21.b", "86")
def test_the_pot() -> None:
    table = pot_of_3000("pot_limit")
    assert refused(table, 1, "bet", 3001) == "above_max"
    assert table.refused is not None
    assert table.refused.rule == "pt-217-2007#21.b"
    table.plays("1 bet 3000")


@rule("21.c", "39.d")
def test_the_stack() -> None:
    table = h6()
    assert refused(table, 3, "raise", 20_001) == "above_max"
    assert table.refused is not None
    assert table.refused.rule == "pt-217-2007#21.c"
    table.plays("3 raise 20000")
    assert table.hand.players[3].all_in


@rule("39.a", "54")
def test_a_fold_gives_up_bets_and_claims_and_shows_nothing() -> None:
    table = h6().plays("3 raise 600", "4 call", "5 fold", "6 fold", "1 fold", "2 fold")
    table.plays("3 bet 1000", "4 fold")
    assert table.stacks[4] == 19_400
    assert all(4 not in award.eligible for award in table.of(PotAwarded, everything=True))
    assert not table.of(CardsShown, everything=True)


@rule("39.b")
def test_a_check_only_where_nobody_has_bet() -> None:
    table = to_flop(h6(), 1, 2, 3).plays("1 check", "2 bet 500")
    assert refused(table, 3, "check") == "cannot_check"
    assert table.refused is not None
    assert (table.refused.rule, table.refused.detail) == ("pt-217-2007#39.b", "500 to call")
    table.plays("3 fold")
    assert refused(table, 1, "check") == "cannot_check"
    table.plays("1 call")


@rule("39.b")
@pytest.mark.parametrize("act", ["check", "raise 600"])
def test_the_big_blind_has_its_option(act: str) -> None:
    table = h6().plays("3 call", "4 call", "5 call", "6 call", "1 call")
    table.plays(f"2 {act}")


@rule("39.b")
def test_the_lead_covers_the_big_blind_before_it_checks() -> None:
    table = h6().plays("3 call", "4 call", "5 call", "6 call")
    assert refused(table, 1, "check") == "cannot_check"
    assert table.refused is not None
    assert table.refused.detail == "100 to call"


@rule("39.c")
def test_a_call_is_exactly_what_is_owed() -> None:
    table = h6().plays("3 raise 600", "4 fold", "5 fold", "6 fold", "1 call")
    (bet,) = table.of(BetPlaced)
    assert (bet.amount, bet.to, bet.stack) == (500, 600, 19_400)


@rule("39.c", "49", "FP-2")
def test_who_has_less_calls_with_all_of_it() -> None:
    table = TableUnderTest("pt-217-2007-holdem", buy_in_min=350, buy_in_max=20_000)
    led(table.seat(1, 2, 3, 5, 6, amount=20_000).seat(s4=350), 1).plays("3 raise 600", "4 call")
    (bet,) = table.of(BetPlaced)
    assert (bet.amount, bet.all_in) == (350, True)


@rule("39.d")
def test_a_raise_adds_at_least_the_minimum() -> None:
    table = h6()
    assert refused(table, 3, "raise", 399) == "below_min"
    table.plays("3 raise 600")
    assert (table.stacks[3], table.hand.bet, table.hand.raises) == (19_400, 600, 1)


@rule("40")
def test_after_a_raise_everybody_decides_again() -> None:
    table = h6().plays("3 call", "4 raise 600")
    order = []
    while table.hand.street == "preflop":
        assert table.turn is not None
        order.append(table.turn)
        assert table.act(table.turn, "call") is None
    assert order == [5, 6, 1, 2, 3]


@rule("55")
def test_a_new_decision_at_the_next_turn_may_raise_again() -> None:
    table = h6().plays("3 raise 600", "4 raise 1200", "5 fold", "6 fold", "1 fold", "2 fold")
    table.plays("3 raise 2400")


@rule("47", "88")
def test_raises_are_unlimited_when_only_two_are_left() -> None:
    table = h6().plays("3 raise 400", "4 raise 600", "5 raise 800", "6 fold", "1 fold", "2 fold", "3 fold")
    table.plays("4 raise 1000", "5 raise 1200", "4 raise 1400")
    assert table.hand.raises == 6


@rule("86")
@pytest.mark.parametrize(("multiplier", "most"), [(1, 1400), (2, 1800), (3, 2200)])
def test_the_last_bet_counts_once_twice_or_three_times(multiplier: int, most: int) -> None:
    table = to_flop(o6(pot_multiplier=multiplier), 1, 2, 3).plays("1 bet 400")
    assert refused(table, 2, "raise", 599) == "below_min"
    assert table.legal == (False, 400, 600, most)
    assert refused(table, 2, "raise", most + 1) == "above_max"
    table.plays(f"2 raise {most}")


@rule("86")
def test_the_least_raise_is_accepted() -> None:
    to_flop(o6(), 1, 2, 3).plays("1 bet 400", "2 raise 600")


@rule("86")
def test_callers_count_in_the_pot() -> None:
    table = to_flop(o6(), 1, 2, 3).plays("1 bet 400", "2 call")
    assert refused(table, 3, "raise", 2201) == "above_max"
    table.plays("3 raise 2200")


@rule("86")
def test_the_first_raise_of_a_pot_limit_hand_goes_to_700_and_the_next_adds_the_minimum() -> None:
    table = o6()
    assert table.legal == (False, 200, 400, 700)
    table.plays("3 raise 700", "4 fold", "5 fold", "6 fold", "1 raise 900")
    assert table.hand.raises == 2


@rule("87")
def test_three_raises_in_the_first_round() -> None:
    table = o6().plays("3 raise 700", "4 call", "5 fold", "6 fold", "1 raise 900", "2 fold", "3 raise 1500")
    assert refused(table, 4, "raise", 2500) == "raise_cap"
    assert table.refused is not None
    assert table.refused.rule == "pt-217-2007#87"
    table.plays("4 call")


@rule("87")
def test_an_opening_bet_and_three_raises() -> None:
    table = to_flop(o6(), 1, 2, 3, 4, 5, 6)
    assert table.hand.pot == 1200
    table.plays("1 bet 500", "2 raise 700", "3 raise 900", "4 raise 1100")
    for seat in (5, 6, 1, 2, 3):
        assert refused(table, seat, "raise", 1300) == "raise_cap"
        table.plays(f"{seat} call")
    assert (table.hand.street, table.hand.raises) == ("turn", 0)


def _two_raises(stack_of_4: int) -> TableUnderTest:
    table = TableUnderTest(CASINO_OMAHA, buy_in_min=1_000, buy_in_max=20_000)
    led(table.seat(1, 2, 3, 5, 6, amount=20_000).seat(s4=stack_of_4), 1)
    table.plays("3 call", "4 call", "5 call", "6 call", "1 call", "2 check")
    return table.plays("1 bet 400", "2 fold", "3 raise 800", "4 call", "5 fold", "6 fold", "1 raise 1200")


@rule("88", "47")
def test_a_fold_that_leaves_two_lifts_the_cap() -> None:
    table = _two_raises(20_000).plays("3 raise 1600", "4 fold", "1 raise 2000")
    assert table.hand.raises == 4


@rule("88")
def test_an_all_in_player_is_still_in_play() -> None:
    table = _two_raises(1_000).plays("3 raise 1600")
    assert table.turn == 1
    assert refused(table, 1, "raise", 2000) == "raise_cap"


def _p1_first(**stacks: int) -> TableUnderTest:
    """Lead on seat 5: P1 acts first; the others have 20000."""
    table = TableUnderTest("pt-217-2007-holdem", buy_in_min=300, buy_in_max=20_000)
    rest = [seat for seat in range(1, 7) if f"s{seat}" not in stacks]
    return led(table.seat(*rest, amount=20_000).seat(**stacks), 5)


@rule("FP-2")
def test_a_short_all_in_reopens_nothing() -> None:
    table = _p1_first(s3=600).plays("1 raise 450", "2 call", "3 raise 600", "4 fold", "5 call", "6 fold")
    assert (table.turn, table.legal[1], table.hand.raises) == (1, 150, 1)
    assert refused(table, 1, "raise", 1000) == "not_reopened"
    table.plays("1 call")


@rule("FP-2")
def test_a_full_raise_after_it_does() -> None:
    table = _p1_first(s3=600).plays("1 raise 450", "2 call", "3 raise 600", "4 fold", "5 raise 1000", "6 fold")
    table.plays("1 raise 1400")


@rule("FP-2")
def test_two_short_all_ins_together_do() -> None:
    table = _p1_first(s2=550, s3=700).plays("1 raise 450", "2 raise 550", "3 raise 700", "4 call", "5 fold", "6 fold")
    assert (table.turn, table.legal[2], table.hand.raises) == (1, 900, 1)
    table.plays("1 raise 900")


@rule("FP-2", "87")
def test_no_all_in_goes_over_the_cap() -> None:
    table = _p1_first(s4=1600).plays("1 raise 700", "2 raise 1100", "3 raise 1500")
    assert (table.turn, len(table.hand.alive), table.hand.raises) == (4, 6, 3)
    assert refused(table, 4, "raise", 1600) == "raise_cap"
    table.plays("4 call")


@rule("48")
def test_a_round_does_not_close_while_somebody_owes() -> None:
    table = h6().plays("3 raise 600", "4 fold", "5 call", "6 fold", "1 fold")
    assert (table.hand.street, table.turn) == ("preflop", 2)
    table.plays("2 call")
    assert table.hand.street == "flop"
    assert {player.committed for player in table.hand.alive} == {600}


@rule("51", "FP-1")
def test_who_is_left_takes_the_pot_without_showing() -> None:
    table = h6(rake_bp=500).plays("3 raise 800", "4 call", "5 fold", "6 fold", "1 call", "2 fold")
    table.plays("1 check", "3 bet 1200", "4 fold", "1 fold")
    (returned,) = table.of(UncalledBetReturned)
    assert returned.amount == 1200
    assert table.names[-3:] == ["UncalledBetReturned", "PotAwarded", "HandEnded"]
    assert table.stacks[3] == 19_200 + 2_600 - 130


@rule("9.e")
def test_nobody_acts_out_of_turn() -> None:
    table = h6()
    assert refused(table, 5, "raise", 800) == "not_your_turn"


@rule("9.f", "52", "38")
def test_the_pot_is_the_sum_of_what_was_put_in() -> None:
    table = h6().plays("3 raise 600", "4 call", "5 fold", "6 fold", "1 fold", "2 fold")
    assert table.hand.pot == 600 + 600 + 100 + 200
    assert sum(table.stacks.values()) + table.hand.pot == 120_000
    assert (table.stacks[4], table.hand.players[4].committed) == (19_400, 600)
