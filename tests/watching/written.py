"""Records that nobody of the house would write, under the marks of one who may."""

import asyncio
import time
from contextlib import suppress
from typing import Any

from msgspec.structs import replace

from libs.contracts.cloudevents_kafka import NotAPublicEvent, from_record, to_record
from libs.contracts.messages import CommandMessage, Principal, PublicEvent, command_id_at
from libs.contracts.registry import encode_fact
from libs.contracts.table_events import PlayerSatOut, TablePaused
from libs.contracts.topics import partition_of, topic
from libs.journal.commit import Commit, encode
from libs.journal.fold import AnyFold, PartitionFold
from libs.journal.log import OutRecord
from libs.journal.machine import journal_name
from libs.journal.shelf import stream_key
from tests.e2e.evening import all_records
from tests.testkit.partitions import PARTITIONS
from tests.watching.drill import Drill

_OLD_MS = 7_200_000
GAP = "drill-gap"


def command(
    it: Drill, stream: str, number: int, at_ms: int, by: str = "drill", wish: str = "SitOut", body: Any = None
) -> OutRecord:
    """By itself to sit out, at a table that there is not."""
    said = CommandMessage(
        id=command_id_at(at_ms, by, stream, str(number)),
        stream=stream, type=wish, principal=Principal("player", by), body=body or {},
    )  # fmt: skip
    return OutRecord(it.at.house.topic_prefix + topic("table", "commands").name, stream.encode(), said.encoded())


async def old_commands(it: Drill) -> None:
    async with it.writing("gateway") as publisher:
        for number in range(80):
            old = int(time.time() * 1000) - _OLD_MS
            await (await publisher.send([command(it, "drill-old", number, old)]))
            await asyncio.sleep(0.2)


async def gap(it: Drill) -> None:
    """Of a table that is opened, by its events alone, as another one was; what comes second is left out."""
    name = it.at.house.topic_prefix + topic("table", "events").name
    first: PublicEvent | None = None
    for each in await all_records(it.at.stack.admin, name, PARTITIONS):
        with suppress(NotAPublicEvent):  # another fault's
            told = from_record(each.key, each.value, each.headers)
            first = first or (told if told.type.endswith(".table_opened.v1") else None)
    assert first is not None
    opened = replace(first, stream=GAP, data=first.data.replace(first.stream.encode(), GAP.encode()))
    await _events(it, opened, _paused(3))


async def fill(it: Drill) -> None:
    await _events(it, _paused(2))


async def _events(it: Drill, *events: PublicEvent) -> None:
    name = it.at.house.topic_prefix + topic("table", "events").name
    async with it.writing("table") as publisher:
        for event in events:
            key, value, headers = to_record(event)
            await (await publisher.send([OutRecord(name, key, value, headers)]))


def _paused(version: int) -> PublicEvent:
    now = int(time.time() * 1000)
    kind, data = encode_fact(TablePaused(at=now, table=GAP, by="staff:drill", reason="a drill"))
    return PublicEvent(stream=GAP, version=version, type=kind, time=now, causation="drill", data=data)


def _sat_out(table: str) -> PlayerSatOut:
    return PlayerSatOut(at=int(time.time() * 1000), table=table, player="nobody", seat=1, reason="player")


async def stateless(it: Drill) -> None:
    """Somebody sits out who has no seat: the rule lets it count, and no state comes of it."""
    stream, name = "drill-stateless", journal_name("table")
    fold: AnyFold = PartitionFold(partition_of(stream, PARTITIONS), PARTITIONS, name, None)
    head, now = fold.head(stream), int(time.time() * 1000)
    commit = Commit(
        stream=stream, base=head.version, prev=head.prev, command_id=command_id_at(now, stream).bytes,
        source="drill.1/0", command_offset=1, command_time=now, verdict="accepted", reason=None, rule=None, detail="",
        events=(encode_fact(_sat_out(stream)),), writer="drill", generation=1,
    )  # fmt: skip
    await it.write("table", topic("table", "journal").name, encode(commit), stream.encode())
    async with it.writing("gateway") as publisher:  # an owner that appends nothing reads nothing
        await (await publisher.send([command(it, stream, 2, now)]))


async def snapshot(it: Drill) -> None:
    """By who has the table's marks and not its seals; a start finds it."""
    await it.at.house.processes["table"].kill()
    for number in range(PARTITIONS):
        stream = next(f"drill-{n}" for n in range(1_000) if partition_of(f"drill-{n}", PARTITIONS) == number)
        await it.write("table", topic("table", "snapshots").name, b"\x01drill", stream_key(stream))
    await it.at.again("table")
