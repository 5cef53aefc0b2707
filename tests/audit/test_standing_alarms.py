"""What stands and what is old costs the auditor a share of its time, and no more however much of it there is."""

from collections.abc import Sequence
from typing import Any

import pytest

from libs.projecting import Connection, Pool
from services.audit import incidents, record_watch
from services.audit.incidents import record
from services.audit.marked_rows import mark_row
from services.audit.record_watch import PAGE, RecordWatch
from services.audit.standing_alarms import COUNTED_EVERY, StandingAlarms
from services.audit.verifying.findings import Finding, Kind
from tests.audit.test_service import until
from tests.testkit.marks import AUDIT

pytestmark = pytest.mark.stack
NOW = 1_790_000_000_000
ALARMS = [Finding(Kind.PROJECTION_GAP, f"table-{number}", "waits for version 2") for number in range(30)]
SET_ASIDE = [Finding(Kind.PARKED, "ledger", "set aside", None, "t", 0, number) for number in range(30)]


class Statements:
    """A connection; `sent` are the statements that came to it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.sent: list[str] = []

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._connection, name)

        async def sending(sql: str, *given: object) -> Any:
            self.sent.append(" ".join(sql.split())[:40])
            return await call(sql, *given)

        return sending


async def looked(pool: Pool, standing: StandingAlarms, found: Sequence[Finding], at: int = 0) -> tuple[int, list[str]]:
    """How many were new, and what was asked of the database."""
    async with pool.acquire() as connection, connection.transaction():
        counted = Statements(connection)
        new = await standing.record(counted, found, NOW + at, AUDIT)  # type: ignore[arg-type]
    return len(new), counted.sent


async def counts(pool: Pool) -> list[tuple[int, int]]:
    rows = await pool.fetch("select distinct count, last_seen from incidents where kind = $1", Kind.PROJECTION_GAP)
    return [(row["count"], row["last_seen"] - NOW) for row in rows]


BY_INDEX = "select identity from incidents where ide"


async def test_what_stands_costs_its_rows_by_index_and_is_counted_once_in_some_looks(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each look made every mark of it anew, read every row whole, held it against its mark, and wrote it."""
    standing, marked = StandingAlarms(), list[str]()
    assert (await looked(pool, standing, ALARMS + SET_ASIDE))[0] == 60
    monkeypatch.setattr(incidents, "mark_row", lambda *given: marked.append("") or mark_row(*given))  # type: ignore[func-returns-value]
    for number in range(1, COUNTED_EVERY):
        assert await looked(pool, standing, ALARMS + SET_ASIDE, number) == (0, [BY_INDEX])
    assert (marked, await counts(pool)) == ([], [(1, 0)])
    assert await looked(pool, standing, ALARMS + SET_ASIDE, 99) == (
        0,
        [BY_INDEX, "update incidents set count = least(count"],
    )
    assert await counts(pool) == [(1 + COUNTED_EVERY, 99)]
    assert await pool.fetchval("select max(count) from incidents where kind = $1", Kind.PARKED) == 1, (
        "a place, and no alarm"
    )


async def test_one_that_is_over_is_counted_and_comes_again_on_its_row(pool: Pool) -> None:
    standing = StandingAlarms()
    for at in range(4):
        await looked(pool, standing, ALARMS, at)
    await looked(pool, standing, [], 4)
    assert await counts(pool) == [(4, 4)]
    assert (await looked(pool, standing, ALARMS, 5))[0] == 0
    assert await counts(pool) == [(5, 5)]


async def test_a_row_that_somebody_takes_away_is_told_again(pool: Pool, owner: Any) -> None:
    standing = StandingAlarms()
    await looked(pool, standing, ALARMS)
    await owner.execute("alter table incidents disable trigger user; delete from incidents where stream = 'table-3'")
    assert (await looked(pool, standing, ALARMS))[0] == 1
    assert (await looked(pool, standing, ALARMS))[0] == 0
    assert await pool.fetchval("select count(*) from incidents") == len(ALARMS)


async def test_a_lost_transaction_leaves_nothing_untold(pool: Pool) -> None:
    standing = StandingAlarms()
    async with pool.acquire() as connection:
        transaction = connection.transaction()
        await transaction.start()
        assert len(await standing.record(connection, ALARMS, NOW, AUDIT)) == len(ALARMS)
        await transaction.rollback()
    assert (await looked(pool, standing, ALARMS))[0] == len(ALARMS)


@pytest.mark.parametrize(("share_s", "looks"), [(60.0, 1), (0.0, 5)])
async def test_the_sweep_passes_what_its_share_of_time_has_room_for(
    pool: Pool, owner: Any, monkeypatch: pytest.MonkeyPatch, share_s: float, looks: int
) -> None:
    """500 rows a second passed, whatever there was: 200 million hands in five days, where 15 million are played."""
    monkeypatch.setattr(record_watch, "SHARE_S", share_s)
    many = [Finding(Kind.PARKED, "ledger", "set aside", None, "t", 0, number) for number in range(5 * PAGE - 100)]
    async with pool.acquire() as connection, connection.transaction():
        await record(connection, many, NOW, AUDIT)
    oldest = await pool.fetchval("select min(id) from incidents")
    watch = RecordWatch(pool, AUDIT)
    await owner.execute("alter table incidents disable trigger user")
    changed = "update incidents set detail = 'nothing' where id = $1 returning xmin::text::bigint"
    writer = await owner.fetchval(changed, oldest)
    # Else it is among what was written since the look before: any transaction of this server may hold that back.
    await until(lambda: _is_behind(pool, writer), 60)
    found = [await watch.look() for _ in range(looks)]
    assert [[each.version for each in look] for look in found] == [*[[]] * (looks - 1), [oldest]]


async def test_a_look_that_finds_much_takes_no_further_page(
    pool: Pool, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who writes many rows has the auditor tell them one page after the other, not all in one transaction."""
    monkeypatch.setattr(record_watch, "SHARE_S", 60.0)
    rows = """insert into incidents (identity, kind, severity, stream, detail, first_seen, last_seen, mark)
              select convert_to(n::text, 'utf8'), 'parked', 'minor', 's', n::text, 1, 1, 'x'
                from generate_series(1, $1::int) n"""
    await pool.execute(rows, 3 * PAGE)
    watch = RecordWatch(pool, AUDIT)
    assert len(await watch.look()) == PAGE


async def _is_behind(pool: Pool, writer: int) -> bool:
    return bool(await pool.fetchval("select pg_snapshot_xmin(pg_current_snapshot())::text::bigint > $1", writer))
