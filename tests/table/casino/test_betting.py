"""Turns and acts of the betting rounds: pt-217-2007 9, 36, 37, 39, 40, 42, 44, 46, 48, 51, 55, 84, 85, FP-1, FP-7."""

from itertools import pairwise
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from libs.cards.card import names_of
from libs.contracts.poker_events import (
    BetPlaced,
    BlindPosted,
    CardsShown,
    DecisionAwaited,
    HandEnded,
    HandStarted,
    HoleCardsDealt,
    PlayerFolded,
    PotAwarded,
    StreetDealt,
    UncalledBetReturned,
)
from libs.contracts.registry import encode_fact
from tests.table.casino.play import (
    CASINO_HOLDEM,
    STREETS,
    casino,
    h6,
    is_refused,
    led,
    p1_first,
    refused,
    rule,
    to_flop,
)
from tests.table.live.play import live_h6
from tests.table.luck import LUCK
from tests.table.play import TableUnderTest
from tests.testkit.cases import Case, each_case


def asked(table: TableUnderTest) -> list[int]:
    """Seats in the order in which they are asked in this round, everybody checking or calling."""
    street, order = table.hand.street, []
    while table.state.hand is not None and table.hand.street == street:
        assert table.turn is not None
        order.append(table.turn)
        assert table.act(table.turn, "check" if table.legal[0] else "call") is None
    return order


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


@rule("36/1")
def test_the_first_round_goes_from_the_left_of_the_big_blind_round_to_him(case: Case) -> None:
    table = h6()
    names = table.names
    assert names.index("DecisionAwaited") == names.index("HoleCardsDealt") + 1, "with the last card"
    assert table.hand.street == STREETS[case.int("round") - 1]
    assert asked(table) == case["order"]


@rule("84/1")
def test_the_seat_left_of_the_big_blind_is_first_and_the_big_blind_last(case: Case) -> None:
    table = h6()
    assert table.hand.street == STREETS[case.int("round") - 1]
    order = asked(table)
    assert (order[0], order[-1]) == (case["first"], case["last"])


@rule("84/2")
def test_of_four_the_lead_acts_when_the_two_after_the_big_blind_have_folded(case: Case) -> None:
    table = led(casino(*range(1, case.int("players") + 1)), 1)
    for _ in range(case["fold"]):
        table.plays(f"{table.turn} fold")
    assert asked(table) == [table.hand.small_blind, table.hand.big_blind]


@rule("85/1")
def test_later_rounds_begin_with_the_lead_player(case: Case) -> None:
    table = to_flop(h6(), *case.ints("order"))
    for number in case.ints("rounds"):
        assert (table.hand.street, number) == (STREETS[number - 1], max(number, case.int("after") + 1))
        assert asked(table) == case["order"]


@rule("FP-7/1")
def test_two_left_keep_the_order_with_the_lead_first(case: Case) -> None:
    table = to_flop(h6(lead=case["first"]), *case.ints("left"))
    asked(table)
    for number in case.ints("rounds"):
        assert (table.hand.street, table.turn) == (STREETS[number - 1], case["first"])
        asked(table)


@rule("42/1")
def test_without_the_lead_the_next_clockwise_opens(case: Case) -> None:
    table = to_flop(h6(lead=case["lead"]), *case.ints("remain"))
    assert table.hand.players[case["lead"]].folded
    assert table.hand.street == STREETS[case.int("round") - 1]
    assert asked(table) == case["remain"]


@each_case("pt-217-2007", "44/1", "46/1")
def test_a_later_round_opens_with_nothing_bet_and_no_raise_counted(case: Case) -> None:
    remain = case.ints("remain")
    first, second, third = remain
    table = to_flop(h6(lead=case["lead"]), *remain)
    for _ in range(case.int("round") - 2):
        table.plays(f"{first} bet 200", f"{second} raise 400", f"{third} call", f"{first} call")
    assert table.hand.street == STREETS[case.int("round") - 1]
    assert (table.hand.bet, table.hand.raises) == (case["bet"], case["raises"])
    assert asked(table) == remain


@rule("46/2")
def test_no_betting_when_one_is_all_in(case: Case) -> None:
    short, other = case.int("all_in"), next(seat for seat in case.ints("left") if seat != case["all_in"])
    table = TableUnderTest(CASINO_HOLDEM, buy_in_min=1_000, buy_in_max=20_000)
    seats = [seat for seat in range(1, 7) if seat != short]
    led(table.seat(*seats, amount=20_000).seat(short, amount=1_000), 1)
    table.plays("3 fold", "4 fold", "5 fold", f"{other} raise 1000", "1 fold", f"{short} call")
    assert [event.street for event in table.of(StreetDealt)] == ["flop", "turn", "river"]
    assert not table.of(DecisionAwaited)
    assert sorted(event.seat for event in table.of(CardsShown)) == case["left"]


@rule("39.a/1")
def test_a_fold_gives_up_bets_and_claims_and_shows_nothing(case: Case) -> None:
    called = case.int("called")
    table = h6().plays(f"3 raise {called}", "4 call", "5 call", "6 fold", "1 fold", "2 fold")
    before = table.stacks[4]
    table.plays(f"3 bet {case['faces']}", "4 fold")
    table.plays("5 call").checks_down()
    assert table.stacks[4] == before == 20_000 - called
    assert all(4 not in award.eligible for award in table.of(PotAwarded, everything=True))
    assert 4 not in [event.seat for event in table.of(CardsShown, everything=True)]
    (started,), (dealt,) = table.of(HandStarted, everything=True), table.of(HoleCardsDealt, everything=True)
    places = next(deal.positions for deal in dealt.deals if deal.seat == 4)
    said = "".join(encode_fact(event)[1].decode() for event in table.told)
    assert not [card for card in names_of(table.deck_of(started).cards[n] for n in places) if f'"{card}"' in said]


@rule("39.b/1")
def test_a_check_only_where_nobody_has_bet(case: Case) -> None:
    for after in ("call", "raise 2000", "fold"):
        table = to_flop(h6(), 1, 2, 3)
        assert table.hand.street == STREETS[case.int("round") - 1]
        table.plays("1 check", f"2 bet {case['bet']}")
        assert refused(table, 3, "check") == "cannot_check"
        assert table.refused is not None
        assert (table.refused.rule, table.refused.detail) == ("pt-217-2007#39.b", f"{case['to_call']} to call")
        table.plays("3 fold")
        assert refused(table, 1, "check") == "cannot_check"
        assert table.legal[1] == case["to_call"]
        table.plays(f"1 {after}")


@rule("39.b/2")
def test_the_big_blind_has_its_option(case: Case) -> None:
    for act in ("check", f"raise {case['to']}"):
        table = h6().plays("3 call", "4 call", "5 call", "6 call", "1 call")
        assert {player.in_round for player in table.hand.alive} == {case["called"]}
        assert table.hand.street == STREETS[case.int("round") - 1]
        table.plays(f"2 {act}")


@rule("39.b/3")
def test_the_lead_covers_the_big_blind_before_it_checks(case: Case) -> None:
    table = h6().plays("3 call", "4 call", "5 call", "6 call")
    assert (table.hand.street, table.hand.bet) == (STREETS[case.int("round") - 1], case["called"])
    assert table.hand.players[1].in_round == case["posted"]
    assert refused(table, 1, "check") == "cannot_check"
    assert table.refused is not None
    assert table.refused.detail == f"{case['to_call']} to call"


@rule("39.c/1")
def test_a_call_is_exactly_what_is_owed_or_all_that_one_has(case: Case) -> None:
    raised = f"3 raise {case['to']}"
    table = h6().plays(raised, "4 fold", "5 fold", "6 fold")
    assert table.hand.players[1].in_round == case["in"]
    assert refused(table, 1, "call", case["to"] + 1) == "amount_not_asked"
    table.plays("1 call")
    (bet,) = table.of(BetPlaced)
    assert (bet.amount, bet.to, bet.stack) == (case["adds"], case["to"], case["stack"])
    poor = TableUnderTest(CASINO_HOLDEM, buy_in_min=case["short"], buy_in_max=20_000)
    led(poor.seat(1, 2, 3, 5, 6, amount=20_000).seat(4, amount=case["short"]), 1).plays(raised, "4 call")
    (bet,) = poor.of(BetPlaced)
    assert (bet.amount, bet.all_in) == (case["short"], True)


@rule("39.d/1")
def test_a_raise_adds_at_least_the_minimum(case: Case) -> None:
    table = h6(big_blind=case["minimum"])
    before = table.stacks[3]
    assert table.hand.bet == case["bet"]
    assert is_refused(table, 3, "raise", case["refused"], "below_min", "86")
    table.plays(f"3 raise {case['to']}")
    assert (before - table.stacks[3], table.hand.bet, table.hand.raises) == (case["to"], case["to"], case["raises"])


@rule("40/1")
def test_after_a_raise_everybody_decides_again(case: Case) -> None:
    table = h6().plays("3 call")
    assert table.hand.players[3].in_round == case["called"]
    table.plays(f"4 raise {case['to']}")
    assert asked(table) == case["order"]


@rule("55/2")
def test_a_new_decision_at_the_next_turn_may_raise_again(case: Case) -> None:
    for table in (h6(), live_h6()):
        table.plays(f"3 raise {case['first']}", f"4 raise {case['raised']}", "5 fold", "6 fold", "1 fold", "2 fold")
        table.plays(f"3 raise {case['again']}")
        assert table.hand.bet == case["again"]


@rule("48/1")
def test_every_round_that_closes_is_even_and_an_uneven_one_stops_the_table(case: Case) -> None:
    random, closed = Random(LUCK), 0
    for _ in range(60):
        table = TableUnderTest(CASINO_HOLDEM, buy_in_min=400, buy_in_max=20_000)
        for seat in range(1, 7):
            table.seat(seat, amount=random.choice((400, 900, 3_000, 20_000)))
        table.deal()
        while table.state.hand is not None:
            _some_act(table, random)
        closed += _check_rounds(table)
    assert closed > 100
    table = to_flop(h6(), 1, 2, 3).plays("1 check", "2 check")
    uneven = {seat: replace(table.hand.players[seat], in_round=100, committed=300) for seat in (1, 2)}
    table.state = replace(table.state, hand=replace(table.hand, players={**table.hand.players, **uneven}))
    with pytest.raises(AssertionError):
        table.act(3, "check")


def _some_act(table: TableUnderTest, random: Random) -> None:
    check, _, least, most = table.legal
    acts: list[tuple[str, int | None]] = [*[("check" if check else "call", None)] * 4, ("fold", None)]
    if least is not None and most is not None:
        acts += [("raise", least), ("raise", min(most, least + random.randrange(0, 1_000, 50)))]
    act, to = random.choice(acts)
    assert table.act(table.turn or 0, act, to) is None


def _check_rounds(table: TableUnderTest) -> int:
    """By the public events: what everybody still in with chips has put into each round. How many rounds closed."""
    put: dict[int, int] = {}
    out: set[int] = set()
    ends = closed = 0
    for before, event in pairwise([None, *table.told]):
        if isinstance(event, BlindPosted | BetPlaced):
            put[event.seat] = event.to
            out |= {event.seat} if event.all_in else set()
        elif isinstance(event, UncalledBetReturned):
            put[event.seat] -= event.amount
        elif isinstance(event, PlayerFolded):
            out.add(event.seat)
        elif isinstance(event, StreetDealt | CardsShown) and not isinstance(before, StreetDealt | CardsShown):
            assert len({put.get(seat, 0) for seat in range(1, 7) if seat not in out}) <= 1
            put, closed = {}, closed + 1
        ends += isinstance(event, HandEnded)
    assert ends == 1
    return closed


@rule("48/2")
def test_a_round_does_not_close_while_somebody_owes(case: Case) -> None:
    table = live_h6().plays(f"3 raise {case['to']}", "4 fold")
    assert table.report("PE-71c", seat=5, placed=case["placed"]) is None
    assert (table.turn, table.legal[1], table.hand.street) == (5, case["owes"], "preflop")
    assert table.act(6, "fold") == "not_your_turn"
    table.plays("5 call", "6 fold", "1 fold", "2 fold")
    assert table.live.stage == "board"


def bet_into(pot: int, bet: int, **changes: Any) -> TableUnderTest:
    """P3 and P4 alone on the flop; P3 bets, P4 folds."""
    table = h6(**changes).plays(f"3 raise {(pot - 300) // 2}", "4 call", "5 fold", "6 fold", "1 fold", "2 fold")
    assert (table.hand.pot, table.hand.street) == (pot, "flop")
    return table.plays(f"3 bet {bet}", "4 fold")


@rule("51/1")
def test_who_is_left_takes_the_pot_without_showing(case: Case) -> None:
    table = bet_into(case["pot"], case["bet"])
    (returned,), (award,) = table.of(UncalledBetReturned), table.of(PotAwarded)
    assert (returned.seat, returned.amount, award.winners, award.amount) == (3, case["bet"], [3], case["pot"])
    assert table.names == ["PlayerFolded", "UncalledBetReturned", "PotAwarded", "HandEnded"]
    assert not table.of(CardsShown, everything=True)
    assert table.stacks[3] == 20_000 + case["pot"] - (case["pot"] - 300) // 2


@rule("FP-1/1")
def test_what_nobody_matched_is_neither_pot_nor_charged(case: Case) -> None:
    table = bet_into(case["pot"], case["bet"], rake_bp=case["percent"] * 100)
    (returned,), (ended,) = table.of(UncalledBetReturned), table.of(HandEnded)
    assert (returned.amount, ended.rake) == (case["bet"], case["rake"])
    assert {result.seat: result.staked for result in ended.results}[3] == (case["pot"] - 300) // 2


@rule("FP-1/2")
def test_what_an_all_in_player_can_not_match_comes_back(case: Case) -> None:
    table = p1_first(s1=case["stack"], s2=case["all_in"]).plays(f"1 raise {case['bet']}", "2 call", "3 fold", "4 fold")
    assert table.hand.players[2].all_in
    table.plays("5 fold", "6 fold")
    (returned,) = table.of(UncalledBetReturned)
    assert (returned.seat, returned.amount) == (1, case["back"])


@rule("9.e/1")
def test_nobody_acts_out_of_turn(case: Case) -> None:
    table = h6()
    assert table.turn == case["turn"]
    assert is_refused(table, case["seat"], "raise", case["to"], "not_your_turn", "9.e")


@rule("9.f/1")
def test_the_pot_is_the_sum_of_what_was_put_in(case: Case) -> None:
    table = h6()
    assert table.hand.street == STREETS[case.int("round") - 1]
    table.plays(f"3 raise {case['raise']}", "4 call", "5 fold", "6 fold", "1 fold", "2 fold")
    assert table.hand.street == STREETS[case.int("round")]
    told = [event.amount for event in table.told if isinstance(event, BlindPosted | BetPlaced)]
    assert told == [*case.ints("posts"), case["raise"], case["raise"]]
    assert table.hand.pot == sum(told) == case["pot"]
