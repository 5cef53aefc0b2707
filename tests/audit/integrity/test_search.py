"""The search while the house goes on: how long it may take, what ends it, what comes after a fault."""

import asyncio
import time
import tracemalloc
from contextlib import closing
from typing import Any

import asyncpg
import pytest

from libs.contracts import wallet_events as w
from libs.projecting import Pool, migrator
from services.audit.integrity import checks, in_common
from services.audit.integrity.checks import look
from services.audit.integrity.in_common import MOST_SHARE, read_shared
from services.audit.verifying.findings import Finding, Kind
from tests.audit.integrity.folded import ForEver, month_of, shared_identity
from tests.audit.integrity.test_checks import hand, reported
from tests.audit.integrity.test_job import known_to
from tests.audit.scripted import T0, Script, evening

NOW = T0 + 86_400_000
CROWD = [f"p{number}" for number in range(5_000)]


def shared_by(*players: str) -> Script:
    script = evening()
    for player in players:
        script.at_wallet(player, w.SignalReported, by="operator:o", report="n1", kind="device", value="5f" * 16)
    return script


@pytest.mark.stack
async def test_a_search_longer_than_a_transaction_may_stand_opens_its_cases(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the event loop goes on meanwhile."""
    monkeypatch.setattr(migrator, "IDLE_S", 1)
    searching, longest = True, 0.0

    def takes_long(*_: object) -> list[Any]:
        nonlocal searching
        ends = time.monotonic() + 3
        while time.monotonic() < ends:
            pass
        searching = False
        return []

    async def beat() -> None:
        nonlocal longest
        while searching:
            before = time.monotonic()
            await asyncio.sleep(0.01)
            longest = max(longest, time.monotonic() - before)

    pool = await known_to(database, shared_by("ann", "bob"))
    monkeypatch.setattr(checks, "soft_play", takes_long)
    found, _ = await asyncio.gather(look(pool, NOW), beat())
    assert [(case.kind, case.players) for case in found] == [("shared_identity", ("ann", "bob"))]
    assert longest < 2
    await pool.close()


@pytest.mark.stack
async def test_a_search_that_is_cancelled_ends_at_once(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its thread, too: the process waits for it."""
    for_ever = ForEver()
    pool = await known_to(database, evening())
    monkeypatch.setattr(checks, "chip_dumping", for_ever)
    searching = asyncio.create_task(look(pool, NOW))
    assert await asyncio.to_thread(for_ever.begun.wait, 30)
    searching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await searching
    assert await asyncio.to_thread(for_ever.ended.wait, 30)
    await pool.close()


async def test_after_a_search_that_fails_the_next_one_comes_when_it_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also after a connection that was lost: each reads a month of hands."""
    faults: list[Exception] = [
        ValueError("of a record"),
        RecursionError(),
        asyncpg.ConnectionDoesNotExistError(),
        asyncpg.UndefinedTableError(),
    ]
    waited, told = list[float](), list[Exception]()

    async def failing(*_: object) -> Any:
        raise faults[len(told)]

    async def sleep(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == len(faults):
            raise asyncio.CancelledError

    monkeypatch.setattr(checks, "look", failing)
    monkeypatch.setattr(checks.asyncio, "sleep", sleep)  # type: ignore[attr-defined]
    pool: Any = None
    with pytest.raises(asyncio.CancelledError):
        await checks.run(pool, 3600.0, lambda case: None, on_fault=told.append)
    assert told == faults
    assert waited == [3600.0] * len(faults)


def test_an_address_of_thousands_is_no_evidence_and_costs_no_pairs() -> None:
    """5,000 players are 12.5 million pairs."""
    hands = [hand(number, players=dict(enumerate(CROWD[number * 6 : number * 6 + 6], 1))) for number in range(800)]
    shared = {("address", "nat"): reported(*CROWD), ("device", "d1"): reported("p7", "p8", "p4000")}
    with closing(month_of(hands)) as month:
        tracemalloc.start()
        (case,) = in_common.shared_identity(month.together["hands"], shared)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    evidence = {"shared": ["device"], "reported_by": ["operator:o"]}
    assert (case.players, case.hands, case.evidence) == (("p7", "p8"), (("t1", 1),), evidence)
    assert peak < 5_000_000


@pytest.mark.parametrize(("players", "opened"), [(MOST_SHARE, 15), (MOST_SHARE + 1, 0)])
def test_from_how_many_on_it_tells_nothing(players: int, opened: int) -> None:
    together = hand(1, players=dict(enumerate(CROWD[:6], 1)))
    assert len(shared_identity([together], {("address", "a1"): reported(*CROWD[:players])})) == opened


async def report(pool: Pool, player: str, value: str, times: int = 1) -> None:
    await pool.executemany(
        "insert into account_signals (account, report, player, kind, value, at, mark)"
        " values ('a-' || $1, $2, $1, 'address', $3, 1, '')",
        [(player, f"{value}-{number}", value) for number in range(times)],
    )


@pytest.mark.stack
async def test_what_too_many_have_in_common_is_told_and_hides_nothing_else(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_common, "MOST_SHARE", 2)
    pool, found = await known_to(database, shared_by("ann", "bob")), list[Finding]()
    for player in ("ann", "bob", "cem"):
        await report(pool, player, "nat")
    (case,) = await look(pool, NOW, on_finding=found.append)
    assert (case.players, case.evidence["shared"]) == (("ann", "bob"), ["device"])
    assert [(each.kind, each.stream) for each in found] == [(Kind.SHARED_BY_MANY, "signal-address-nat")]
    await pool.close()


@pytest.mark.stack
async def test_signals_are_read_of_those_who_played_alone(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_common, "_PLAYERS", 2)
    pool = await known_to(database, evening())
    for player in ("ann", "bob", "zoe", *CROWD[:60]):
        await report(pool, player, "nat", times=2)
    await report(pool, "cem", "of their own", times=2)
    async with pool.acquire() as connection, connection.transaction():
        shared = await read_shared(connection, {"ann", "bob", "cem"}, None)
        assert {what: each.whose for what, each in shared.items()} == {("address", "nat"): {"": {"ann", "bob"}}}
        (most,) = (await read_shared(connection, {"ann", *CROWD}, None)).values()
    assert (most.players, most.by, most.whose) == (61, {"": 61}, {}), "nobody is held who is left out"
    await pool.close()
