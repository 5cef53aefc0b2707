"""An auditor that comes back after a while reads commands and their answers side by side."""

import asyncio
import time
from types import SimpleNamespace
from typing import Any, cast

import pytest
from aiokafka.errors import KafkaError
from msgspec import json
from uuid6 import uuid7

from libs.broker import Broker
from libs.contracts.messages import Principal, Reply
from libs.contracts.topics import REPLIES, topic
from libs.journal.kafka_fetch import Followed
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import LogRecord, OutRecord
from services.audit import traffic, undecided
from services.audit.traffic import Traffic
from services.audit.wiring import Audit
from tests.audit.played import played
from tests.audit.test_service import Copied, copy, serving, settings_for, until
from tests.testkit.marks import GATEWAY, TABLE, WALLET

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
