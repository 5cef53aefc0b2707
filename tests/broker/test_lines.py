"""The broker and the database vanish without a word and are there again under another address: clients go on."""

import asyncio
import time
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest

from libs.broker import Broker
from libs.broker.lines import CONNECT_S, GONE_S, Line
from libs.journal.kafka_group import KafkaGroup
from libs.journal.kafka_log import KafkaLog
from libs.projecting.migrator import open_pool
from tests.journal.house import until
from tests.testkit.elsewhere import MISSING, PORT, Elsewhere, elsewhere
from tests.testkit.marks import WALLET

pytestmark = [pytest.mark.stack, pytest.mark.skipif(MISSING is not None, reason=MISSING or "")]
JOURNAL = "croupier.wallet.journal.v1"
_MARGIN_S = 5.0


def _named(monkeypatch: pytest.MonkeyPatch, there: Elsewhere) -> None:
    """Whatever address the broker tells, its name leads to where it is now."""
    monkeypatch.setattr(Line, "host", property(lambda _: there.host))
    monkeypatch.setattr(Line, "port", property(lambda _: PORT))


async def test_readers_and_writers_go_on_at_the_new_address(
    kafka: Broker, topics: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with elsewhere(tmp_path, int(kafka.bootstrap.split(":")[1])) as there:
        _named(monkeypatch, there)
        log = KafkaLog(kafka, WALLET)
        appender = await log.appender(topics + JOURNAL, 0)
        reader = await log.reader(topics + JOURNAL, 0)
        assert await appender.append([(b"k", b"1")]) == 0
        assert len((await reader.read(0, 10, 1000)).records) == 1
        await there.move()
        moved = time.monotonic()
        assert await appender.append([(b"k", b"2")]) is not None
        position, found = 1, 0
        while not found:
            fetched = await reader.read(position, 10, 1000)
            position, found = fetched.position, found + len(fetched.records)
        assert time.monotonic() - moved < GONE_S + CONNECT_S + _MARGIN_S
        await reader.close()
        await appender.abandon()


async def test_a_group_goes_on_at_the_new_address(
    kafka: Broker, topics: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its requests may take 40 s, for a rebalance does: only the system can tell sooner that nobody is there."""
    async with elsewhere(tmp_path, int(kafka.bootstrap.split(":")[1])) as there:
        _named(monkeypatch, there)
        group = KafkaGroup(kafka, f"{topics}group", topics + JOURNAL)
        await group.join()
        attending = asyncio.create_task(group.attend())
        await until(lambda: bool(group.assigned), 30)
        await there.move()
        moved = time.monotonic()
        group.changed.clear()
        await asyncio.wait_for(group.changed.wait(), 60)  # silent for longer than its session, it joins anew
        assert time.monotonic() - moved < GONE_S + CONNECT_S + 2 * _MARGIN_S
        attending.cancel()
        await asyncio.wait([attending])
        await group.stop()


async def test_a_database_that_is_gone_is_noticed_and_found_at_its_new_address(database: str, tmp_path: Path) -> None:
    parts = urlsplit(database)
    assert parts.hostname
    assert parts.port
    async with elsewhere(tmp_path, parts.port) as there:
        name = parts._replace(netloc=parts.netloc.replace(f"{parts.hostname}:{parts.port}", f"{there.host}:{PORT}"))
        pool = await open_pool(name.geturl(), "public")
        assert await pool.fetchval("select 1") == 1
        before = there.host
        await there.move()
        moved = time.monotonic()
        with pytest.raises((OSError, asyncpg.PostgresError, asyncpg.InterfaceError)):
            await asyncio.wait_for(pool.fetchval("select 2"), 60)
        assert time.monotonic() - moved < GONE_S + _MARGIN_S
        pool.terminate()
        assert before != there.host
