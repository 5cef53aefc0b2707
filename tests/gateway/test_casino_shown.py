"""What casino poker wants shown to people: a real table plays, and the gateway tells it as data and in words."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from libs.cards.card import names_of
from libs.contracts.poker_events import HandStarted
from libs.money.words import in_words
from tests.gateway.conftest import House
from tests.table.casino.play import CASINO_OMAHA, casino, h6, led, o6, rule, to_flop
from tests.table.play import TableUnderTest

See = Callable[..., Any]


@pytest.fixture
def show(house: House, http: httpx.AsyncClient, as_player: Any) -> See:
    """Publishes what the table has told since the last time; gets the table as a player sees it."""

    async def shown(table: TableUnderTest, player: str = "p1", path: str = "") -> Any:
        told = house.versions.get("t1", 0)
        house.publish(*table.told[told:], table="t1")
        answer = await http.get(f"/v1/tables/t1{path}", headers=as_player(player))
        assert answer.status_code == 200, answer.text
        return answer.json()

    return shown


@rule("20")
async def test_the_minimum_is_shown_to_who_is_not_seated(show: See, http: httpx.AsyncClient) -> None:
    view = await show(casino(1, 2, 3, 4, table_max=1000), "a spectator")
    assert (view["configuration"]["betting"]["big_blind"], view["configuration"]["betting"]["table_max"]) == (200, 1000)
    told = (await http.get("/v1/tables/t1/rules")).json()["taking_part"]
    assert f"The table minimum is {in_words(200, 'EUR')}: no bet and no raise is lower." in told


@rule("2.a", "86", "87", "7.a")
async def test_the_rules_are_told_in_words(show: See, http: httpx.AsyncClient) -> None:
    await show(casino(1, 2, 3, 4, rulebook=CASINO_OMAHA, rake_bp=500, rake_cap=500))
    rules = (await http.get("/v1/tables/t1/rules")).json()
    words = " ".join(rules["taking_part"])
    assert "At most 3 raises in a round" in words
    assert "5.00 % of each payment out of a pot, at most" in words
    assert "lead seat" in words
    assert rules["configuration"]["variant"] == "omaha"


@rule("29", "81")
async def test_the_marker_is_shown_on_the_lead_seat(show: See) -> None:
    view = await show(led(casino(2, 5, 6, 9), 6))
    assert (view["hand"]["lead"], view["hand"]["small_blind"], view["hand"]["big_blind"]) == (6, 6, 9)


@rule("9.b", "37", "36")
async def test_turn_and_choices_are_shown_to_everybody_alike(show: See) -> None:
    table = h6().plays("3 fold")
    for player in ("p1", "p5", "a spectator"):
        decision = (await show(table, player))["hand"]["decision"]
        assert (decision["seat"], decision["legal"]) == (
            4,
            {"check": False, "call": 200, "min_to": 400, "max_to": 20_000},
        )


@rule("52", "9.f")
async def test_stack_bet_and_pot_are_told_apart(show: See) -> None:
    table = h6()
    before = await show(table)
    table.plays("3 raise 600")
    view = await show(table)
    seats = {seat["seat"]: seat for seat in view["hand"]["seats"]}
    stacks = {seat["seat"]: seat["stack"] for seat in view["seats"]}
    assert (stacks[3], seats[3]["bet"]) == (19_400, 600)
    for each in (before, view):
        pots = sum(pot["amount"] for pot in each["hand"]["pots"])
        assert sum(seat["stack"] for seat in each["seats"]) + pots == 120_000


@rule("34", "54", "39.a")
async def test_no_card_of_another_is_in_the_view(show: See) -> None:
    table = to_flop(h6(), 1, 2, 3)
    (started,) = table.of(HandStarted, everything=True)
    view = await show(table, "p4")
    open_cards = set(view["hand"]["board"])
    assert len(open_cards) == 3
    unseen = set(names_of(table.deck_of(started).cards)) - open_cards
    assert not [card for card in unseen if f'"{card}"' in json.dumps(view)]
    assert all(seat["cards"] == [] for seat in view["hand"]["seats"])
    folded = next(seat for seat in view["hand"]["seats"] if seat["seat"] == 4)
    assert folded["folded"]
    table.checks_down()
    after = await show(table, "p4")
    shown = {seat["seat"]: seat["cards"] for seat in after["hand"]["seats"]}
    assert [len(shown[seat]) for seat in (1, 2, 3)] == [2, 2, 2]
    assert [shown[seat] for seat in (4, 5, 6)] == [[], [], []]


@rule("90", "38")
async def test_dead_money_stands_in_the_main_pot_and_gives_no_claim(show: See) -> None:
    table = casino(1, 2, 4, 6, 9)
    assert table.sit_out(6) is None
    led(table, 4).folds_round()
    table.deal().folds_round()
    assert table.sit_in(6) is None
    table.deal()
    view = await show(table)
    (pot,) = view["hand"]["pots"]
    seat = next(seat for seat in view["hand"]["seats"] if seat["seat"] == 6)
    assert (pot["amount"], seat["bet"], seat["staked"], 6 in pot["eligible"]) == (600, 0, 300, False)
    table.plays("4 fold", "6 call")
    (pot,) = (await show(table))["hand"]["pots"]
    assert (pot["amount"], 6 in pot["eligible"]) == (800, True)


@rule("77")
async def test_four_face_down_cards_in_omaha(show: See) -> None:
    view = await show(o6(), "a spectator")
    assert all(seat["positions"] and seat["cards"] == [] for seat in view["hand"]["seats"])
