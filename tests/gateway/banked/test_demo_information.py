"""Who plays for money and for play money at once: the information page of a table tells the session of its own kind."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from libs.money.play import PLAY_CURRENCY
from libs.projecting import Pool
from services.gateway.app.gateway import Gateway
from tests.gateway.banked.seeing import Floor
from tests.gateway.books import Books
from tests.gateway.conftest import House
from tests.table.baccarat.play import SCORING, CoupTable
from tests.table.no_draw.play import NO_KING, NoDraw
from tests.table.omaha.play import game
from tests.table.play import TableUnderTest
from tests.table.under_test import AnyTable

rule = pytest.mark.rule
ELSEWHERE = 777
"""Staked and lost at the other table, minor units."""


def coup(kind: str, staked: int) -> CoupTable:
    """p1 has staked and lost so much, and sits there still."""
    table = CoupTable(kind=kind).seat(1)
    table.plays(SCORING[7, 6], s1=[f"banca {staked}"])
    return table


def no_draw(kind: str, staked: int) -> NoDraw:
    return NoDraw(kind=kind).seat(1).dealt({1: staked}, {1: "Qh Jd 9s 6c 3h"}, NO_KING).plays("1 fold")


def omaha(kind: str, staked: int) -> TableUnderTest:
    """p1 has the small blind, raises it to `staked`, and folds later."""
    table = game(2, (1, 2, 3), kind=kind).plays("2 call", f"3 raise {staked}", "1 call", "2 fold")
    return table.plays("3 bet 100", "1 fold")


@pytest.mark.stack
@pytest.mark.parametrize("asked", ["demo", "real"])
@pytest.mark.parametrize(
    ("here", "there"),
    [
        pytest.param(omaha, coup, marks=rule("pt-811-2015", "66", "74")),
        pytest.param(no_draw, coup, marks=rule("pt-803-2015-no-draw", "38", "43")),
        pytest.param(coup, no_draw, marks=rule("pt-812-2015-baccarat", "32", "37")),
    ],
    ids=["omaha", "no draw", "baccarat"],
)
async def test_the_page_tells_the_session_for_the_tables_own_kind_of_money(
    house: House,
    http: httpx.AsyncClient,
    as_player: Any,
    gateway: Gateway,
    books_pool: Pool,
    tmp_path: Path,
    here: Callable[[str, int], AnyTable],
    there: Callable[[str, int], AnyTable],
    asked: str,
) -> None:
    """The session elsewhere is the later one, so that nothing but the kind tells which one is meant."""
    other = "real" if asked == "demo" else "demo"
    staked, currency = 500, PLAY_CURRENCY if asked == "demo" else "EUR"
    table, elsewhere = here(asked, staked), there(other, ELSEWHERE)
    floor = Floor(house, http, as_player)
    books = Books(books_pool, gateway, tmp_path, "p1", "p2", "p3")
    await books.follow(table)
    await books.follow(elsewhere)
    told = await floor.shows(table, path="/information")
    assert (told["rules"]["demo"], told["session_known"]) == (asked == "demo", True)
    for session in (told["session"], told["last_session"]):
        (total,) = session["totals"]
        assert (total["currency"], total["staked"], total["result"]) == (currency, staked, -staked)
