"""Payments, credits and won tickets on their way between wallet and tournament: silence is told by the clock."""

from functools import partial
from time import time
from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts import tournaments_events as t
from libs.contracts import wallet_events as w
from libs.contracts.poker_events import HandEnded, SeatResult
from libs.contracts.tournament_play_events import EntryEliminated
from libs.contracts.tournaments_events import Credit
from libs.money.chips import NO_CURRENCY
from libs.projecting import Pool, project
from services.audit.marked_rows import Evidence
from services.audit.projections.live_checks import LiveChecks
from services.audit.projections.waiting_checks import (
    FIRST,
    LATEST_MS,
    PASSAGES_SINCE,
    QUIET_MS,
    check_open_passages,
)
from services.audit.verifying.findings import Finding, Kind
from tests.audit.scripted import T0, Script
from tests.audit.test_live_checks import announced, fresh, source_of

pytestmark = pytest.mark.stack
OF: dict[str, Any] = {"tournament": "t-1", "at": T0, "currency": "EUR"}
BOUGHT: dict[str, Any] = {"payment": "e1", "bought": "entry", "entry": "e1", "player": "ann", "amount": 100, "chips": 1}


def paid(script: Script) -> None:
    figures: dict[str, Any] = {"available": 900, "reserved": 0}
    script.say("ann-EUR", w.TournamentPaid(tournament="t-1", payment="e1", amount=100, **figures))


def taken(script: Script) -> None:
    script.say("t-1", t.PlayerRegistered(**OF, **BOUGHT, prize=100, fee=0, bounty=0, number=1))


def due(script: Script, amount: int = 100) -> None:
    script.say("t-1", t.CreditsDue(**OF, why="refund", credits=[Credit("e1.refund", "e1", "ann", prize=amount)]))


def credited(script: Script) -> None:
    figures: dict[str, Any] = {"available": 1_000, "reserved": 0}
    script.say(
        "ann-EUR", w.TournamentCredited(tournament="t-1", credit="e1.refund", amount=100, why="refund", **figures)
    )


async def read(pool: Pool, *steps: Any, since: int = T0, began: int = 0) -> Script:
    """`since`: when this was first looked at, `began`: when anything was; milliseconds since the epoch."""
    script = announced("t-1")
    for step in steps:
        step(script)
    at = "update migrations set applied_at = to_timestamp($1::float8 / 1000) where name = $2"
    await pool.execute(at, since, PASSAGES_SINCE)
    await pool.execute(at, began, FIRST)
    await project(pool, "audit", [LiveChecks()], source_of(script.events), limit=1)
    return script


async def waits(pool: Pool, now: int) -> list[Finding]:
    async with pool.acquire() as connection:
        return await check_open_passages(connection, now)


@pytest.mark.parametrize("steps", [(paid, taken, due, credited), (taken, paid, credited, due)], ids=["here", "there"])
async def test_what_comes_to_the_other_side_is_over_whoever_is_heard_first(database: str, steps: Any) -> None:
    pool = await fresh(database)
    await read(pool, *steps)
    assert await waits(pool, T0 + 10 * LATEST_MS) == []
    assert await pool.fetchval("select bool_and(over) from check_states where check_name = 'passage'")
    await pool.close()


@pytest.mark.parametrize(("steps", "name"), [((paid,), "t-1/e1"), ((paid, taken, due), "t-1/e1.refund/back")])
async def test_what_never_comes_is_told_after_a_while(database: str, steps: Any, name: str) -> None:
    """Found by an attacker: a credit that no account took stayed on its way, and the full walk alone said so."""
    pool = await fresh(database)
    script = await read(pool, *steps)
    at = script.events[-1].time + QUIET_MS
    assert await waits(pool, at) == []
    (found,) = await waits(pool, at + 1)
    assert (found.kind, found.detail) == (Kind.RESERVE_OPEN, f"{name}: 100 left one side, None came to the other")
    await pool.close()


async def test_another_amount_is_told(database: str) -> None:
    pool = await fresh(database)
    script = await read(pool, paid, taken, lambda script: due(script, 99), credited)
    assert [each.kind for each in await waits(pool, script.events[-1].time + QUIET_MS + 1)] == [Kind.RESERVE]
    await pool.close()


async def test_what_left_before_this_was_asked_accuses_nobody(database: str) -> None:
    pool = await fresh(database)
    script = await read(pool, taken, due, since=T0 + 1_000_000_000)
    assert await waits(pool, script.events[-1].time + LATEST_MS) == []
    await pool.close()


async def test_a_house_that_never_was_without_it_is_never_blind(database: str) -> None:
    """Found by an attacker: for three days after the migration nothing was told of what had come and never left."""
    pool = await fresh(database)
    script = await read(pool, credited, since=T0, began=T0 - 5_000)
    (found,) = await waits(pool, script.events[-1].time + QUIET_MS + 1)
    assert found.detail == "t-1/e1.refund/back: None left one side, 100 came to the other"
    await pool.close()


async def test_an_auditor_that_was_there_before_it_accuses_nobody_for_three_days(database: str) -> None:
    pool = await fresh(database)
    script = await read(pool, credited, since=T0, began=T0 - 3_600_000)
    assert await waits(pool, script.events[-1].time + QUIET_MS + 1) == []
    await pool.close()


async def test_a_side_that_is_told_twice_is_an_incident_at_once(database: str) -> None:
    """Found by an attacker: the second one took the place of the first, and the clock began anew."""
    pool = await fresh(database)
    script = await read(pool, paid, lambda script: again(script))
    told = await pool.fetch("select detail from incidents where kind = 'reserve_does_not_match'")
    assert [each["detail"] for each in told] == ["t-1/e1: 1 left one side, and 100 did before"]
    (found,) = await waits(pool, script.events[-1].time + QUIET_MS + 1)
    assert found.detail == "t-1/e1: 100 left one side, None came to the other"
    await pool.close()


def again(script: Script) -> None:
    script.say("ann-EUR", w.TournamentPaid(tournament="t-1", payment="e1", amount=1, available=899, reserved=0))


async def test_the_other_side_is_waited_for_from_when_this_one_was_heard(database: str) -> None:
    """Found by an attacker: who writes an event tells its time, and one that comes in years never rang."""
    pool = await fresh(database)
    script = announced("t-1")
    paid(script)
    now = int(time() * 1000)
    script.events[-1] = replace(script.events[-1], time=now + 365 * 86_400_000)
    await project(pool, "audit", [LiveChecks()], source_of(script.events), limit=1)
    (found,) = await waits(pool, now + QUIET_MS + 60_000)
    assert found.detail == "t-1/e1: 100 left one side, None came to the other"
    await pool.close()


def broke(script: Script, hand: int) -> None:
    results = [SeatResult(1, "ann", "e1.1", 100, 0, 0, stack=0), SeatResult(2, "ben", "e2.1", 100, 200, 0, stack=200)]
    of: dict[str, Any] = {"table": "t-1.t1", "at": T0, "hand": hand, "currency": NO_CURRENCY}
    script.say("t-1.t1", HandEnded(**of, results=results, rake=0, exemption=None))


def out(script: Script, hand: int) -> None:
    of: dict[str, Any] = {"tournament": "t-1", "at": T0, "table": 1, "seat": 1, "entry": "e1", "player": "ann"}
    script.say("t-1", EntryEliminated(**of, sitting="e1.1", hand=hand, first=2, last=2))


async def test_who_buys_chips_again_and_again_costs_no_look_anything(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each lost stack left a row that every look read again, for ever."""
    pool = await fresh(database)
    lost = [partial(broke, hand=hand) for hand in range(1, 31)]
    await read(pool, *lost, partial(out, hand=30), partial(out, hand=40), began=T0)
    looked: list[str] = []

    def why_not(marks: Any, row: Any) -> None:
        looked.append(row["stream"])

    monkeypatch.setattr(Evidence, "why_not", lambda self, marks, row: why_not(marks, row))
    said = [each.detail for each in await waits(pool, T0 + LATEST_MS)]
    assert said == ["t-1/e1.1/40: out of the tournament, and has lost all chips in no such hand"]
    assert looked == ["/out/t-1/e1.1/40"]
    assert await pool.fetchval("select count(*) from check_states where check_name = 'passage' and not over") == 30
    await pool.close()
