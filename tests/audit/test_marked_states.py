"""What checks remember, changed with the auditor's login: told, and nothing goes on from it."""

import asyncpg
import pytest

from libs.contracts.topics import topic
from libs.projecting import Pool, project
from services.audit.projections.live_checks import LiveChecks
from services.audit.projections.waiting_checks import check_open_sittings, forget_what_is_over
from services.audit.record_watch import RecordWatch
from services.audit.settings import SCHEMA
from services.audit.verifying.findings import Finding, Kind
from tests.audit.scripted import evening
from tests.testkit.marks import AUDIT
from tests.testkit.memory_source import MemorySource
from tests.testkit.partitions import partition_of

pytestmark = pytest.mark.stack
EVENTS = [(topic(e.type.split(".")[1], "events").name, partition_of(e.stream), e) for e in evening().events]


async def told(pool: Pool, until: int | None = None) -> list[Finding]:
    found: list[Finding] = []
    await project(pool, "audit", [LiveChecks(found.append, AUDIT)], MemorySource(EVENTS[:until]))
    return found


async def test_what_the_auditor_remembers_tells_nothing(pool: Pool) -> None:
    assert await told(pool, 20) == []
    assert await RecordWatch(pool, AUDIT).look() == []
    assert await told(pool) == []
    assert await RecordWatch(pool, AUDIT).look() == []


@pytest.mark.parametrize("check", ["chips", "decks", "pots", "account", "sitting"])
async def test_a_state_that_somebody_changed_is_told_and_nothing_goes_on_from_it(pool: Pool, check: str) -> None:
    await told(pool, 20)
    change = """update check_states set mark_version = mark_version + 1, state = state || '{"brought": 1}'
                 where check_name = $1"""
    await pool.execute(change, check)
    found = await RecordWatch(pool, AUDIT).look()
    assert {(each.kind, each.stream) for each in found} == {(Kind.EVIDENCE, "audit.check_states")}
    before = await pool.fetch("select * from check_states where check_name = $1", check)
    assert {each.kind for each in await told(pool)} <= {Kind.EVIDENCE}
    assert set(before) <= set(await pool.fetch("select * from check_states where check_name = $1", check))
    async with pool.acquire() as connection:
        assert await check_open_sittings(connection, 2**62, marks=AUDIT) == []


@pytest.mark.parametrize("which", ["check_name = 'account'", "check_name = 'sitting' and not over", "true"])
async def test_nobody_has_the_auditor_forget(pool: Pool, which: str) -> None:
    await told(pool, 20)
    for statement in (
        f"delete from check_states where {which}",
        f"update check_states set mark_version = mark_version where {which}",
        f"with o as (update check_states set over = true, mark_version = mark_version + 1 where {which} returning id)"
        " select from o; delete from check_states where over",
    ):
        with pytest.raises(asyncpg.IntegrityConstraintViolationError):
            await pool.execute(statement)


async def test_a_sitting_that_is_over_is_forgotten_when_everybody_could_see_that_it_is(
    pool: Pool, house_database: str
) -> None:
    await told(pool)
    async with pool.acquire() as connection:
        over = await connection.fetchval("select count(*) from check_states where over")
        assert over > 0
        await forget_what_is_over(connection)
        assert await connection.fetchval("select count(*) from check_states where over") == over
    owner = await asyncpg.connect(house_database, server_settings={"search_path": SCHEMA})
    await owner.execute("alter table check_states disable trigger user")
    await owner.execute("update check_states set over_at = over_at - interval '1 hour'")
    await owner.execute("alter table check_states enable trigger user")
    await owner.close()
    async with pool.acquire() as connection:
        await forget_what_is_over(connection)
        assert await connection.fetchval("select count(*) from check_states where over") == 0
