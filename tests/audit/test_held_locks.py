"""Who has the auditor's database login and holds rows, or ends its sessions, blinds it no longer unseen."""

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest
from prometheus_client import generate_latest

from libs.broker import Broker
from libs.contracts.topics import topic
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import OutRecord
from libs.stack import Stack
from services.audit.settings import ROLE
from services.audit.wiring import Audit
from tests.audit.played import played
from tests.audit.test_service import Copied, caught_up, copy, serving, settings_for, until
from tests.conftest import login_at
from tests.testkit.marks import UNMARKED
from tests.testkit.partitions import partition_of

pytestmark = [pytest.mark.stack, pytest.mark.usefixtures("created")]
TOLD_S = 20.0
JOURNAL, EVENTS = topic("table", "journal").name, topic("table", "events").name


@asynccontextmanager
async def _thief(stack: Stack, database: str) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    connection: asyncpg.Connection[asyncpg.Record] = await asyncpg.connect(login_at(stack, database, "audit"))
    try:
        await connection.execute("set idle_in_transaction_session_timeout = 0")
        yield connection
    finally:
        await connection.close()


async def _says(parts: Audit, what: str) -> str | None:
    said = parts.ready() or ""
    return said if what in said else None


async def _ready(parts: Audit) -> bool:
    return parts.ready() is None


async def _forge(kafka: Broker, prefix: str, *topics: str) -> None:
    publisher = await KafkaLog(kafka, UNMARKED).publisher()
    await (await publisher.send([OutRecord(prefix + each, b"zz", b"garbage", (), 0) for each in topics]))
    await publisher.abandon()


def _lag(place: str, partition: int) -> float:
    name = f'croupier_audit_journal_lag_records{{partition="{partition}",topic="{place}"}}'
    found = re.search(rf"^{re.escape(name)} (\S+)$", generate_latest().decode(), re.MULTILINE)
    assert found is not None
    return float(found[1])


@pytest.mark.timeout(180)
async def test_rows_that_somebody_holds_are_told_and_taken_up_from(
    stack: Stack, kafka: Broker, topics: str, house_database: str, tmp_path: Path
) -> None:
    settings, house = settings_for(stack, house_database, topics, tmp_path), played(hands=1)
    copied: Copied = {}
    await copy(house.broker, kafka, topics, copied)
    async with serving(settings) as (parts, client), _thief(stack, house_database) as thief:
        await until(lambda: caught_up(house, client))
        await until(lambda: _ready(parts))
        async with thief.transaction():
            await thief.execute(f"set local role {ROLE}")
            await thief.execute("select * from audit.readers for update; select * from audit.positions for update")
            house.play(2)
            await copy(house.broker, kafka, topics, copied)
            await _forge(kafka, topics, JOURNAL, EVENTS, topic("table", "commands").name)
            place = topics + JOURNAL, partition_of(house.table)
            said = await until(lambda: _says(parts, "{}/{} is held up by LockNotAvailableError".format(*place)), TOLD_S)
            assert _lag(*place) > 0

            async def incidents() -> list[str]:
                rows = (await client.get("/v1/incidents", timeout=3.0)).json()["incidents"]
                return [each["topic"] for each in rows] if len(rows) >= 3 else []

            told = await until(incidents, TOLD_S)
            assert {topics + JOURNAL, topics + EVENTS} <= set(told), "foreign records are told while all wait"
            for _ in range(40):  # it never calls itself ready between two tries
                assert parts.ready() is not None, said
                await asyncio.sleep(0.1)
        await until(lambda: caught_up(house, client))
        await until(lambda: _ready(parts))
        assert (await client.get("/v1/hands/table-1/last")).json()["hand"] == 3
        assert _lag(*place) == 0
        found = (await client.get("/v1/incidents")).json()["incidents"]
        assert {each["kind"] for each in found} == {"foreign_record"}


@pytest.mark.timeout(180)
async def test_a_database_that_stays_away_is_told(
    stack: Stack, topics: str, house_database: str, tmp_path: Path
) -> None:
    """As where somebody ends the auditor's sessions again and again: that it is away passes by itself, or is told."""
    owner = await asyncpg.connect(house_database)
    name = await owner.fetchval("select current_database()")
    settings = settings_for(stack, house_database, topics, tmp_path)
    async with serving(settings) as (parts, _), _thief(stack, house_database) as thief:
        await until(lambda: _ready(parts))
        try:
            await owner.execute(f'alter database "{name}" connection limit 0')
            await thief.execute(
                """select pg_terminate_backend(pid) from pg_stat_activity
                    where datname = current_database() and usename = current_user and pid <> pg_backend_pid()"""
            )
            began = time.monotonic()
            said = await until(lambda: _says(parts, "writings has ended no step for"), TOLD_S)
            assert time.monotonic() - began > 10, "what passes is not told at once"
            assert "(TooManyConnectionsError)" in said
        finally:
            await owner.execute(f'alter database "{name}" connection limit -1')
            await owner.close()
        await until(lambda: _ready(parts))
