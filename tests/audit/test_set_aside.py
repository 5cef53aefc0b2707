"""Names that no database takes, at one table: the auditor's other streams go on, an incident says which does not."""

import asyncio
from collections.abc import Sequence

import msgspec
import pytest
from asyncpg import InsufficientPrivilegeError
from msgspec.structs import replace

from libs.contracts.messages import PublicEvent
from libs.contracts.topics import topic
from libs.journal.mark_keys import Plan, marks_of
from libs.projecting import Projection, Projector, migrate, open_pool
from libs.projecting.writings import ForeignWriting
from libs.stack import Stack
from services.audit.noted_writings import foreign_aside
from services.audit.projections.histories import Histories
from services.audit.projections.live_checks import LiveChecks
from services.audit.projections.record_marks import writings_of
from services.audit.projections.signals import Signals
from services.audit.settings import MIGRATIONS, PROJECTOR, ROLE, SCHEMA
from services.audit.verifying.findings import Kind
from services.audit.watch import set_aside
from tests.audit.scripted import TABLE, evening
from tests.conftest import login_at
from tests.testkit.memory_source import MemorySource
from tests.testkit.partitions import partition_of

pytestmark = pytest.mark.stack


async def test_a_nul_in_players_names_blinds_nobody(database: str) -> None:
    await migrate(database, SCHEMA, MIGRATIONS)
    pool = await open_pool(database, SCHEMA)
    events = evening().events
    tables = {event.stream for event in events if event.type.split(".")[1] == "table"}
    forged = [
        replace(e, stream=f"{e.stream}-x", data=e.data.replace(b'"player":"', b'"player":"\\u0000'))
        for e in events
        if e.stream in tables
    ]
    placed = [(topic(e.type.split(".")[1], "events").name, partition_of(e.stream), e) for e in (*forged, *events)]
    projector = Projector(pool, PROJECTOR, [Histories(), LiveChecks(), Signals(None)], MemorySource(placed))

    await asyncio.wait_for(projector.run(), 60)

    async with pool.acquire() as connection:
        histories = await connection.fetch("select distinct table_id from histories")
        found = await set_aside(connection, SCHEMA)
    assert tables <= {row["table_id"] for row in histories}
    assert projector.progress.accepted == len(placed)
    assert projector.progress.set_aside > 0
    assert {(finding.kind, finding.stream) for finding in found} == {(Kind.SET_ASIDE, f"{t}-x") for t in tables}
    await pool.close()


async def test_what_somebody_set_aside_with_the_auditors_login_is_never_told(stack: Stack, house_database: str) -> None:
    """A hand that nobody published would come to the histories, under the auditor's own mark."""
    marks = marks_of("audit", bytes(range(32)), Plan())
    events = [(topic("table", "events").name, partition_of(e.stream), e) for e in evening().events if e.stream == TABLE]
    async with await open_pool(login_at(stack, house_database, "audit"), SCHEMA, role=ROLE) as pool:

        def projector(events: Sequence[tuple[str, int, PublicEvent]]) -> Projector:
            models: list[Projection] = [Histories(marks), LiveChecks(), Signals(None)]
            return Projector(pool, PROJECTOR, models, MemorySource(events), writings=writings_of(marks))

        half = len(events) // 2
        await projector(events[:half]).run()
        hands = await pool.fetchval("select count(*) from histories")
        async with pool.acquire() as connection:
            assert await foreign_aside(connection, writings_of(marks)) == []
        await pool.executemany(
            "insert into set_aside values ($1, $2, $3, 1000000 + $4, $5, $4, '', $6)",
            [(PROJECTOR, t, p, e.version, e.stream, msgspec.msgpack.encode(e)) for t, p, e in events[half:]],
        )
        with pytest.raises(ForeignWriting, match="wrote to set_aside: no mark"):
            await projector(events[:half]).load()
        await pool.execute("delete from set_aside")

        assert await pool.fetchval("select count(*) from histories") == hands
        async with pool.acquire() as connection:
            found = await foreign_aside(connection, writings_of(marks))
        assert {(each.kind, each.stream) for each in found} == {(Kind.HISTORY, SCHEMA)}
        assert len(found) == 2
        for attempt in ("delete from writings", "insert into writing_marks values ('1', '')"):
            with pytest.raises(InsufficientPrivilegeError):
                await pool.execute(attempt)


async def test_what_the_auditor_sets_aside_itself_is_its_own(stack: Stack, house_database: str) -> None:
    marks = marks_of("audit", bytes(range(32)), Plan())
    events = [
        replace(e, data=e.data.replace(b'"player":"', b'"player":"\\u0000'))
        for e in evening().events
        if e.stream == TABLE
    ]
    placed = [(topic("table", "events").name, partition_of(e.stream), e) for e in events]
    async with await open_pool(login_at(stack, house_database, "audit"), SCHEMA, role=ROLE) as pool:
        for _ in range(2):
            projector = Projector(
                pool, PROJECTOR, [Histories(marks)], MemorySource(placed), writings=writings_of(marks)
            )
            await projector.run()
        assert projector.progress.set_aside > 0
        assert await pool.fetchval("select count(*) from writings") > 0
        async with pool.acquire() as connection:
            assert await foreign_aside(connection, writings_of(marks)) == []
