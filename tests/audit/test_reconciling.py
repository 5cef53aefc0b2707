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
from libs.contracts.cloudevents_kafka import from_record, to_record
from libs.contracts.house import HouseCreated
from libs.contracts.messages import Principal, PublicEvent, Reply
from libs.contracts.session_notices import SessionNotice
from libs.contracts.topics import REPLIES, SESSIONS, topic
from libs.contracts.wallet_commands import account_id
from libs.journal.answers import from_commit
from libs.journal.commit import Commit, decode, digest, encode
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import LogRecord, OutRecord
from libs.journal.mark_keys import Plan, keys_of
from libs.journal.marks import Marks
from libs.journal.positions import NO_MARK, Moved
from libs.journal.telling import SNAPSHOT_DIFFERS, Telling
from libs.projecting import open_pool
from services.audit import reconciling, traffic, undecided
from services.audit.reconciling import Reconciliation
from services.audit.verifying.findings import Kind
from services.audit.wiring import Audit
from tests.audit.played import PlayedHouse, played
from tests.audit.test_service import Copied, copy, serving, settings_for, until
from tests.testkit.marks import GATEWAY, ROOT, TABLE, TOURNAMENT, UNMARKED, WALLET
from tests.testkit.partitions import PARTITIONS, partition_of

pytestmark = [pytest.mark.stack, pytest.mark.usefixtures("created")]
SOON_S = 5.0


class Site:
    """A played house on real topics, an auditor who follows it, and somebody with a service's key."""

    def __init__(self, kafka: Broker, prefix: str, house: PlayedHouse, client: httpx.AsyncClient) -> None:
        self.kafka, self.prefix, self.house, self.client = kafka, prefix, house, client
        self.copied: Copied = {}
        self.journal = prefix + topic("table", "journal").name
        self.place = partition_of(house.table)

    @property
    def last(self) -> tuple[Commit, bytes]:
        raw = self.house.broker.records(topic("table", "journal").name, self.place)[-1].value or b""
        return decode(raw), raw

    async def write(self, name: str, key: str, value: bytes, marks: Any = TABLE, partition: int | None = None) -> None:
        publisher = await KafkaLog(self.kafka, marks).publisher()
        await (await publisher.send([OutRecord(self.prefix + name, key.encode(), value, (), partition)]))
        await publisher.abandon()

    async def answer(self, reply: Reply, marks: Marks = TABLE, partition: int | None = None) -> None:
        await self.write(REPLIES.name, reply.stream, reply.encoded(), marks, partition)

    async def publish(self, event: PublicEvent, marks: Any = TABLE) -> None:
        """On the public topic of the service whose name its type bears."""
        key, value, headers = to_record(event)
        name = self.prefix + topic(event.type.split(".")[1], "events").name
        publisher = await KafkaLog(self.kafka, marks).publisher()
        await (await publisher.send([OutRecord(name, key, value, headers, partition_of(event.stream))]))
        await publisher.abandon()

    def published(self, service: str, stream: str) -> list[PublicEvent]:
        records = self.house.broker.records(topic(service, "events").name, partition_of(stream))
        events = [from_record(each.key, each.value, each.headers) for each in records]
        return [each for each in events if each.stream == stream]

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
        await until(lambda: _ready(parts))
        at = Site(kafka, prefix, house, client)
        at.copied = copied
        yield at


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


async def test_a_true_command_is_good_for_one_commit(kafka: Broker, topics: str, settings: Any) -> None:
    """Found by an attacker with the wallet's login and marks: one deposit was good for any number."""
    async with site(kafka, settings, topics) as at:
        commit, raw = at.last
        made = replace(commit, base=commit.version, prev=digest(raw), events=(), sealed=b"")
        await at.write(topic("table", "journal").name, commit.stream, encode(made))
        await at.found("commit_without_command", "its command was decided before")


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
        asked = {"id": forged, "stream": commit.stream, "principal": Principal("operator", "acme")}
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
        for partition in range(PARTITIONS):  # wherever the gateway that asked hears it
            await at.answer(true, partition=partition)
        await at.answer(Reply(command_id=uuid7(), stream=commit.stream, verdict="busy", version=1))
        await asyncio.sleep(3)
        assert await at.incidents() == [], "what the commit says, and what says that nothing was decided, is true"

        other = "rejected" if true.verdict == "accepted" else "accepted"
        await at.answer(replace(true, verdict=other))
        await at.found("answer_without_commit", "table has given an answer")
        await at.answer(replace(true, version=true.version + 1), partition=(at.place + 1) % PARTITIONS)
        await at.answer(true, WALLET)
        await at.found("answer_without_commit", "wallet has given an answer")
        await at.answer(Reply(command_id=uuid7(), stream="\x00hostile", verdict="accepted", version=1))
        await until(lambda: _count(at, "answer_without_commit", 4), 3 * SOON_S)


async def test_an_answer_waits_for_the_auditor_who_judges_its_stream(
    house_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not for ever: what lies behind the last commit may be foreign, and no position passes it."""
    pool = await open_pool(house_database, "audit")
    reply = Reply(command_id=uuid7(), stream="table-1", verdict="accepted", version=1)
    record = LogRecord(7, b"", reply.encoded())
    house = HouseCreated("h", 1, PARTITIONS, 0)
    here = Reconciliation(None, UNMARKED, pool, "table", "", house)  # type: ignore[arg-type]
    here.judged((partition_of(reply.stream) + 1) % PARTITIONS, 100)

    async def end_of(*_: Any) -> int:
        return 10

    monkeypatch.setattr(reconciling, "end_of", end_of)
    insert = """insert into audit.readers (reader, topic, partition, next, last, digest, mark)
                values ('audit', $1, $2, $3, -1, '', '')
                on conflict (reader, topic, partition) do update set next = excluded.next"""
    place = topic("table", "journal").name, partition_of(reply.stream)
    await pool.execute(insert, *place, 9)
    judging = asyncio.create_task(here.replies("replies", 0, [record]))
    await asyncio.sleep(0.5)
    assert not judging.done()
    await pool.execute(insert, *place, 10)
    [found] = await asyncio.wait_for(judging, 5)
    assert found.kind is Kind.ANSWER

    monkeypatch.setattr(reconciling, "QUIET_S", 0.5)
    await pool.execute(insert, *place, 9)
    [found] = await asyncio.wait_for(here.replies("replies", 0, [record]), 5)
    assert found.kind is Kind.ANSWER
    await pool.close()


async def test_a_command_of_a_person_that_nothing_became_of_is_found(
    kafka: Broker, topics: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(undecided, "SETTLES_S", 1.0)
    async with site(kafka, settings, topics) as at:
        commit, raw = at.last
        name, by = topic("table", "commands").name, Principal("player", "player-1")
        offset = len(at.house.broker.records(name, at.place))
        passed, busy, staff, later = uuid7(), uuid7(), uuid7(), uuid7()

        async def ask(command_id: Any, marks: Any = GATEWAY) -> None:
            value = json.encode({"id": command_id, "stream": commit.stream, "principal": by, "correlation": ""})
            await at.write(name, commit.stream, value, marks)

        for each in (passed, busy):
            await ask(each)
        await ask(staff, TABLE)  # without the second mark: in nobody's name
        await at.answer(Reply(command_id=busy, stream=commit.stream, verdict="busy", version=commit.version))
        await ask(later)
        made = replace(
            commit, base=commit.version, prev=digest(raw), command_id=later.bytes, command_offset=offset + 3,
            command_time=time.time_ns() // 1_000_000 + 60_000, principal=str(by), correlation="",
            verdict="rejected", reason="later", events=(), sealed=b"",
        )  # fmt: skip
        assert await at.incidents() == []
        await at.write(topic("table", "journal").name, commit.stream, encode(made))
        await at.found("command_not_decided", "what a person asked was passed over")
        await asyncio.sleep(2)
        kinds = sorted(kind for kind, _ in await at.incidents())
        assert kinds == ["command_not_decided", "commit_without_command"], "nor is it so late yet"
        passed_over = await at.client.get("/v1/incidents", params={"kind": "command_not_decided"})
        [told] = passed_over.json()["incidents"]
        assert (told["topic"], told["partition"], told["offset"]) == (topics + name, at.place, offset)


async def test_a_group_that_was_moved_is_told_by_its_service(kafka: Broker, topics: str, settings: Any) -> None:
    """Also behind what nobody but a thief of its marks would tell."""
    async with site(kafka, settings, topics) as at:
        place, parked = (topics + topic("table", "commands").name, 1), topics + topic("table", "parked").name
        true = Moved(topics + "table-decider", *place, 4_711, 7, NO_MARK).telling
        far = replace(true, place=(place[0], 10**12), offset=10**17, why="far")
        nowhere = Telling(SNAPSHOT_DIFFERS, ("\0", 10**30), 10**30, b"\xff\x1b[2J", "\x1b[2J")
        publisher = await KafkaLog(kafka, TABLE).publisher()
        await (await publisher.send([each.record(parked) for each in (far, nowhere, true)]))
        await publisher.abandon()
        await at.found("group_offset_differs", "stood at 4711 of")
        await at.found("group_offset_differs", "far")
        await at.found("snapshot_differs", "none of its own (?)")


async def test_a_service_that_tells_too_much_hides_nothing_of_others(
    kafka: Broker, topics: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who has its login and marks repeats what is known already, and then makes up more than anybody reads."""
    monkeypatch.setattr(traffic, "MOST_TOLD", 20)

    def moved(service: str, offset: int) -> OutRecord:
        name = topics + topic(service, "commands").name
        telling = Moved(f"{topics}{service}-decider", name, 1, offset, 7, NO_MARK).telling
        return telling.record(topics + topic(service, "parked").name)

    async def tell(marks: Marks, records: list[OutRecord]) -> None:
        publisher = await KafkaLog(kafka, marks).publisher()
        for page in range(0, len(records), 500):
            await (await publisher.send(records[page : page + 500]))
        await publisher.abandon()

    async with site(kafka, settings, topics) as at:
        await tell(TOURNAMENT, [moved("tournament", 1)] * 1_200)
        await tell(TOURNAMENT, [moved("tournament", 2)])
        await at.found("group_offset_differs", "stood at 2 of")
        assert not await _count(at, "tellings_passed_over", 1), "the same again is nothing new"
        await tell(TOURNAMENT, [moved("tournament", offset) for offset in range(3, 40)])
        await at.found("group_offset_differs", "stood at 39 of")
        await tell(TOURNAMENT, [moved("tournament", 40)])
        await at.found("tellings_passed_over", "more than 20 new things an hour")
        await tell(TABLE, [moved("table", 4_711)])
        await at.found("group_offset_differs", "stood at 4711 of")


async def test_a_public_event_that_no_commit_says_is_found(kafka: Broker, topics: str, settings: Any) -> None:
    async with site(kafka, settings, topics) as at:
        true = at.published("table", at.house.table)
        for each in (true[-1], true[0], true[len(true) // 2]):
            await at.publish(each)
        await asyncio.sleep(3)
        assert await at.incidents() == [], "what is published again is no finding, however old it is"

        await at.publish(replace(true[-1], version=true[-1].version + 1))
        await at.found("publication_differs", f"no commit says what was published as version {true[-1].version + 1}")
        await at.publish(replace(true[2], data=true[2].data[:-1] + b',"x":1}'))
        await at.found("publication_differs", f"published as version {true[2].version}")
        await at.publish(replace(true[-1], stream="table-of-nobody", causation=str(uuid7()), version=1))
        await at.found("publication_differs", "published as version 1")


async def test_a_forged_deposit_is_found_and_the_true_event_of_its_version_is_none(
    kafka: Broker, topics: str, settings: Any
) -> None:
    """By the wallet's login and its true marks: books and pages believe it, no commit stands behind it."""
    async with site(kafka, settings, topics) as at:
        rules = at.house.state.rules
        account = account_id("player-1", rules.currency, rules.kind)
        events = at.published("wallet", account)
        deposit = next(each for each in events if each.type.endswith(".funds_deposited.v1"))
        data = json.encode(json.decode(deposit.data) | {"amount": 5_000_000, "reference": "forged"})
        forged = replace(deposit, version=events[-1].version + 1, causation=str(uuid7()), data=data)
        await at.publish(forged, WALLET)
        await at.found("publication_differs", f"published as version {forged.version}")

        # What is decided since is published under the very versions that were forged.
        operator = ("operator", "o")
        at.house.ask("wallet", account, "DepositFunds", operator, reference="true", amount=100)
        at.house.ask("wallet", account, "DepositFunds", operator, reference="and another", amount=100)
        await copy(at.house.broker, kafka, topics, at.copied)
        await asyncio.sleep(3)
        told = [detail for kind, detail in await at.incidents() if kind == "publication_differs"]
        assert told == [f"no commit says what was published as version {forged.version}"]


async def test_events_whose_commits_are_forgotten_are_held_against_the_journal(
    kafka: Broker, topics: str, settings: Any
) -> None:
    """Memory is bounded, and a restart knows nothing: what is older is read again."""
    async with site(kafka, settings, topics) as at:
        true, house = at.published("table", at.house.table), at.house
    async with serving(settings) as (parts, client):
        await until(lambda: _ready(parts))
        at = Site(kafka, topics, house, client)
        for each in true[:20]:
            await at.publish(each)
        await at.publish(replace(true[1], time=true[1].time + 1))
        await at.found("publication_differs", f"published as version {true[1].version}")
        assert len(await at.incidents()) == 1


async def test_what_was_seen_is_seen_once_and_a_restart_goes_on(
    kafka: Broker, topics: str, house_database: str, settings: Any
) -> None:
    async with site(kafka, settings, topics) as at:
        await at.answer(from_commit(at.last[0]))
        await at.answer(Reply(command_id=uuid7(), stream="table-1", verdict="accepted", version=1))
        await at.found("answer_without_commit", "table has given an answer")
        before, house = await at.incidents(), at.house
    connection = await asyncpg.connect(house_database)
    await connection.execute("delete from audit.readers where reader = 'traffic'")
    await connection.close()
    async with serving(settings) as (_, client):
        at = Site(kafka, topics, house, client)
        await at.answer(Reply(command_id=uuid7(), stream="table-2", verdict="accepted", version=1))
        await until(lambda: _count(at, "answer_without_commit", 2), 3 * SOON_S)
        assert set(before) <= set(await at.incidents())
        assert len(await at.incidents()) == 2


async def test_a_position_that_somebody_has_moved_is_told_and_nothing_is_passed_over(
    kafka: Broker, topics: str, house_database: str, settings: Any
) -> None:
    """By the auditor's own database login, while it is down: past a foreign record."""
    name = topic("wallet", "commands").name
    connection = await asyncpg.connect(house_database)
    there = "select 1 from audit.readers where reader = 'traffic' and topic = $1"
    async with site(kafka, settings, topics) as at:
        house = at.house
        await until(lambda: connection.fetchval(there, topics + name))
    at = Site(kafka, topics, house, httpx.AsyncClient())
    await at.write(name, house.table, b"{}", UNMARKED)
    moved = "update audit.readers set next = next + 1 where reader = 'traffic' and topic = $1"
    assert await connection.execute(moved, topics + name) != "UPDATE 0"
    await connection.close()
    async with serving(settings) as (parts, client):
        await until(lambda: _ready(parts))
        at = Site(kafka, topics, house, client)
        await at.found("position_moved", "is not its own")
        await at.found("foreign_record", "no mark, names nobody")


async def test_a_notice_that_no_gateway_tells_is_told_and_passed_by(
    kafka: Broker, topics: str, house_database: str, settings: Any
) -> None:
    """With a gateway's mark: it held the reader up for good."""
    async with site(kafka, settings, topics) as at:
        for moment in (2**63, 1):
            notice = SessionNotice(about="blocked", player="eve", at=moment, by="staff:x")
            await at.write(SESSIONS.name, notice.key, notice.encoded(), GATEWAY)
        await at.found("foreign_record", "it is no notice of sessions, says gateway has written it")
        connection = await asyncpg.connect(house_database)
        await until(lambda: _kept(connection))
        await connection.close()


async def _kept(connection: Any) -> bool:
    return [row["at"] for row in await connection.fetch("select at from audit.restrictions")] == [1]


async def _ready(parts: Audit) -> bool:
    return parts.ready() is None


async def _count(at: Site, kind: str, wanted: int) -> bool:
    return [each for each, _ in await at.incidents()].count(kind) >= wanted
