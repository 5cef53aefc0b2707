"""A seat that changes hands while bets are open: what lies there is the new player's (found by the simulation)."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts import baccarat_events as b
from libs.contracts import table_events as t
from libs.contracts.facts import Fact
from libs.views.table import TableView, dealt_to
from services.gateway.views.tables import Tables
from tests.banked.script import BACCARAT, POKER
from tests.gateway.banked.told import antes, coup_open, deal, opened, seated

CAROL = {"player": "carol", "reservation": "carol@1"}


def test_the_ante_and_the_cards_are_those_of_who_sits_there_now() -> None:
    betting, ante, _ = antes()
    view = _view(POKER, betting, replace(ante, **CAROL), *deal()[:2])
    assert view.round is not None
    assert (view.round.staked_by("carol"), view.round.staked_by("alice")) == (500, 0)
    assert (dealt_to(view, "carol"), dealt_to(view, "alice")) == (1, None)


@pytest.mark.parametrize("area", ["ponto", "par_banca"])
def test_the_stakes_are_those_of_who_sits_there_now(area: str) -> None:
    betting, stake, *_ = coup_open()
    assert isinstance(stake, b.StakePlaced)
    view = _view(BACCARAT, betting, replace(stake, **CAROL, area=area))
    assert view.round is not None
    assert (view.round.staked_by("carol"), view.round.staked_by("alice")) == (stake.total, 0)


def _view(table: str, betting: Fact, *then: Fact) -> TableView:
    """Alice has gone after the betting opened, and Carol has taken her seat."""
    gone = t.PlayerLeft(table=table, **_alice(table), stack=10_000, currency="EUR", reason="player")
    came = replace(seated(table, 1), **CAROL)
    tables = Tables()
    for version, fact in enumerate([opened(table), seated(table, 1), betting, gone, came, *then], 1):
        tables.accept(table, fact, version)
    view = tables.view(table)
    assert view is not None
    return view


def _alice(table: str) -> dict[str, Any]:
    return {"seat": 1, "player": "alice", "reservation": f"alice@{table}"}
