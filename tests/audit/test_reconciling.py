"""What has a true mark and still does not fit: commits of no command, answers of no commit. Found within seconds."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
from msgspec import json
from msgspec.structs import replace
from uuid6 import uuid7

from libs.broker import Broker
from libs.contracts.messages import Principal, Reply
from libs.contracts.topics import REPLIES, partition_of, topic
from libs.journal.answers import from_commit
from libs.journal.commit import Commit, decode, digest, encode
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import OutRecord
from libs.journal.mark_keys import Plan, keys_of
from libs.journal.marks import Marks
from services.audit.reconciling import Asked
from tests.audit.played import PlayedHouse, played
from tests.audit.test_service import Copied, copy, serving, settings_for, until
from tests.testkit.marks import ROOT, TABLE, UNMARKED, WALLET

pytestmark = pytest.mark.stack
SOON_S = 5.0


class Site:
    """A played house on real topics, an auditor who follows it, and somebody with a service's key."""

    def __init__(self, kafka: Broker, prefix: str, house: PlayedHouse, client: httpx.AsyncClient) -> None:
        self.kafka, self.prefix, self.house, self.client = kafka, prefix, house, client
        self.journal = prefix + topic("table", "journal").name
        self.place = partition_of(house.table)

    @property
    def last(self) -> tuple[Commit, bytes]:
        raw = self.house.broker.records(topic("table", "journal").name, self.place)[-1].value or b""
        return decode(raw), raw

    async def write(self, name: str, key: str, value: bytes, marks: Any = TABLE) -> None:
        publisher = await KafkaLog(self.kafka, marks).publisher()
        await (await publisher.send([OutRecord(self.prefix + name, key.encode(), value)]))
        await publisher.abandon()

    async def answer(self, reply: Reply, marks: Marks = TABLE) -> None:
        await self.write(REPLIES.name, reply.stream, reply.encoded(), marks)

    async def incidents(self) -> list[tuple[str, str]]:
        told = (await self.client.get("/v1/incidents")).json()["incidents"]
        return [(each["kind"], each["detail"]) for each in told]

    async def found(self, kind: str, said: str) -> None:
        began = time.monotonic()
        await until(lambda: self._told(kind, said), 3 * SOON_S)
        assert time.monotonic() - began <= SOON_S

    async def _told(self, kind: str, said: str) -> bool:
        return any(each == kind and said in detail for each, detail in await self.incidents())


@asynccontextmanager
async def site(kafka: Broker, settings: Any, prefix: str) -> AsyncIterator[Site]:
    house, copied = played(hands=1), Copied()
    await copy(house.broker, kafka, prefix, copied)
    async with serving(settings) as (parts, client):
        async with asyncio.timeout(60):
            while parts.ready() is not None:
                await asyncio.sleep(0.1)
        yield Site(kafka, prefix, house, client)


@pytest.fixture
def settings(stack, topics: str, house_database: str, tmp_path: Path):
    return settings_for(stack, house_database, topics, tmp_path)


async def test_a_commit_without_its_command_is_found(kafka: Broker, topics: str, settings: Any) -> None:
    async with site(kafka, settings, topics) as at:
        assert await at.incidents() == []
        commit, raw = at.last
        made = replace(
            commit, base=commit.version, prev=digest(raw), command_id=uuid7().bytes, command_offset=10**6,
            verdict="rejected", reason="forged", events=(), sealed=b"",
        )  # fmt: skip
        await at.write(topic("table", "journal").name, commit.stream, encode(made))
        await at.found("commit_without_command", "no command that this house was asked stands where")

        raw = encode(made)
        made = replace(made, prev=digest(raw), command_id=uuid7().bytes, command_offset=commit.command_offset)
        await at.write(topic("table", "journal").name, commit.stream, encode(made))
        await at.found("commit_without_command", "another command stands where")

        made = replace(made, prev=digest(encode(made)), command_id=uuid7().bytes, source="elsewhere.1/0")
        await at.write(topic("table", "journal").name, commit.stream, encode(made))
        await at.found("commit_without_command", "names no commands of its service")


async def test_a_commit_of_a_forged_command_is_found(kafka: Broker, topics: str, settings: Any) -> None:
    """A service that takes in what nobody of the house has written."""
    async with site(kafka, settings, topics) as at:
        commit, raw = at.last
        name, forged = topic("table", "commands").name, uuid7()
        offset = len(at.house.broker.records(name, at.place))
        await at.write(name, commit.stream, b'{"id": "%s"}' % str(forged).encode(), UNMARKED)
        made = replace(
            commit, base=commit.version, prev=digest(raw), command_id=forged.bytes, command_offset=offset,
            verdict="rejected", reason="forged", events=(), sealed=b"",
        )  # fmt: skip
        await at.write(topic("table", "journal").name, commit.stream, encode(made))
        await at.found("commit_without_command", "no command that this house was asked stands where")
        await at.found("foreign_record", "no mark, names nobody")


async def test_a_commit_of_a_command_that_a_service_asked_itself_is_found(
    kafka: Broker, topics: str, settings: Any
) -> None:
    """It checks the gateway's marks, and so has the key for a deposit in an operator's name."""
    async with site(kafka, settings, topics) as at:
        commit, raw = at.last
        name, forged = topic("table", "commands").name, uuid7()
        offset = len(at.house.broker.records(name, at.place))
        asked = Asked(id=forged, stream=commit.stream, principal=Principal("operator", "acme"))
        await at.write(name, commit.stream, json.encode(asked), Marks("gateway", keys_of("table", ROOT, Plan())))
        made = replace(
            commit, base=commit.version, prev=digest(raw), command_id=forged.bytes, command_offset=offset,
            principal="operator:acme", correlation="", verdict="rejected", reason="forged", events=(), sealed=b"",
        )  # fmt: skip
        await at.write(topic("table", "journal").name, commit.stream, encode(made))
        await at.found("commit_without_command", "no command that this house was asked stands where")
        assert [kind for kind, _ in await at.incidents()] == ["commit_without_command"], "its mark is true"


async def test_an_answer_without_its_commit_is_found(kafka: Broker, topics: str, settings: Any) -> None:
    async with site(kafka, settings, topics) as at:
        commit, _ = at.last
        true = from_commit(commit)
        await at.answer(true)
        await at.answer(true)
        await at.answer(Reply(command_id=uuid7(), stream=commit.stream, verdict="busy", version=1))
        await asyncio.sleep(3)
        assert await at.incidents() == [], "what the commit says, and what says that nothing was decided, is true"

        other = "rejected" if true.verdict == "accepted" else "accepted"
        await at.answer(replace(true, verdict=other))
        await at.found("answer_without_commit", "table has given an answer")
        await at.answer(replace(true, version=true.version + 1))
        await at.answer(true, WALLET)
        await at.found("answer_without_commit", "wallet has given an answer")
        await at.answer(Reply(command_id=uuid7(), stream="\x00hostile", verdict="accepted", version=1))
        await until(lambda: _count(at, "answer_without_commit", 4), 3 * SOON_S)


async def test_what_was_seen_is_seen_once_and_a_restart_goes_on(
    kafka: Broker, topics: str, house_database: str, settings: Any
) -> None:
    async with site(kafka, settings, topics) as at:
        await at.answer(from_commit(at.last[0]))
        await at.answer(Reply(command_id=uuid7(), stream="table-1", verdict="accepted", version=1))
        await at.found("answer_without_commit", "table has given an answer")
        before, house = await at.incidents(), at.house
    connection = await asyncpg.connect(house_database)
    await connection.execute("update audit.journal_links set command_id = null, answer = null")
    await connection.execute("delete from audit.readers where reader = 'traffic'")
    await connection.close()
    async with serving(settings) as (_, client):
        at = Site(kafka, topics, house, client)
        await at.answer(Reply(command_id=uuid7(), stream="table-2", verdict="accepted", version=1))
        await until(lambda: _count(at, "answer_without_commit", 2), 3 * SOON_S)
        assert set(before) <= set(await at.incidents())
        assert len(await at.incidents()) == 2, "of commits judged before answers were kept nothing is said"


async def _count(at: Site, kind: str, wanted: int) -> bool:
    return [each for each, _ in await at.incidents()].count(kind) >= wanted
