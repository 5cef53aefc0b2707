"""The field's own rulebooks: two hole cards, antes, big-blind ante, straddle, blinds of those who have less."""

from typing import Any

import pytest

from libs.contracts.configurations import Configuration
from libs.contracts.poker_events import BlindPosted, CardsShown, HandEnded, HoleCardsDealt, PotAwarded
from libs.rulebooks.library import RULEBOOKS
from services.table.configure import configure
from tests.table.play import COMMON_OMAHA, HOLDEM, MACAU, PORTUGAL, TableUnderTest, configuration, stacked

WIDE = {"buy_in_min": 1, "buy_in_max": 100_000}


def posts(table: TableUnderTest) -> list[tuple[str, int, int, int]]:
    """Kind, seat, amount, round total of each post."""
    return [(e.blind, e.seat, e.amount, e.to) for e in table.of(BlindPosted, everything=True)]


@pytest.mark.parametrize(("rulebook", "cards"), [(HOLDEM, 2), (COMMON_OMAHA, 4), (PORTUGAL, 4), (MACAU, 4)])
def test_the_rulebook_says_how_many_cards(rulebook: str, cards: int) -> None:
    table = TableUnderTest(rulebook).seat(1, 2, 3).deal(button=1)
    (dealt,) = table.of(HoleCardsDealt)
    assert [len(deal.positions) for deal in dealt.deals] == [cards] * 3
    assert sorted(place for deal in dealt.deals for place in deal.positions) == list(range(3 * cards))


def test_holdem_is_dealt_in_two_laps_and_the_best_five_of_seven_win() -> None:
    table = TableUnderTest(HOLDEM, burn_before_board=False).seat(1, 2)
    # Heads-up the button is the small blind and is dealt last: seat 2, seat 1, seat 2, seat 1.
    table.deal(button=1, fresh=stacked("2c Ah 2d 3s Kh Qh Jh Th 9h")).checks_down()
    shown = {event.seat: event for event in table.of(CardsShown, everything=True)}
    assert [card.card for card in shown[1].cards] == ["Ah", "3s"]
    assert (shown[1].category, shown[1].hole_used) == ("royal_flush", ["Ah"])
    assert (shown[2].category, shown[2].hole_used) == ("straight_flush", [])
    assert table.stacks == {1: 10_100, 2: 9_900}


def test_everybody_posts_an_ante_before_the_blinds() -> None:
    table = TableUnderTest(HOLDEM, ante=10).seat(1, 2, 3).deal(button=1)
    assert posts(table) == [
        ("ante", 2, 10, 0), ("ante", 3, 10, 0), ("ante", 1, 10, 0), ("small", 2, 50, 50), ("big", 3, 100, 100),
    ]  # fmt: skip
    assert table.hand.pot == 180
    assert table.legal == (False, 100, 200, 9_990)
    table.plays("1 fold", "2 fold")
    assert table.stacks == {1: 9_990, 2: 9_940, 3: 10_070}


def test_an_ante_that_is_all_that_somebody_has_wins_only_the_antes() -> None:
    table = TableUnderTest(HOLDEM, ante=40, burn_before_board=False, **WIDE)
    table.seat(s1=25, s2=1_000, s3=1_000)
    table.deal(button=1, fresh=stacked("2c 3c Ah 2d 3d As Ad Kd 9h 8h 7s")).plays("2 call", "3 check")
    table.checks_down()
    pots = {event.pot: (event.amount, event.winners) for event in table.of(PotAwarded, everything=True)}
    assert pots == {"main": (75, [1]), "side_1": (230, [3])}
    assert table.stacks == {1: 75, 2: 860, 3: 1_090}


def test_a_big_blind_ante_is_for_everybody() -> None:
    """Dead money: it goes to the main pot, whoever posted it, and gives no claim of its own."""
    table = TableUnderTest(HOLDEM, big_blind_ante=100, burn_before_board=False, **WIDE)
    table.seat(s1=60, s2=1_000, s3=1_000)
    table.deal(button=1, fresh=stacked("2c 3c Ah 2d 3d As Ad Kd 9h 8h 7s")).plays("1 call", "2 call", "3 check")
    assert posts(table) == [("big_blind_ante", 3, 100, 0), ("small", 2, 50, 50), ("big", 3, 100, 100)]
    table.checks_down()
    pots = {event.pot: (event.amount, event.winners) for event in table.of(PotAwarded, everything=True)}
    assert pots == {"main": (280, [1]), "side_1": (80, [3])}
    (ended,) = table.of(HandEnded, everything=True)
    assert {result.seat: result.staked for result in ended.results} == {1: 60, 2: 100, 3: 200}


def test_a_void_hand_returns_antes_too() -> None:
    table = TableUnderTest(HOLDEM, big_blind_ante=100).seat(1, 2, 3).deal(button=1)
    assert table.void() is None
    assert table.stacks == {1: 10_000, 2: 10_000, 3: 10_000}


def test_a_straddle_buys_the_last_word() -> None:
    table = TableUnderTest(HOLDEM, straddle=200).seat(1, 2, 3, 4).deal(button=1)
    assert posts(table)[-1] == ("straddle", 4, 200, 200)
    assert table.turn == 1
    assert table.legal == (False, 200, 400, 10_000)
    table.plays("1 call", "2 call", "3 call")
    assert table.turn == 4
    assert table.legal == (True, None, 400, 10_000)


def test_heads_up_nobody_straddles_and_by_default_nobody_does() -> None:
    assert [kind for kind, *_ in posts(TableUnderTest(HOLDEM, straddle=200).seat(1, 2).deal(button=1))] == [
        "small",
        "big",
    ]
    table = TableUnderTest(HOLDEM).seat(1, 2, 3, 4).deal(button=1)
    assert [kind for kind, *_ in posts(table)] == ["small", "big"]


def test_the_whole_big_blind_is_owed_when_its_poster_has_less() -> None:
    table = TableUnderTest(HOLDEM, **WIDE).seat(s1=1_000, s2=1_000, s3=30).deal(button=1)
    assert posts(table) == [("small", 2, 50, 50), ("big", 3, 30, 30)]
    assert table.legal == (False, 100, 200, 1_000)
    table.plays("1 call")
    assert table.legal == (False, 50, 200, 1_000)


def test_the_big_blind_is_owed_though_the_ante_took_its_posters_last_chip() -> None:
    """Nothing is posted, for nobody puts in nothing; the others play on as if it were there."""
    table = TableUnderTest(HOLDEM, ante=40, **WIDE).seat(s1=1_000, s2=1_000, s3=40).deal(button=1)
    assert posts(table)[-1] == ("small", 2, 50, 50)
    assert table.legal == (False, 100, 200, 960)
    table.plays("1 call")
    assert table.legal == (False, 50, 200, 960)


def test_nobody_answers_a_short_big_blind_that_is_covered() -> None:
    """The rest of the blind could only come back: the small blind has put in more than can be lost."""
    table = TableUnderTest(HOLDEM, burn_before_board=False, **WIDE).seat(s1=1_000, s2=30)
    table.deal(button=1, fresh=stacked("Ah 2c As 3d Ad Kd 9h 8h 7s"))
    assert table.state.hand is None
    assert table.stacks == {1: 970, 2: 60}


def test_under_a_regulation_nobody_starts_with_less_than_a_big_blind() -> None:
    table = TableUnderTest(PORTUGAL).seat(1, 2).deal(button=1)
    assert table.state.rules.least_stack == table.state.rules.betting.big_blind
    assert TableUnderTest(HOLDEM).state.rules.least_stack == 1
    assert TableUnderTest(HOLDEM, entry_stack="big_blind").state.rules.least_stack == 100


def test_a_refusal_of_the_field_cites_no_regulation() -> None:
    table = TableUnderTest(HOLDEM).seat(1, 2).deal(button=1)
    assert table.act(1, "raise", 101) == "below_min"
    assert table.refused is not None
    assert table.refused.rule is None
    assert RULEBOOKS[HOLDEM].source == RULEBOOKS[COMMON_OMAHA].source == "field-practice"


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("straddle", {"straddle": 150}),
        ("big_blind_ante", {"ante": 10, "big_blind_ante": 100}),
        ("ante", {"ante": -1}),
        ("rake_bp", {"rake_bp": 1001}),
        ("approval", {"kind": "real"}),
    ],
)
def test_even_the_field_has_bounds(field: str, changes: dict[str, Any]) -> None:
    answer = configure(RULEBOOKS[HOLDEM], configuration(HOLDEM, **changes))
    assert not isinstance(answer, Configuration)
    assert [(refusal.field, refusal.rule) for refusal in answer] == [(field, None)]
