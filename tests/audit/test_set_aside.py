"""Names that no database takes, at one table: the auditor's other streams go on, an incident says which does not."""

import asyncio

import pytest
from msgspec.structs import replace

from libs.contracts.topics import topic
from libs.projecting import Projector, migrate, open_pool
from services.audit.projections.histories import Histories
from services.audit.projections.live_checks import LiveChecks
from services.audit.projections.signals import Signals
from services.audit.settings import MIGRATIONS, PROJECTOR, SCHEMA
from services.audit.verifying.findings import Kind
from services.audit.watch import set_aside
from tests.audit.scripted import evening
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
