"""What a player of baccarat is shown: the coup, the roads of its shoe, the last coup, the rules."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from services.cli.certifying.rules import read_matrices
from services.gateway.app.gateway import Gateway
from services.gateway.views.banked_rules import DRAWING, PAYS
from services.table.domain.games.baccarat import dealing, paying
from tests.banked.script import BACCARAT
from tests.gateway.banked import told
from tests.gateway.banked.told import UNTIL
from tests.gateway.conftest import House

Asks = Callable[..., Any]


@pytest.fixture
def table(house: House, gateway: Gateway) -> House:
    gateway.now = lambda: 45_000
    facts = (told.opened(BACCARAT), told.seated(BACCARAT, 1), told.seated(BACCARAT, 2), told.shoe())
    house.publish(*facts, table=BACCARAT)
    return house


@pytest.fixture
def asks(http: httpx.AsyncClient, gateway: Gateway) -> Asks:
    async def ask(player: str, path: str) -> Any:
        token, _ = gateway.sessions.open(player, gateway.now())
        answer = await http.get(f"/v1/tables/{BACCARAT}{path}", headers={"authorization": f"Bearer {token}"})
        assert answer.status_code == 200, answer.text
        return answer.json()

    return ask


@pytest.mark.rule("pt-812-2015-baccarat", "27")
async def test_calls_and_countdown_are_the_same_for_all(table: House, asks: Asks) -> None:
    table.publish(*told.coup_open(), table=BACCARAT)
    shown = [(await asks(player, ""))["round"] for player in ("alice", "bob")]
    assert {(r["call"], r["until"], r["left_ms"]) for r in shown} == {("place your bets", UNTIL, 15_000)}
    assert shown[0]["totals"] == {"banca": 2_000, "ponto": 1_000}
    assert [seat["stakes"] for seat in shown[0]["seats"]] == [{"banca": 2_000}, {"ponto": 1_000}]
    table.publish(told.coup_cards()[0], table=BACCARAT)
    assert (await asks("bob", ""))["round"]["call"] == "no more bets, cards in distribution"


@pytest.mark.rule("pt-812-2015-baccarat", "6.a")
async def test_areas_for_pairs_are_there_where_pairs_are_offered(table: House, asks: Asks, house: House) -> None:
    table.publish(*told.coup_open(), table=BACCARAT)
    assert (await asks("alice", ""))["round"]["areas"] == ["empate", "banca", "ponto", "par_ponto", "par_banca"]
    house.versions.pop("bacara-2", None)
    plain = replace(told.opened(BACCARAT, pair_bets=False), table="bacara-2")
    opened = replace(told.coup_open()[0], table="bacara-2")
    house.publish(plain, opened, table="bacara-2")
    view = house.gateway.floor.view("bacara-2", "alice") if house.gateway else None
    assert view is not None
    assert view["round"]["areas"] == ["empate", "banca", "ponto"]


@pytest.mark.rule("pt-812-2015-baccarat", "21")
async def test_the_third_card_lies_apart(table: House, asks: Asks) -> None:
    table.publish(*told.coup_open(), *told.coup_cards(), table=BACCARAT)
    shown = (await asks("alice", ""))["round"]
    assert shown["ponto"] == {"initial": ["2c", "3c"], "third": "9s", "score": 4, "natural": False}
    assert shown["banca"] == {"initial": ["Ah", "2d"], "third": None, "score": 3, "natural": False}


async def test_the_roads_follow_the_shoe(table: House, asks: Asks) -> None:
    for number in (1, 2):
        table.publish(*told.coup_open(number), *told.coup_cards(number), told.coup_paid(number, number), table=BACCARAT)
    shoe = (await asks("alice", ""))["shoe"]
    marks = shoe["marks"]
    assert [(mark["round"], mark["bead"]["column"], mark["bead"]["row"], mark["winner"]) for mark in marks] == [
        (1, 1, 1, "ponto"),
        (2, 1, 2, "ponto"),
    ]
    assert [(mark["big"]["row"], mark["big"]["ties"]) for mark in marks] == [(1, 0), (2, 0)]
    assert (shoe["shoe"], shoe["decks"], shoe["cards_left"]) == (1, 8, 411)
    table.publish(replace(told.shoe(), shoe=2), table=BACCARAT)
    assert (await asks("alice", ""))["shoe"]["marks"] == []


@pytest.mark.rule("pt-812-2015-baccarat", "31")
async def test_the_last_coup_is_shown_with_all_cards_in_order(table: House, asks: Asks) -> None:
    table.publish(*told.coup_open(), *told.coup_cards(), told.coup_paid(), table=BACCARAT)
    last = await asks("bob", "/last-round")
    assert [(c["owner"], c["place"], c["card"]) for c in last["cards"]] == [
        ("ponto", "first", "2c"),
        ("ponto", "second", "3c"),
        ("banca", "first", "Ah"),
        ("banca", "second", "2d"),
        ("ponto", "third", "9s"),
    ]
    assert (last["details"]["ponto"], last["details"]["banca"], last["details"]["winner"]) == (4, 3, "ponto")
    assert (last["own"]["stakes"], last["own"]["credited"], last["own"]["commission"]) == (
        {"ponto": 1_000}, 2_000, 0,
    )  # fmt: skip


@pytest.mark.rule("pt-812-2015-baccarat", "D.4", "32")
async def test_base_rules_and_specific_rules_are_shown_without_a_login(table: House, http: httpx.AsyncClient) -> None:
    rules = (await http.get(f"/v1/tables/{BACCARAT}/rules")).json()
    assert rules["limits"] == {
        "min": 100, "ponto_banca_max": 7_000, "tie_max": 1_500, "pair_max": 800, "prize_limit": None,
    }  # fmt: skip
    assert rules["tables"]["pay_table"] == {"ponto": 1, "banca": 1, "empate": 8, "par_ponto": 11, "par_banca": 11}
    assert rules["tables"]["commission_mode"] == "five-percent"
    assert rules["tables"]["drawing_table"] == DRAWING
    said = " ".join(rules["taking_part"])
    assert "5 % is deducted from the winnings of each round won by Banca" in said
    assert "The most is 70.00 EUR on Ponto or Banca, 15.00 EUR on the tie, 8.00 EUR on either pair." in said
    text = (await http.get(rules["regulation_text"])).json()["text"]
    assert "publicadas e disponibilizadas de forma permanente e gratuita" in text
    assert "43 — Caso a entidade exploradora fixe um limite máximo" in text


@pytest.mark.rule("pt-812-2015-baccarat", "32")
def test_what_is_shown_is_what_is_played() -> None:
    """The drawing table and the odds on the page are those of the game's own code."""
    by_third = DRAWING["banca_draws_by_third_card_of_ponto"]
    for score in range(8):
        drawn = [third for third in range(1, 11) if dealing.banca_draws(score, third)]
        assert by_third[str(score)] == drawn, score
        assert dealing.banca_draws(score, None) == (score in DRAWING["banca_draws_on_if_ponto_stands"])
    assert PAYS == paying.PAYS


@pytest.mark.rule("pt-812-2015-baccarat", "32")
def test_the_drawing_table_that_is_shown_is_the_regulations(shared: Path) -> None:
    drawing = read_matrices(shared / "regulations")["pt-812-2015-baccarat-online"]["20"]["drawing_table"]
    assert DRAWING["ponto_draws_on"] == drawing["ponto"]["draws_on"]
    assert DRAWING["banca_draws_on_if_ponto_stands"] == drawing["banca_when_ponto_stands"]["draws_on"]
    rows = drawing["banca_when_ponto_draws"]
    by_third = {str(score): row["draws_if_ponto_third_is"] for row in rows for score in row["banca_has"]}
    assert DRAWING["banca_draws_by_third_card_of_ponto"] == by_third
