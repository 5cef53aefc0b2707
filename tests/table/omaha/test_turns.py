"""What a turn offers and what comes of it: fold, check, call, raise, all-in (34 to 37, 39, 40, 52)."""

from libs.cards.card import name_of
from libs.contracts.poker_events import (
    BetPlaced,
    CardsShown,
    DecisionAwaited,
    HandStarted,
    HoleCardsDealt,
    PlayerChecked,
    PlayerFolded,
    PotAwarded,
)
from libs.contracts.registry import encode_fact
from tests.table.omaha.play import game, nets, offered, portugal, pots, ranked, returned
from tests.table.play import TableUnderTest
from tests.testkit.cases import Case


def not_offered(table: TableUnderTest, act: str, reason: str) -> None:
    before = table.state
    assert table.act(table.turn or 0, act, None) == reason
    assert table.state == before


@portugal("2.k/1")
def test_who_bet_every_chip_is_asked_no_more(case: Case) -> None:
    table = game(1, {1: 10_000, 2: 10_000, 3: 10_000, 4: case["stack"]})
    table.plays("4 call", f"1 raise {case['bet']}", "2 call", "3 fold", "4 call")
    (bet,) = [event for event in table.of(BetPlaced, True) if event.all_in]
    assert (bet.seat, bet.to, bet.stack, table.stacks[4]) == (4, case["stack"], case["left"], case["left"])
    assert table.hand.players[4].all_in
    told = len(table.told)
    table.checks_down()
    assert 4 not in {event.seat for event in table.told[told:] if isinstance(event, DecisionAwaited)}


@portugal("34/1")
def test_the_big_blind_has_the_option(case: Case) -> None:
    table = game(1, (1, 2, 3), big_blind=case["big"]).plays("1 call", "2 call")
    assert table.turn == 3
    assert offered(table) == set(case.read("offered", list[str]))
    not_offered(table, case["never"], "nothing_to_call")
    for act, to in (("fold", None), ("check", None), ("raise", 2 * case["big"])):
        table = game(1, (1, 2, 3), big_blind=case["big"]).plays("1 call", "2 call")
        assert table.act(3, act, to) is None


@portugal("34/2")
def test_who_owes_cannot_check(case: Case) -> None:
    seat, owes = case.int("seat"), case.int("owes")
    for act, to in (("fold", None), ("call", None), ("raise", 2 * owes)):
        table = game(2, (1, 2, 3, 4, 5), big_blind=owes)
        assert (table.turn, table.legal[1]) == (seat, owes)
        assert offered(table) == set(case.read("offered", list[str]))
        not_offered(table, case["never"], "cannot_check")
        assert table.act(seat, act, to) is None


@portugal("34.a/1")
def test_who_folded_is_out_and_the_cards_stay_hidden(case: Case) -> None:
    seat = case.int("seat")
    table = game(1, (1, 2, 3, 4), deck=ranked(1, {seat: 0, 1: 1, 3: 2, 4: 3}))
    (dealt,), (started,) = table.of(HoleCardsDealt, True), table.of(HandStarted, True)
    deck = table.deck_of(started)
    table.plays("4 call", "1 call", "2 call", "3 check", f"{seat} fold")
    told = len(table.told)
    table.checks_down()
    after = table.told[told:]
    assert seat not in {event.seat for event in after if isinstance(event, DecisionAwaited | CardsShown | BetPlaced)}
    assert all(seat not in award.eligible for award in table.of(PotAwarded))
    assert nets(table).keys() == {1}, "the best cards have folded"
    said = "".join(encode_fact(event)[1].decode() for event in table.told)
    cards = {deal.seat: [name_of(deck.cards[position]) for position in deal.positions] for deal in dealt.deals}
    assert f'"{cards[1][0]}"' in said
    assert not [card for card in cards[seat] if f'"{card}"' in said]


@portugal("34.a/2")
def test_a_fold_with_nothing_owed_counts() -> None:
    for street in ("flop", "turn", "river"):
        table = game(1, (1, 2, 3)).plays("1 call", "2 call", "3 check")
        while table.hand.street != street:
            table.plays(f"{table.turn} check")
        assert table.legal[0], "nothing is owed"
        table.plays("2 fold")
        assert [(event.seat, event.actor) for event in table.of(PlayerFolded)] == [(2, "player")]


@portugal("34.b/1")
def test_a_check_moves_nothing() -> None:
    table = game(1, (1, 2, 3)).plays("1 call", "2 call", "3 check")
    before = table.hand.pot, table.stacks
    assert (table.hand.street, table.hand.bet) == ("flop", 0)
    table.plays("2 check")
    assert [event.seat for event in table.of(PlayerChecked)] == [2]
    assert (table.hand.pot, table.stacks) == before


@portugal("34.b/2")
def test_a_check_facing_a_bet_is_refused_and_the_clock_goes_on(case: Case) -> None:
    table = game(1, (1, 2, 3)).plays("1 call", "2 call", "3 check", f"2 bet {case['bet']}")
    turn, due = table.hand.turn, table.due
    table.now += 1000
    not_offered(table, "check", "cannot_check")
    assert table.refused is not None
    assert table.refused.rule == "pt-811-2015#34.b"
    assert (table.turn, table.hand.turn, table.due) == (3, turn, due)


@portugal("34.b/3")
def test_the_big_blind_matches_already(case: Case) -> None:
    table = game(1, (1, 2, 3), big_blind=case["big"]).plays("1 call", "2 call")
    assert (table.turn, table.hand.players[3].in_round, table.hand.bet) == (3, case["big"], case["big"])
    table.plays("3 check")
    assert table.hand.street == "flop"


def called(case: Case) -> BetPlaced:
    """The call of seat 3, which has posted the big blind, after a raise to the case's total."""
    table = game(1, {1: 10_000, 2: 10_000, 3: case["in"] + case["stack"]}, big_blind=case["in"])
    table.plays(f"1 raise {case['total']}", "2 fold")
    assert (table.hand.bet, table.stacks[3]) == (case["total"], case["stack"])
    table.plays("3 call")
    (bet,) = table.of(BetPlaced)
    return bet


@portugal("34.c/1")
def test_a_call_moves_what_is_missing(case: Case) -> None:
    bet = called(case)
    assert (bet.act, bet.amount, bet.to, bet.all_in) == ("call", case["moves"], case["to"], False)


@portugal("34.c/2")
def test_a_call_moves_what_is_left(case: Case) -> None:
    bet = called(case)
    assert (bet.act, bet.amount, bet.to, bet.all_in, bet.stack) == ("call", case["moves"], case["to"], True, 0)


@portugal("34.d/1")
def test_a_raise_is_answered_by_all(case: Case) -> None:
    table = game(1, (1, 2, 3, 4), big_blind=case["in"])
    table.plays(f"4 raise {case['total'] - case['by']}", f"1 raise {case['total']}", "2 fold")
    assert (table.turn, table.hand.players[3].in_round) == (3, case["in"])
    table.plays(f"3 raise {case['to']}")
    (bet,) = table.of(BetPlaced)
    assert (bet.amount, table.hand.bet) == (case["moves"], case["to"])
    asked = []
    while table.hand.street == "preflop":
        asked.append(table.turn)
        table.plays(f"{table.turn} call")
    assert asked == [4, 1]


@portugal("35/1")
def test_what_a_folder_put_in_stays(case: Case) -> None:
    seat, put_in = case.int("seat"), case.int("put_in")
    table = game(1, (1, 2, 4), deck=ranked(1, {seat: 0, 1: 1, 2: 2}))
    table.plays(f"1 raise {put_in}", "2 call", "4 call", "2 check", "4 check", "1 check")
    assert (table.hand.street, table.hand.players[seat].committed) == ("turn", put_in)
    table.plays(f"2 bet {put_in}", f"{seat} fold", "1 call")
    assert table.hand.pot == case["pot"]
    table.checks_down()
    assert pots(table) == [(case["pot"], [1, 2])]
    assert nets(table).keys() == {1}


def short_then(*acts: str, **stacks: int) -> TableUnderTest:
    """On the flop A, seat 2, acts first; before it everybody put in a blind of 100."""
    table = game(1, {int(name[1:]): 100 + stack for name, stack in stacks.items()})
    while table.hand.street == "preflop":
        table.plays(f"{table.turn} {'check' if table.legal[0] else 'call'}")
    return table.plays(*acts)


@portugal("37/1")
def test_a_short_all_in_opens_nothing(case: Case) -> None:
    bet, all_in = case.int("bet"), case.int("all_in")
    table = short_then(f"2 bet {bet}", f"3 raise {all_in}", "1 call", s1=5000, s2=5000, s3=all_in)
    assert (table.turn, table.legal[1], offered(table)) == (2, case["call"], {"fold", "call"})
    assert case["call"] < bet, "less than a full raise"
    assert table.act(2, "raise", all_in + bet) == "not_reopened"
    assert table.refused is not None
    assert table.refused.rule == "pt-811-2015#37"


@portugal("37/2")
def test_a_full_raise_opens_it_again(case: Case) -> None:
    acts = f"2 bet {case['bet']}", f"3 raise {case['all_in']}", f"1 raise {case['raise']}"
    table = short_then(*acts, s1=5000, s2=5000, s3=case["all_in"])
    assert (table.turn, table.legal[2]) == (2, case["least"])
    table.plays(f"2 raise {case['least']}")


@portugal("37/3")
def test_short_all_ins_count_together(case: Case) -> None:
    b, c = case.ints("all_ins")
    table = short_then(f"2 bet {case['bet']}", f"3 raise {b}", f"4 raise {c}", "1 call", s1=9000, s2=9000, s3=b, s4=c)
    assert (table.turn, table.legal[2]) == (2, case["least"])
    table.plays(f"2 raise {case['least']}")


@portugal("37/4")
def test_each_counts_from_the_own_last_act(case: Case) -> None:
    """B is seat 3, D seat 4, C seat 1."""
    b, c = case.ints("all_ins")
    acts = f"2 bet {case['bet']}", f"3 raise {b}", "4 call", f"1 raise {c}", "2 call"
    table = short_then(*acts, s1=c, s2=9000, s3=b, s4=9000)
    assert (table.turn, table.legal[1], offered(table)) == (4, case["call"], {"fold", "call"})


@portugal("37/5")
def test_posting_is_not_acting(case: Case) -> None:
    small, big = case.ints("blinds")
    caller, short = case.int("caller"), case.int("short")
    stacks = dict.fromkeys((1, 2, 3, caller), 9000) | {short: case["all_in"]}
    table = game(1, stacks, small_blind=small, big_blind=big)
    table.plays(f"{caller} call", f"{short} raise {case['all_in']}", "1 fold", "2 fold")
    assert (table.turn, table.legal[1:3], offered(table)) == (
        3,
        (case["call"], case["least"]),
        {"fold", "call", "raise"},
    )
    table.plays("3 call")
    assert (table.turn, table.legal[1], offered(table)) == (caller, case["call"], {"fold", "call"})


@portugal("37/6")
def test_a_check_is_an_act(case: Case) -> None:
    short = case.int("all_in")
    assert short < case["minimum"] == game(1, (1, 2)).state.rules.betting.big_blind
    table = short_then("2 check", f"3 bet {short}", "1 call", s1=9000, s2=9000, s3=short)
    assert (table.turn, table.legal[1], offered(table)) == (2, short, {"fold", "call"})


@portugal("37/7")
def test_no_raise_that_nobody_could_answer(case: Case) -> None:
    a, b = case.ints("all_ins")
    table = short_then(f"2 bet {a}", f"3 raise {b}", s1=case["stack"], s2=a, s3=b)
    assert (table.turn, table.legal[1], offered(table)) == (1, b, {"fold", "call"})
    assert table.act(1, "raise", case["stack"]) == "nobody_to_answer"


@portugal("37")
def test_who_can_just_call_could_not_answer_a_raise() -> None:
    table = game(1, {1: 20_000, 2: 5_000, 3: 5_000}).plays("1 call", "2 call", "3 raise 5000")
    assert (table.turn, offered(table)) == (1, {"fold", "call"})
    assert table.act(1, "raise", 20_000) == "nobody_to_answer"


@portugal("37/8")
def test_an_all_in_must_fit_the_limit(case: Case) -> None:
    table = game(1, dict.fromkeys((1, 2, 3, 4), case["stack"]), "pot_limit").plays("4 raise 350")
    assert (table.turn, table.legal[3]) == (1, case["most"])
    assert table.act(1, "raise", case["stack"]) == "above_max"
    assert table.act(1, "raise", case["most"] + 1) == "above_max"
    table.plays(f"1 raise {case['most']}")


@portugal("39/1")
def test_who_cannot_match_stays_in_with_the_rest(case: Case) -> None:
    table = game(1, {1: 9000, 2: 9000, 3: case["stack"]}, deck=ranked(1, {3: 0, 1: 1, 2: 2}))
    table.plays(f"1 raise {case['bet']}", "2 call", "3 call")
    assert (table.hand.players[3].all_in, table.hand.players[3].committed) == (True, case["stack"])
    table.checks_down()
    assert pots(table) == [(case["main"], [1, 2, 3]), (case["side"], [1, 2])]
    assert nets(table)[3] == case["main"] * 95 // 100


@portugal("40/1")
def test_a_round_closes_when_all_have_matched(case: Case) -> None:
    bet, same, all_in = case.ints("totals")
    table = game(1, {1: 9000, 2: 9000, 3: all_in}).plays(f"1 raise {bet}", "2 call")
    assert table.hand.street == "preflop"
    totals = [table.hand.players[seat].in_round for seat in (1, 2)]
    table.plays("3 call")
    assert [*totals, table.hand.players[3].committed] == [bet, same, all_in]
    assert table.hand.street == "flop"


@portugal("40/2")
def test_a_round_stays_open_while_one_owes(case: Case) -> None:
    bet, behind = case.ints("totals")
    table = game(1, {1: behind + case["left"], 2: 9000, 3: 9000}, big_blind=behind // 2)
    table.plays(f"1 raise {behind}", f"2 raise {bet}", "3 fold")
    assert (table.hand.street, table.turn) == ("preflop", 1)
    assert (table.hand.players[1].in_round, table.stacks[1]) == (behind, case["left"])
    table.plays("1 call")
    assert table.hand.street == "flop"


@portugal("40/3")
def test_what_nobody_matched_comes_back(case: Case) -> None:
    bet, all_in = case.int("bet"), case.int("all_in")
    table = short_then(f"2 bet {bet}", f"3 call {all_in}", "1 fold", s1=5000, s2=5000, s3=all_in)
    before = 3 * 100
    assert returned(table) == [(2, case["returned"])]
    assert pots(table) == [(before + 2 * all_in, [2, 3])]


@portugal("52/1")
def test_less_than_the_big_blind_is_no_call(case: Case) -> None:
    small, big = case.ints("blinds")
    table = game(4, (1, 2, 3, 4, 5, 6), small_blind=small, big_blind=big)
    seat = case.int("seat")
    assert table.turn == seat
    assert table.act(seat, "call", case["below"]) == "amount_not_asked"
    assert table.act(seat, "raise", case["below"]) == "below_min"
    table.plays(f"{seat} call")
    assert table.of(BetPlaced)[0].amount == case["least"]
    table = game(4, (1, 2, 3, 4, 5, 6), small_blind=small, big_blind=big)
    table.plays(f"{seat} raise {2 * big}")


@portugal("52/2")
def test_the_small_blind_matches_and_cannot_check(case: Case) -> None:
    table = game(1, (1, 2, 3)).plays("1 call")
    assert (table.turn, table.legal[1]) == (2, case["more"])
    not_offered(table, "check", "cannot_check")
    table.plays("2 call")
    assert table.of(BetPlaced)[0].amount == case["more"]


@portugal("52/3")
def test_less_than_a_call_is_enough_if_it_is_all(case: Case) -> None:
    table = game(1, {1: 9000, 2: case["in"] + case["left"], 3: 9000, 4: 9000}, small_blind=case["in"])
    table.plays(f"{case['raiser']} raise {case['raise']}", "1 fold")
    assert (table.turn, table.legal[1]) == (2, case["left"])
    assert case["raise"] - case["in"] == case["call"]
    table.plays("2 call")
    (bet,) = table.of(BetPlaced)
    assert (bet.amount, bet.to, bet.all_in) == (case["left"], case["to"], True)
    table.plays("3 call").checks_down()
    assert 2 in table.of(PotAwarded)[0].eligible
