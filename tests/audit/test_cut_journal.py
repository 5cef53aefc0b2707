"""A journal that is cut while it is followed: the reader stops, and an incident stays (journal 21)."""

from typing import cast

import asyncpg
import pytest

from libs.contracts.topics import topic
from libs.journal.log import LogRewritten
from libs.journal.machine import journal_name
from libs.projecting import migrate, open_pool
from services.audit.journal_audit import AtHand, JournalAudit
from services.audit.settings import MIGRATIONS, SCHEMA
from services.audit.verifying.chain import Recent
from tests.audit.played import played
from tests.testkit.partitions import PARTITIONS, partition_of


@pytest.mark.stack
async def test_it_leaves_an_incident_and_reads_no_further(database: str) -> None:
    house, name = played(hands=1), topic("table", "journal").name
    partition = partition_of(house.table)
    await migrate(database, SCHEMA, MIGRATIONS)
    pool = await open_pool(database, SCHEMA)
    journal = JournalAudit(pool, house.log, name, partition, PARTITIONS, journal_name("table"))
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


@pytest.mark.stack
@pytest.mark.parametrize("at_hand", [50_000, 0])
async def test_a_start_takes_up_no_head_but_of_what_comes_and_judges_the_same(database: str, at_hand: int) -> None:
    house, name = played(hands=2), topic("table", "journal").name
    partition = partition_of(house.table)
    await migrate(database, SCHEMA, MIGRATIONS)
    pool = await open_pool(database, SCHEMA)
    long_over = "select $1, 'table-of-' || n, $2, 1, sha256('x'), 0, 0, '' from generate_series(1, 5000) n"
    await pool.execute("insert into journal_heads " + long_over, name, partition)
    records = house.broker.records(name, partition)
    house.broker.truncate(name, partition, len(records) // 2)
    try:
        for landed in ([], records[len(records) // 2 :]):  # the second one meets what it knows from the rows alone
            house.broker.land(name, partition, [(each.key, each.value, each.headers) for each in landed])
            journal = JournalAudit(
                *(pool, house.log, name, partition, PARTITIONS, journal_name("table")), at_hand=AtHand(at_hand, 2)
            )
            await journal.load()
            assert len(cast(Recent, journal._check.seen)) <= 2, "a start reads as many links as are held"
            while not journal.caught_up:
                await journal.step()
            assert len(journal._check.fold.heads) <= 1
            await journal.close()
        found = await pool.fetch("select kind from incidents")
        links = await pool.fetchval("select count(*) from journal_links where judgement = 'valid'")
    finally:
        await pool.close()
    assert (found, links) == ([], len(records))


@pytest.mark.parametrize("journals", [12, 96, 768])
def test_what_is_held_hardly_grows_with_partitions(journals: int) -> None:
    """20,000 digests and 50,000 heads of each were 2.7 GB and 53 GB at 768."""
    each = AtHand.of(journals)
    assert journals * each.heads <= 100_000
    assert journals * each.digests <= max(240_000, 1_000 * journals)
    assert each.heads >= 130
