"""Póquer sintético in its test profile (the rulebook enabled, play money): pt-217-2007 S.3 to S.11."""

import pytest
from msgspec.structs import replace

from libs.cards.card import name_of
from libs.cards.sintetico import SINTETICO_DECK
from libs.contracts.poker_events import (
    BlindPosted,
    CardsShown,
    DecisionAwaited,
    HandEnded,
    HandStarted,
    HoleCardsDealt,
    StreetDealt,
)
from libs.rulebooks.library import RULEBOOKS
from tests.table.casino.play import SINTETICO, led, rule
from tests.table.play import TableUnderTest, stacked
from tests.testkit.cases import Case


@pytest.fixture(autouse=True)
def _enabled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RULEBOOKS, SINTETICO, replace(RULEBOOKS[SINTETICO], enabled=True))


def table_of(*seats: int) -> TableUnderTest:
    return TableUnderTest(SINTETICO, ante=50, kind="demo").seat(*seats)


@rule("S.3/1")
def test_the_deck_has_28_cards_none_below_the_eight(case: Case) -> None:
    table = table_of(1, 2, 3, 4).deal()
    (started,) = table.of(HandStarted)
    in_play = {name_of(card) for card in table.deck_of(started).cards[: case["cards"]]}
    assert len(in_play) == case["cards"]
    low = {str(rank) for rank in range(2, case["lowest"])}
    assert not {name[0] for name in in_play} & low
    assert {name[0] for name in in_play} == set("TJQKA") | {str(rank) for rank in range(case["lowest"], 10)}


@rule("S.3")
def test_the_cards_below_the_eight_lie_under_the_others() -> None:
    table = table_of(1, 2, 3, 4).deal()
    (started,) = table.of(HandStarted)
    names = [name_of(card) for card in table.deck_of(started).cards]
    assert all(name[0] in "89TJQKA" for name in names[:28])
    assert all(name[0] in "234567" for name in names[28:])


@rule("S.4/1", "S.10")
def test_five_common_cards_one_at_a_time_and_nothing_burnt(case: Case) -> None:
    table = table_of(*range(1, case.int("players") + 1)).deal().checks_down()
    (dealt,) = table.of(HoleCardsDealt, everything=True)
    assert sum(len(deal.positions) for deal in dealt.deals) == case["hole"]
    streets = table.of(StreetDealt, everything=True)
    assert [event.street for event in streets] == ["card_1", "card_2", "card_3", "card_4", "card_5"]
    assert [(len(event.cards), event.burned) for event in streets] == [(1, [])] * case.int("board")


@rule("S.10/1", "S.2")
def test_eleven_players_leave_one_card(case: Case) -> None:
    table = table_of(*range(1, case.int("players") + 1)).deal().checks_down()
    used = [p for e in table.of(HoleCardsDealt, everything=True) for deal in e.deals for p in deal.positions]
    used += [card.position for e in table.of(StreetDealt, everything=True) for card in e.cards]
    assert sorted(used) == list(range(case["used"]))
    streets = table.of(StreetDealt, everything=True)
    assert (len(streets), sum(len(event.burned) for event in streets)) == (case["board"], 0)
    assert len(SINTETICO_DECK) - len(used) == case["left"]


@rule("S.6/1")
def test_everybody_posts_the_ante_and_nobody_a_blind(case: Case) -> None:
    table = TableUnderTest(SINTETICO, ante=case["ante"], kind="demo").seat(*range(1, case.int("players") + 1)).deal()
    posts = table.of(BlindPosted)
    assert [(event.blind, event.amount, event.to) for event in posts] == [("ante", case["ante"], 0)] * case.int(
        "players"
    )
    assert (table.hand.pot, table.hand.bet) == (case["pot"], 0)
    assert table.legal == (True, None, 200, 19_950)


@rule("S.7/1")
def test_five_rounds_each_opened_by_the_lead(case: Case) -> None:
    table = led(table_of(*range(1, case.int("players") + 1)), case["lead"])
    (dealt,) = table.of(HoleCardsDealt)
    assert dealt.deals[0].seat == case["lead"]
    assert table.names[-2:] == ["StreetDealt", "DecisionAwaited"], "no betting before the first common card"
    table.checks_down()
    opened: dict[str, int] = {}
    for event in table.of(DecisionAwaited, everything=True):
        opened.setdefault(event.street, event.seat)
    assert opened == {f"card_{number}": case["lead"] for number in range(case["first"], case["last"] + 1)}


@rule("S.11")
def test_no_cap_of_raises() -> None:
    table = table_of(1, 2, 3, 4).deal().plays("1 bet 200", "2 raise 400", "3 raise 600", "4 raise 800", "1 raise 1000")
    assert table.hand.raises == 4


@rule("S.8", "S.5")
def test_the_flush_is_paid() -> None:
    # Dealt 1 2 3 4 twice, then the board: X (seat 1) Ah Jh, Y (seat 2) Ks Kd.
    deck = "Ah Ks 8s 8c Jh Kd 9s Tc Kh Qh 9h 9c 8d"
    table = table_of(1, 2, 3, 4).deal(fresh=stacked(deck))
    for _ in range(5):
        table.plays("1 check", "2 check", "3 check", "4 check")
    shown = {event.seat: event.category for event in table.of(CardsShown)}
    assert (shown[1], shown[2]) == ("flush", "full_house")
    (ended,) = table.of(HandEnded)
    assert {result.seat: result.won for result in ended.results}[1] == 200
