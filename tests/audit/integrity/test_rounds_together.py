"""Rounds against the house in which several hold cards: who shares something tells the others theirs."""

from itertools import combinations
from typing import Any

import pytest

from libs.contracts import wallet_events as w
from libs.projecting import Pool, migrate, open_pool, project
from services.audit.integrity.checks import look
from services.audit.projections.histories import Histories
from services.audit.projections.signals import Signals
from services.audit.settings import MIGRATIONS, SCHEMA
from tests.banked.script import BACCARAT, POKER, BankedScript, baccarat, no_draw
from tests.testkit.memory_source import MemorySource

pytestmark = pytest.mark.stack
NOW = 1_000
"""The script's rounds began at 0."""
SEVEN = [f"p{number}" for number in range(1, 8)]


def played(at: str, configuration: Any, *players: str, kind: Any = "real") -> BankedScript:
    """Two rounds: all are in the first, in the second all but the last one."""
    script = BankedScript(kind)
    script.open_against(at, configuration)
    for player in players:
        script.deposit(player, 100_000)
        script.sit(player, at, 20_000)
    for there in (players, players[:-1]):
        script.betting(at)
        for player in there:
            script.stake(at, player, "ante" if at == POKER else "banca", 300)
        script.settle_round(at, {})
    return script


def share(script: BankedScript, *players: str) -> None:
    for player in players:
        account = f"account-{player}-EUR"
        report = {"by": "operator:o", "report": "n1", "kind": "device", "value": "5f" * 16}
        script.emit(account, w.SignalReported(account=account, player=player, currency="EUR", **report))  # type: ignore[arg-type]


async def known_to(database: str, script: BankedScript) -> Pool:
    await migrate(database, SCHEMA, MIGRATIONS)
    pool = await open_pool(database, SCHEMA)
    await project(pool, "audit", [Histories(), Signals()], MemorySource(script.records))
    return pool


@pytest.mark.rule("pt-811-2015", "11.c")
async def test_accounts_of_one_device_in_one_round_of_no_draw_poker_are_cases(database: str) -> None:
    """Found by an attacker: seven accounts of one device share their cards, 2.3 % of the ante for them, and no case."""
    script = played(POKER, no_draw(), *SEVEN)
    share(script, *SEVEN)
    pool = await known_to(database, script)
    found = await look(pool, NOW)
    await pool.close()
    both = {case.players: case.hands for case in found if case.kind == "shared_identity"}
    assert set(both) == set(combinations(SEVEN, 2))
    assert (both["p1", "p2"], both["p1", "p7"]) == (((POKER, 1), (POKER, 2)), ((POKER, 1),))


@pytest.mark.parametrize(
    ("at", "configuration", "kind"),
    [(BACCARAT, baccarat(), "real"), (POKER, no_draw(), "demo")],
    ids=["all cards are open", "play money"],
)
async def test_where_nobody_can_tell_anything_it_is_none(database: str, at: str, configuration: Any, kind: Any) -> None:
    script = played(at, configuration, "p1", "p2", kind=kind)
    share(script, "p1", "p2")
    pool = await known_to(database, script)
    assert await look(pool, NOW) == []
    await pool.close()


async def test_who_sat_apart_is_none(database: str) -> None:
    script = played(POKER, no_draw(), "p1", "p2")
    share(script, "p1", "p3")
    pool = await known_to(database, script)
    assert await look(pool, NOW) == []
    await pool.close()
