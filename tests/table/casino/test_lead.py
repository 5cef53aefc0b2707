"""The lead seat and its marker, the deal, who is dealt in: pt-217-2007 29, 30, 34, 35, 41 to 45, 77, 79 to 83, 93."""

import pytest

from libs.contracts.poker_events import BlindPosted, HandStarted, HoleCardsDealt, StreetDealt
from services.table.domain.games.poker.entering import stack_to_enter
from tests.table.casino.play import (
    CASINO_HOLDEM,
    CASINO_OMAHA,
    STREETS,
    casino,
    h6,
    led,
    numbered,
    rule,
    to_flop,
)
from tests.table.casino.test_casino_rulebooks import refusals
from tests.table.play import TableUnderTest
from tests.testkit.cases import Case, each_case


def leads(table: TableUnderTest, hands: int) -> list[int | None]:
    for _ in range(hands):
        table.deal().folds_round()
    return [event.lead for event in table.of(HandStarted, everything=True)]


def posts(table: TableUnderTest) -> list[tuple[str, int, int, int]]:
    """Kind, seat, amount and round total of each post of the last hand."""
    number = table.state.hands
    told = table.of(BlindPosted, everything=True)
    return [(e.blind, e.seat, e.amount, e.to) for e in told if e.hand == number]


def come_in(table: TableUnderTest, seat: int) -> None:
    assert table.take(seat, stack_to_enter(table.state), "gil") is None
    assert table.confirm(seat) is None


def places(names: str) -> list[int]:
    """The matrix counts the deck from c1 on."""
    return [int(name.removeprefix("c")) - 1 for name in names.split()]


@rule("29/1", "30")
def test_the_lead_begins_at_the_lowest_seat_and_goes_round_clockwise(case: Case) -> None:
    assert leads(casino(*case.ints("seats")), 5) == [case["lead"], *case.ints("next")]


@rule("30/1")
def test_the_lead_passes_a_seat_that_was_given_up(case: Case) -> None:
    table = led(casino(*case.ints("seats")), case["lead"]).folds_round()
    assert table.leave(case["leaves"]) is None
    table.deal()
    assert table.hand.small_blind == case["next"]


@rule("30/2", "90")
def test_a_resting_seat_is_passed_over_and_its_blinds_are_booked(case: Case) -> None:
    resting, first = case.int("rests"), case.ints("hands")[0]
    table = casino(*case.ints("seats"))
    assert table.sit_out(resting) is None
    numbered(table, first, case.ints("leads")[0])
    booked: list[list[tuple[int, str]]] = []
    for number, lead, big in zip(case.ints("hands"), case.ints("leads"), case.ints("big"), strict=True):
        if number == case.ints("hands")[-1]:
            assert table.sit_in(resting) is None
        table.deal()
        (started,) = table.of(HandStarted)
        assert (started.hand, started.lead, started.small_blind, started.big_blind) == (number, lead, lead, big)
        booked.append([(missed.seat, missed.blind) for missed in started.missed])
        owed = posts(table)
        table.folds_round()
    assert booked == [[(resting, "big")], [(resting, "small")], []]
    assert ("missed", resting, case["owes"], 0) in owed


@rule("69", "30")
@pytest.mark.parametrize(("moves", "lead"), [(False, 1), (True, 2)])
def test_a_void_hand_does_not_move_the_lead_unless_the_house_says_so(moves: bool, lead: int) -> None:
    table = h6(void_moves_lead=moves)
    assert table.void() is None
    table.deal()
    assert table.hand.small_blind == lead


def two_posts(table: TableUnderTest, wanted: dict[int, int]) -> None:
    """Small and big blind, before the first card."""
    posted = list(wanted.items())
    kinds = zip(("small", "big"), posted, strict=True)
    assert posts(table) == [(kind, seat, amount, amount) for kind, (seat, amount) in kinds]
    assert table.names.index("HoleCardsDealt") > table.names.index("BlindPosted") + 1


@rule("81/1", "82", "83", "29")
def test_the_lead_posts_the_small_blind_and_the_seat_at_its_left_the_big(case: Case) -> None:
    table = h6(lead=case["lead"])
    two_posts(table, case.read("posts", dict[int, int]))
    assert table.hand.pot == case["pot"]


@rule("81/2")
def test_blinds_go_round_the_end_of_the_table(case: Case) -> None:
    table = led(casino(*case.ints("seats")), case["lead"])
    two_posts(table, case.read("posts", dict[int, int]))
    assert table.turn == case["first"]


@each_case("pt-217-2007", "82/1", "83/1")
def test_the_blinds_follow_from_the_minimum(case: Case) -> None:
    table = h6(big_blind=case["minimum"])
    name, amount = blind_of(case)
    assert [posted for blind, _, posted, _ in posts(table) if blind == name] == [amount]
    for wrong in ({"small_blind": case["minimum"] // 4}, {"small_blind": case["minimum"]}):
        assert refusals(big_blind=case["minimum"], **wrong) == [("small_blind", "pt-217-2007#82")]
    assert refusals(big_blind=case["minimum"] + 1) == [("small_blind", "pt-217-2007#82")]


def blind_of(case: Case) -> tuple[str, int]:
    """The one that the case is about."""
    try:
        return "small", case.int("small")
    except KeyError:
        return "big", case.int("big")


@rule("35/1", "93")
def test_cards_go_round_from_the_lead_one_at_a_time(case: Case) -> None:
    (dealt,) = h6(lead=case["lead"]).of(HoleCardsDealt)
    wanted = {seat: places(cards) for seat, cards in case.read("dealt", dict[int, str]).items()}
    assert {deal.seat: deal.positions for deal in dealt.deals} == wanted


@rule("77/1", "2.a")
def test_omaha_has_four_passes(case: Case) -> None:
    table = led(casino(*case.ints("seats"), rulebook=CASINO_OMAHA), case["lead"])
    (dealt,) = table.of(HoleCardsDealt)
    wanted = {seat: places(cards) for seat, cards in case.read("dealt", dict[int, str]).items()}
    assert {deal.seat: deal.positions for deal in dealt.deals} == wanted
    assert [deal.seat for deal in dealt.deals] == case["order"]


@rule("3/1")
def test_the_variant_s_own_number_of_cards_comes_before_the_general_one(case: Case) -> None:
    for rulebook, cards in ((CASINO_HOLDEM, case["general"]), (CASINO_OMAHA, case["cards"])):
        (dealt,) = casino(1, 2, 3, 4, rulebook=rulebook).deal().of(HoleCardsDealt)
        assert {len(deal.positions) for deal in dealt.deals} == {cards}


def street_of(number: int) -> StreetDealt:
    """What follows round `number` of a hand of six that two play to the end."""
    table = to_flop(h6(), 1, 2).checks_down()
    found: list[StreetDealt] = table.of(StreetDealt, everything=True)
    return found[number - 1]


@rule("41/1")
def test_a_card_is_burnt_before_the_flop_of_three(case: Case) -> None:
    flop = street_of(case["round"])
    assert [flop.burned, [card.position for card in flop.cards]] == [places(case["burn"]), places(case["flop"])]
    assert flop.street == STREETS[case.int("opens") - 1]
    assert to_flop(h6(), 1, 2).names[-2:] == ["StreetDealt", "DecisionAwaited"]


@rule("43/1")
def test_a_card_is_burnt_before_the_turn(case: Case) -> None:
    turn = street_of(case["round"])
    assert [turn.burned, [card.position for card in turn.cards]] == [places(case["burn"]), places(case["turn"])]


@rule("45/1")
def test_a_card_is_burnt_before_the_river(case: Case) -> None:
    river = street_of(case["round"])
    assert [river.burned, [card.position for card in river.cards]] == [places(case["burn"]), places(case["river"])]
    assert sum(len(street_of(number).burned) for number in range(1, case.int("round") + 1)) == case["burns"]


@rule("93/1")
def test_what_a_hand_of_six_uses_of_the_deck(case: Case) -> None:
    table = h6().checks_down()
    (started,), (dealt,) = table.of(HandStarted, everything=True), table.of(HoleCardsDealt, everything=True)
    streets = table.of(StreetDealt, everything=True)
    hole = [position for deal in dealt.deals for position in deal.positions]
    board = [card.position for event in streets for card in event.cards]
    burns = [position for event in streets for position in event.burned]
    assert (len(hole), len(board), len(burns)) == (case["hole"], case["board"], case["burns"])
    deck = table.deck_of(started).cards
    assert len(set(deck)) - len({*hole, *board, *burns}) == case["stub"]


@rule("2.a/1")
def test_the_first_event_of_a_hand_names_its_rulebook(case: Case) -> None:
    rulebook = f"pt-217-2007-{case['variant']}"
    table = casino(1, 2, 3, 4, rulebook=rulebook).deal()
    (started,) = table.of(HandStarted)
    assert (started.rulebook, len(started.rulebook_hash)) == (rulebook, 64)
    assert table.state.rules.variant == case["variant"]
    (dealt,) = table.of(HoleCardsDealt)
    assert {len(deal.positions) for deal in dealt.deals} == {case["cards"]}
    assert table.names.index("HandStarted") == 0


@rule("80/1")
def test_a_newcomer_on_the_lead_seat_plays_from_the_next_hand_on(case: Case) -> None:
    seats, newcomer = case.ints("seats"), case.int("newcomer")
    table = led(casino(*seats), seats[seats.index(newcomer) - 1]).folds_round()
    assert table.leave(newcomer) is None
    come_in(table, newcomer)
    first, second = case.ints("leads")
    table.deal()
    assert (table.hand.small_blind, table.hand.big_blind) == (first, case["big"])
    assert newcomer not in table.hand.order
    table.folds_round().deal()
    assert table.hand.small_blind == second
    assert newcomer in table.hand.order
    assert [blind for blind, seat, *_ in posts(table) if seat == newcomer] == []


@rule("80/2")
def test_a_newcomer_elsewhere_is_dealt_in_without_a_post(case: Case) -> None:
    table = led(casino(1, 2, 3, 4, 6, 8), 8).folds_round()
    assert table.leave(case["empty"]) is None
    come_in(table, case["newcomer"])
    table.deal()
    assert (table.hand.small_blind, case["newcomer"] in table.hand.order) == (case["lead"], True)
    assert [blind for blind, seat, *_ in posts(table) if seat == case["newcomer"]] == []


@rule("80", "24", "FP-7")
def test_no_newcomer_is_passed_over_when_four_are_needed() -> None:
    table = led(casino(1, 2, 3, 4), 4).folds_round()
    assert table.leave(1) is None
    come_in(table, 1)
    table.deal()
    assert len(table.hand.order) == 4


@rule("79/1")
def test_who_has_less_than_the_minimum_is_not_dealt_in_and_keeps_the_seat(case: Case) -> None:
    left, minimum = case.int("ends"), case.int("minimum")
    table = TableUnderTest(
        CASINO_HOLDEM, buy_in_min=left + minimum, buy_in_max=20_000, top_up_to=20_000, rebuy=case["rebuy"]
    )
    led(table.seat(1, 2, 4, 5, 6, amount=20_000).seat(3, amount=left + minimum), 6)
    table.plays("2 fold", "3 call", "4 fold", "5 fold", "6 fold", "1 check", f"1 bet {minimum}", "3 fold")
    assert (table.stacks[3], table.state.rules.betting.big_blind) == (left, minimum)
    table.deal()
    assert 3 not in table.hand.order
    assert table.top_up(3, case["rebuy"]) is None
    table.folds_round()
    assert table.state.seats[3].absent == 1, "it kept the seat, resting"
    assert table.confirm_top_up() is None
    table.deal()
    (started,) = table.of(HandStarted)
    assert next(dealt.stack for dealt in started.seats if dealt.seat == 3) == case["back"]


@rule("79/2")
def test_exactly_the_minimum_is_enough(case: Case) -> None:
    table = TableUnderTest(CASINO_HOLDEM, buy_in_min=case["ends"], buy_in_max=20_000)
    led(table.seat(1, 2, 4, 5, amount=20_000).seat(3, amount=case["ends"]), 4)
    assert 3 in table.hand.order


@rule("34")
def test_cards_dealt_are_seen_by_nobody_else() -> None:
    """The public event has positions in the sealed deck, two a player, and no card."""
    (dealt,) = h6().of(HoleCardsDealt)
    assert all(len(deal.positions) == 2 for deal in dealt.deals)
    assert set(dealt.deals[0].__struct_fields__) == {"seat", "positions"}
