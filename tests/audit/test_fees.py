"""A session's fee, table against wallet: silence after the grace is told, once both sides were heard so far."""

from typing import Any

import pytest

from libs.contracts import poker_events as p
from libs.contracts import table_events as t
from libs.contracts import wallet_events as w
from libs.projecting import Pool, project
from services.audit.projections.live_checks import LiveChecks
from services.audit.projections.waiting_checks import QUIET_MS, SINCE, check_open_fees
from services.audit.settings import SCHEMA
from services.audit.verifying.facts import FactChecks
from services.audit.verifying.findings import Kind
from services.audit.verifying.sittings import GRACE_MS
from services.audit.watch import Watch
from tests.audit.scripted import CONFIGURATION, T0, Script
from tests.audit.test_live_checks import fresh, incidents, source_of

DUE = {"session": 1, "seat": 1, "reservation": "s-ann", "kind": "real", "rulebook": CONFIGURATION.rulebook}


def asked(script: Script, fee: str = "fee-1", **changes: Any) -> None:
    script.at_table(
        p.SessionFeeDue, **{**DUE, "fee": fee, "player": "ann", "currency": "EUR", "amount": 200, **changes}
    )


def charged(script: Script, fee: str = "fee-1", player: str = "ann", **changes: Any) -> None:
    told = {"fee": fee, "table": "table-1", "amount": 200, "available": 800, **changes}
    script.at_wallet(player, w.FeeCharged, **told, rulebook=CONFIGURATION.rulebook, reserved=0)


def script(*steps: Any) -> Script:
    """Ann has 1000."""
    told = Script()
    told.at_wallet("ann", w.FundsDeposited, reserved=0, by="operator:o", reference="d", amount=1000, available=1000)
    for step in steps:
        step(told)
    return told


def later(told: Script) -> None:
    told.at_table(t.TablePaused, by="staff", reason="later")


def kinds(told: Script, grace_ms: int = 0) -> list[Kind]:
    checks, found = FactChecks(), []
    for event, fact in zip(told.events, told.facts, strict=True):
        found += list(checks.take(event, fact))
    found += list(checks.end(told.events[-1].time + 1, grace_ms))
    return [each.kind for each in found]


def test_a_fee_that_is_charged_or_refused_is_over_whoever_is_heard_first() -> None:
    refused = {"fee": "fee-2", "table": "table-1", "amount": 9000, "available": 800, "reason": "insufficient_funds"}
    honest = script(asked, charged, lambda told: asked(told, "fee-2", amount=9000))
    honest.at_wallet("ann", w.FeeRefused, **refused)
    assert kinds(honest) == []
    assert kinds(script(charged, asked)) == []


def test_what_fell_due_and_was_never_charged_is_found_after_the_grace() -> None:
    silent = script(asked, later, later)
    assert kinds(silent) == [Kind.FEE_OPEN]
    assert kinds(silent, grace_ms=10_000) == []


@pytest.mark.parametrize(
    "answer",
    [
        {"amount": 199, "available": 801},
        {"amount": 201, "available": 799},
        {"table": "table-2"},
        {"player": "bob", "available": -200},
        {"fee": "fee-9"},
    ],
)
def test_another_fee_than_was_asked_for_is_found(answer: dict[str, Any]) -> None:
    assert Kind.FEE in kinds(script(asked, lambda told: charged(told, **answer), later))


async def read(pool: Pool, told: Script) -> None:
    await project(pool, "audit", [LiveChecks()], source_of(told.events), limit=1)


async def open_fees(pool: Pool, now: int, wallet: int) -> list[Kind]:
    """`wallet`: when its last event was, in each partition."""
    async with pool.acquire() as connection:
        return [each.kind for each in await check_open_fees(connection, now, [wallet] * 4)]


async def since(pool: Pool, at: int) -> None:
    """The check is there since then."""
    await pool.execute("update migrations set applied_at = to_timestamp($1::float8 / 1000) where name = $2", at, SINCE)


@pytest.mark.stack
async def test_silence_is_told_when_the_wallet_has_gone_on_or_is_quiet_for_long(database: str) -> None:
    pool = await fresh(database)
    await since(pool, T0)
    told = script(asked, later)
    await read(pool, told)
    due = told.events[1].time
    on_time = due + GRACE_MS + 1
    assert await open_fees(pool, on_time - 1, on_time) == []
    assert await open_fees(pool, on_time, on_time) == [Kind.FEE_OPEN]
    assert await open_fees(pool, on_time + QUIET_MS - 1, due) == [], "the wallet is behind"
    assert await open_fees(pool, on_time + QUIET_MS, due) == [Kind.FEE_OPEN]
    charged(told)
    await read(pool, told)
    assert await open_fees(pool, on_time + QUIET_MS, on_time) == []
    assert await pool.fetchval("select over from check_states where check_name = 'fee'")
    async with pool.acquire() as connection:
        assert (await incidents(connection))[0] == []
    await pool.close()


@pytest.mark.stack
async def test_a_fee_of_before_the_check_accuses_nobody(database: str) -> None:
    """Its charge, or its falling due, was read by who did not check it yet."""
    pool = await fresh(database)
    told = script(asked, lambda told: charged(told, "fee-0"), later)
    await read(pool, told)
    assert await open_fees(pool, told.events[-1].time + 2 * QUIET_MS, 2**60) == []
    await since(pool, told.events[1].time)
    assert await open_fees(pool, told.events[-1].time + 2 * QUIET_MS, 2**60) == [Kind.FEE_OPEN], "of fee-1 alone"
    await pool.close()


@pytest.mark.stack
async def test_the_watch_tells_a_fee_that_was_passed_over(database: str) -> None:
    pool = await fresh(database)
    await since(pool, T0)
    told = script(asked, later)
    source = source_of(told.events)
    await project(pool, "audit", [LiveChecks()], source)
    watch = Watch(pool, source, [SCHEMA], SCHEMA)  # type: ignore[arg-type]  # as much of a source as it asks for
    assert [each.kind for each in await watch.look()] == [Kind.FEE_OPEN]
    await pool.close()
