"""An auditor that comes back after a while reads commands and their answers side by side."""

import asyncio
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import asyncpg
import httpx
import pytest
from aiokafka.errors import KafkaError
from msgspec import json
from uuid6 import uuid7

from libs.broker import Broker
from libs.contracts.messages import Principal, Reply
from libs.contracts.session_notices import SessionNotice
from libs.contracts.topics import REPLIES, SESSIONS, topic
from libs.journal.kafka_fetch import Followed
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import LogRecord, OutRecord
from libs.journal.marks import Marks
from libs.stack import Stack
from services.audit import traffic, undecided
from services.audit.reconciling import Reconciliation
from services.audit.traffic import Traffic
from services.audit.verifying.findings import Finding
from services.audit.wiring import Audit
from tests.audit.played import played
from tests.audit.test_service import Copied, copy, serving, settings_for, until
from tests.testkit.marks import GATEWAY, TABLE, WALLET
from tests.testkit.tampering import delete_below

COMMANDS = topic("table", "commands")


class World:
    """One partition of commands, one of answers, and of the first perhaps many without an answer."""

    def __init__(self, many: bool) -> None:
        services: Any = {"table": SimpleNamespace(undecided=SimpleNamespace(many=lambda partition: many))}
        nothing: Any = None
        self.traffic = Traffic(nothing, nothing, 1, "", (COMMANDS, REPLIES), [0], services, nothing)
        self.commands, self.answers = (self._followed(each.name) for each in (COMMANDS, REPLIES))

    def _followed(self, name: str) -> Followed:
        followed = Followed((name, 0), cast(Any, None), self.traffic._arrived.set)
        followed.next = 0
        return followed

    def comes(self, where: Followed, *times: int) -> None:
        for each in times:
            where.records.append(LogRecord(where.next, b"", b"", (), each))
            where.next += 1
        where.end = max(where.end, where.next)
        where.arrived()

    async def next(self) -> Followed | None:
        return await self.traffic._next([self.commands, self.answers])


async def test_what_was_written_first_is_read_first() -> None:
    world = World(many=False)
    assert await world.next() is None
    world.comes(world.commands, 5, 6)
    world.comes(world.answers, 4, 7)
    assert await world.next() is world.answers
    world.answers.take(1)
    assert await world.next() is world.commands
    world.answers.rest()
    world.answers.fail(KafkaError())
    assert await world.next() is world.answers, "what went wrong is told at once"


async def test_where_many_are_open_commands_wait_for_answers_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(many=True)
    world.comes(world.commands, 5)
    assert await world.next() is world.commands, "the others are read to their end"
    world.answers.end = 1
    waiting = asyncio.create_task(world.next())
    await asyncio.sleep(0.05)
    assert not waiting.done()
    world.comes(world.answers, 4)
    assert await waiting is world.answers

    monkeypatch.setattr(traffic, "_PATIENCE_S", 0.2)
    world.answers.take(1)
    world.answers.end += 1  # somebody fills the topic with what is nobody's
    began = time.monotonic()
    assert await world.next() is world.commands
    assert 0.2 <= time.monotonic() - began < 2


@pytest.mark.stack
@pytest.mark.usefixtures("created")
async def test_who_comes_back_late_says_of_nothing_that_was_answered_that_it_waits(
    kafka: Broker, topics: str, stack: Any, house_database: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All commands were read before the answers: more than are kept seemed to wait, and that was told."""
    monkeypatch.setattr(undecided, "_MOST", 2_000)
    house = played(hands=1)
    await copy(house.broker, kafka, topics, Copied())
    by, replies = Principal("player", "player-1"), topics + REPLIES.name
    gateway, table, wallet = [await (KafkaLog(kafka, each)).publisher() for each in (GATEWAY, TABLE, WALLET)]

    def answer(stream: str, command: Any) -> OutRecord:
        reply = Reply(command_id=command, stream=stream, verdict="busy", version=1)
        return OutRecord(replies, stream.encode(), reply.encoded(), (), 0)

    for _ in range(12):
        asked = [uuid7() for _ in range(500)]
        bodies = [json.encode({"id": each, "stream": house.table, "principal": by}) for each in asked]
        commands = [OutRecord(topics + COMMANDS.name, house.table.encode(), body, (), None) for body in bodies]
        await (await gateway.send(commands))
        await (await table.send([answer(house.table, each) for each in asked]))
        for _ in range(3):
            await (await wallet.send([answer("account-ann-EUR", uuid7()) for _ in asked]))
    for each in (gateway, table, wallet):
        await each.abandon()

    async with serving(settings_for(stack, house_database, topics, tmp_path)) as (parts, client):
        await until(lambda: _has_read(parts, 6_000), 60)
        told = (await client.get("/v1/incidents")).json()["incidents"]
        assert [each["kind"] for each in told] == []


async def _has_read(parts: Audit, count: int) -> bool:
    """That many of a partition's answers, and so the commands before them."""
    if parts.ours is None:
        return False
    of_table = cast(Any, parts.ours.reconciled["table"].undecided)
    return len(of_table._answered) >= count and not any(of_table._open.values())


@pytest.mark.stack
@pytest.mark.usefixtures("created")
async def test_who_is_blocked_is_known_while_days_of_journals_are_still_judged(
    kafka: Broker, topics: str, stack: Any, house_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The trail of blocks stood behind answers that wait for their commits: a gateway that asked got an old one."""
    behind = asyncio.Event()

    async def judged_later(*_: Any) -> list[Finding]:
        await behind.wait()
        return []

    monkeypatch.setattr(Reconciliation, "replies", judged_later)
    house = played(hands=1)
    await copy(house.broker, kafka, topics, Copied())
    answer = Reply(command_id=uuid7(), stream=house.table, verdict="busy", version=1)
    notice = SessionNotice(about="blocked", player="eve", at=1_790_000_000_000, by="staff:x")
    async with serving(settings_for(stack, house_database, topics, tmp_path)):
        await _write(kafka, TABLE, OutRecord(topics + REPLIES.name, b"s", answer.encoded(), (), 0))
        await asyncio.sleep(1.5)  # it waits for its commit
        await _write(kafka, GATEWAY, OutRecord(topics + SESSIONS.name, b"eve", notice.encoded(), (), None))
        await until(lambda: _is_blocked(house_database, "eve"), 15)
        behind.set()


@pytest.mark.stack
@pytest.mark.usefixtures("created")
async def test_what_was_gone_before_it_was_read_is_told(
    kafka: Broker, topics: str, stack: Stack, house_database: str, tmp_path: Path
) -> None:
    """Answers are kept for a day. Those that an auditor misses which stands for longer are held against nothing."""
    house = played(hands=1)
    await copy(house.broker, kafka, topics, Copied())
    name, settings = topics + REPLIES.name, settings_for(stack, house_database, topics, tmp_path)
    for rounds in range(2):  # an auditor that stands, and nothing is gone: it says nothing
        async with serving(settings) as (parts, client):
            await until(lambda: _follows(parts))
            answered = Reply(command_id=uuid7(), stream=house.table, verdict="busy", version=1)
            await _write(kafka, TABLE, OutRecord(name, b"s", answered.encoded(), (), 0))
            await until(partial(_is_read, house_database, name, rounds + 1), 15)
            assert "records_not_read" not in await _kinds(client)
    for _ in range(3):
        missed = Reply(command_id=uuid7(), stream=house.table, verdict="busy", version=1)
        await _write(kafka, TABLE, OutRecord(name, b"s", missed.encoded(), (), 0))
    await delete_below(stack, name, {0: 5})
    async with serving(settings) as (parts, client):
        await until(lambda: _follows(parts))
        told = (await client.get("/v1/incidents")).json()["incidents"]
        assert [(each["severity"], each["offset"]) for each in told if each["kind"] == "records_not_read"] == [
            ("major", 2)
        ]
        assert any("3 records were gone" in each["detail"] for each in told)


async def _write(kafka: Broker, marks: Marks, record: OutRecord) -> None:
    publisher = await KafkaLog(kafka, marks).publisher()
    await (await publisher.send([record]))
    await publisher.abandon()


async def _is_blocked(database: str, player: str) -> bool:
    connection = await asyncpg.connect(database)
    try:
        return bool(await connection.fetchval("select holds from audit.restrictions where player = $1", player))
    finally:
        await connection.close()


async def _follows(parts: Audit) -> bool:
    return parts.ready() is None


async def _kinds(client: httpx.AsyncClient) -> set[str]:
    return {each["kind"] for each in (await client.get("/v1/incidents")).json()["incidents"]}


async def _is_read(database: str, topic: str, upto: int) -> bool:
    connection = await asyncpg.connect(database)
    try:
        where = "reader = 'traffic' and topic = $1 and partition = 0"
        return (await connection.fetchval(f"select next from audit.readers where {where}", topic) or 0) >= upto
    finally:
        await connection.close()
