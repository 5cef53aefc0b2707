"""Who shows when, and what the cards decide: pt-217-2007 62 to 64."""

from libs.contracts.poker_events import (
    CardsShown,
    PotAwarded,
)
from tests.table.asking import write
from tests.table.casino.play import (
    CASINO_HOLDEM,
    STREETS,
    h6,
    pack_for,
    rule,
    to_flop,
)
from tests.table.play import TableUnderTest, stacked
from tests.testkit.cases import Case


@rule("62/1")
def test_the_next_of_an_opener_who_folded_shows_first(case: Case) -> None:
    lead = case.int("lead")
    table = to_flop(h6(lead=lead), lead, *case.ints("order"))
    while table.hand.street != STREETS[case.int("round") - 1]:
        table.plays(f"{table.turn} check")
    table.plays(f"{lead} check", f"2 bet {case['bet']}", f"6 raise {case['raise']}", f"{lead} fold", "2 call")
    assert [event.seat for event in table.of(CardsShown)] == case["order"]


@rule("62/2")
def test_who_opened_the_last_round_by_a_check_shows_first(case: Case) -> None:
    first, second = case.ints("order")
    table = to_flop(h6(), first, second)
    while table.hand.street != STREETS[case.int("round") - 1]:
        table.plays(f"{table.turn} check")
    table.plays(f"{first} check", f"{second} bet {case['bet']}", f"{first} call")
    assert [event.seat for event in table.of(CardsShown)] == case["order"]


@rule("62")
def test_an_opener_after_an_all_in_player_shows_first() -> None:
    """P1 is all-in, so P2 opens the last round: P2 shows first and P1 last."""
    table = TableUnderTest(CASINO_HOLDEM, buy_in_min=400, buy_in_max=20_000)
    table.seat(2, 3, 4, 5, 6, amount=20_000).seat(s1=400)
    table.deal()
    assert table.hand.small_blind == 1
    table.plays("3 call", "4 fold", "5 fold", "6 fold", "1 raise 400", "2 call", "3 call")
    table.plays("2 check", "3 check", "2 check", "3 check", "2 check", "3 check")
    assert [event.seat for event in table.of(CardsShown)] == [2, 3, 1]


@rule("62/4")
def test_without_a_last_round_the_first_from_the_lead_shows_first_and_not_before_the_river(case: Case) -> None:
    first, second = case.ints("order")
    table = to_flop(h6(lead=case["lead"]), first, second)
    assert table.hand.street == STREETS[case.int("round") - 1]
    table.plays(f"{first} bet 19800", f"{second} call")
    names = table.names
    assert [event.seat for event in table.of(CardsShown)] == case["order"]
    assert max(i for i, name in enumerate(names) if name == "StreetDealt") < names.index("CardsShown")


@rule("62")
def test_without_a_last_round_the_lead_shows_first_when_still_in() -> None:
    table = to_flop(h6(), 1, 6).plays("1 bet 19800", "6 call")
    assert [event.seat for event in table.of(CardsShown)] == [1, 6]


@rule("63/1")
def test_what_a_player_says_he_holds_has_no_effect(case: Case) -> None:
    """The words themselves are sealed: the table hears that something is said, and the cards decide."""
    board, two_pairs, pair = "Kc 9d 5h 4c 2c", "Ks 9h", "Qh Qs"
    pack = pack_for(board, pair, two_pairs, seats=6)
    table = to_flop(h6(fresh=stacked(pack)), 1, 2)
    assert write(table, "p2", case["says"]) is None
    table.checks_down()
    shown = {event.seat: event.category for event in table.of(CardsShown)}
    assert shown[2] == case.text("made").replace(" pairs", "_pair")
    assert [award.winners for award in table.of(PotAwarded)] == [[2]]
    flush = to_flop(h6(fresh=stacked(pack_for(board, "Qc Jc", two_pairs, seats=6))), 1, 2)
    assert write(flush, "p2", case["says"]) is None
    assert [award.winners for award in flush.checks_down().of(PotAwarded)] == [[1]], "the one who has it"


@rule("64/1")
def test_the_cards_decide_once_all_are_shown(case: Case) -> None:
    pack = pack_for("Kc 9d 5h 4s 2d", "9h 8s", "Kh Qs", "Ah As", seats=6)
    table = to_flop(h6(fresh=stacked(pack)), 1, 2, 3).checks_down()
    told = table.names[table.names.index("CardsShown") :]
    assert told == ["CardsShown"] * case.int("hands") + ["PotAwarded", "HandEnded"]
    shown = {event.seat: (event.category, event.hole_used + event.board_used) for event in table.of(CardsShown)}
    assert [len(five) for _, five in shown.values()] == [5] * case.int("hands")
    assert {seat: category for seat, (category, _) in shown.items()} == dict.fromkeys((1, 2, 3), "pair")
    assert [award.winners for award in table.of(PotAwarded)] == [[3]]
