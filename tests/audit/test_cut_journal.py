"""A journal that is cut while it is followed: the reader stops, and an incident stays (journal 21)."""

import asyncpg
import pytest

from libs.contracts.topics import partition_of, topic
from libs.journal.log import LogRewritten
from libs.journal.machine import journal_name
from libs.projecting import migrate, open_pool
from services.audit.journal_audit import JournalAudit
from services.audit.settings import MIGRATIONS, SCHEMA
from tests.audit.played import played


@pytest.mark.stack
async def test_it_leaves_an_incident_and_reads_no_further(database: str) -> None:
    house, name = played(hands=1), topic("table", "journal").name
    partition = partition_of(house.table)
    await migrate(database, SCHEMA, MIGRATIONS)
    pool = await open_pool(database, SCHEMA)
    journal = JournalAudit(pool, house.log, name, partition, journal_name("table"))
    try:
        await journal.load()
        while not journal.caught_up:
            await journal.step()
        house.broker.truncate(name, partition, 3)
        with pytest.raises(LogRewritten):
            await journal.step()
        found: list[asyncpg.Record] = await pool.fetch("select kind, topic, partition from incidents")
    finally:
        await journal.close()
        await pool.close()
    assert [tuple(each) for each in found] == [("log_rewritten", name, partition)]
