"""Copying from the real broker and back: offsets and times stay, also where retention or a foreign batch left a gap."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiokafka import AIOKafkaProducer

from libs.broker.administration import administering
from libs.contracts.topics import Topic, topic
from libs.journal.kafka_cluster import Cluster
from libs.journal.kafka_log import KafkaLog
from libs.journal.kafka_wire import produce
from libs.journal.log import LogRecord
from libs.stack import Stack, StackError, provision, remove
from services.cli.backups.files import Part, Writer, records_in
from services.cli.backups.log import Copying, Everything, Restoring, check_empty, cut, differs
from tests.journal.test_foreign import batch, broken
from tests.testkit.partitions import PARTITIONS

COMMANDS, JOURNAL = topic("wallet", "commands"), topic("wallet", "journal")


def nothing(what: str, done: int, total: int) -> None:
    """Nobody is watching."""


async def send(stack: Stack, name: str, *values: bytes) -> None:
    producer = AIOKafkaProducer(**stack.admin.options())
    await producer.start()
    try:
        for value in values:
            await producer.send_and_wait(name, value, key=b"alice", partition=0, headers=[("mark", b"nobody's")])
    finally:
        await producer.stop()


@asynccontextmanager
async def cluster(stack: Stack) -> AsyncIterator[Cluster]:
    at = Cluster(stack.admin, "croupier-tests", 10_000)
    await at.join()
    try:
        yield at
    finally:
        at.leave()


def everything(stack: Stack) -> KafkaLog:
    return KafkaLog(stack.admin, Everything(), on_foreign=lambda _: None)


async def copied(stack: Stack, folder: Path, prefix: str, of: Topic, before: list[Part] | None = None) -> list[Part]:
    log = everything(stack)
    copying = Copying(folder, log, log, prefix, PARTITIONS, 1 + len(before or ()), nothing)
    return await copying.stage([of], {each.place: each for each in before or []})


async def restored(stack: Stack, folder: Path, prefix: str, part: Part, of: Topic) -> str:
    """Into topics made anew, under the same names: marks cover them."""
    await remove(stack.admin, prefix)
    await provision(stack.admin, PARTITIONS, prefix)
    async with cluster(stack) as at, administering(stack.admin) as admin:
        await check_empty(stack.admin, at, PARTITIONS, prefix)
        await admin.set_topics([part.topic], "message.timestamp.type", "CreateTime")
        await asyncio.sleep(1.0)  # the broker shows a setting a moment before it goes by it
        await Restoring(folder, at, nothing).write(part, of)
        await admin.set_topics([part.topic], "message.timestamp.type", "LogAppendTime")
        await cut(stack.admin, {part.place: part.first} if part.first else {})
        with pytest.raises(StackError, match="is not empty"):
            await check_empty(stack.admin, at, PARTITIONS, prefix)
    return await differs(folder, everything(stack), part, of)


async def test_offsets_and_times_come_back_where_retention_has_taken_the_front(
    stack: Stack, topics: str, tmp_path: Path
) -> None:
    name = topics + COMMANDS.name
    await send(stack, name, *(b"%d" % number for number in range(20)))
    await cut(stack.admin, {(name, 0): 7})
    part = (await copied(stack, tmp_path, topics, COMMANDS))[0]
    assert (part.first, part.end, part.records) == (7, 20, 13)
    assert await restored(stack, tmp_path, topics, part, COMMANDS) == ""


async def test_a_batch_that_nobody_reads_keeps_its_offsets(stack: Stack, topics: str, tmp_path: Path) -> None:
    name = topics + JOURNAL.name
    await send(stack, name, b"first")
    foreign = batch(*[(b"k", b"x" * 200, (("head", b"x"),))] * 3)
    foreign = broken(foreign, b"head", b"\xff\xfe\xfd\xfc")  # a header that is no text: not ours
    async with cluster(stack) as at_cluster:
        assert await at_cluster.partitions(name)
        node = at_cluster.leader((name, 0))
        assert node is not None
        answer = await at_cluster.call(node, "produce", produce({name: [(0, foreign)]}, 10_000))
        assert answer[name, 0].error == 0
    await send(stack, name, b"last")
    part = (await copied(stack, tmp_path, topics, JOURNAL))[0]
    assert part.end == 5
    assert await restored(stack, tmp_path, topics, part, JOURNAL) == ""
    assert [each.offset for each in records_in(tmp_path, part)][-1] == 4


async def test_a_second_run_copies_what_is_new_and_refuses_another_log(
    stack: Stack, topics: str, tmp_path: Path
) -> None:
    name = topics + JOURNAL.name
    await send(stack, name, b"a", b"b")
    first = await copied(stack, tmp_path, topics, JOURNAL)
    await send(stack, name, b"c")
    second = await copied(stack, tmp_path, topics, JOURNAL, first)
    assert (second[0].file, second[0].end) == (first[0].file, 3)
    assert [each.value for each in records_in(tmp_path, second[0])] == [b"a", b"b", b"c"]
    await remove(stack.admin, topics)
    await provision(stack.admin, PARTITIONS, topics)
    for more in ((b"x",), (b"y", b"z", b"another")):  # shorter, then as long and with another record in its place
        await send(stack, name, *more)
        with pytest.raises(StackError, match="is not the log that was copied here"):
            await copied(stack, tmp_path, topics, JOURNAL, second)


async def test_a_snapshot_that_no_broker_takes_any_more_is_left_out(stack: Stack, topics: str, tmp_path: Path) -> None:
    """Of a house from before they went in parts; who starts folds the journal."""
    of = topic("wallet", "snapshots")
    writer = Writer(tmp_path, Part(topics + of.name, 0, "large.records", 0, 0))
    values = (b"small", bytes(1_500_000), b"small")
    writer.add([LogRecord(at, b"stream/%d" % at, value, (), 1) for at, value in enumerate(values)])
    assert await restored(stack, tmp_path, topics, writer.end(3), of) == ""


async def test_what_was_taken_back_is_no_difference_and_what_was_not_is(
    stack: Stack, topics: str, tmp_path: Path
) -> None:
    """Pieces of manifests are, at each start of a process; a restore in a cluster ended in eight differences by it."""
    of = topic("wallet", "snapshots")

    def backup(name: str, *values: tuple[bytes, bytes | None]) -> Part:
        writer = Writer(tmp_path, Part(topics + of.name, 0, f"{name}.records", 0, 0))
        writer.add([LogRecord(at, key, value, (), 1) for at, (key, value) in enumerate(values)])
        return writer.end(len(values))

    piece, other = b"manifest/a.1", b"manifest/b.1"
    taken_back = backup("taken-back", (piece, b"first"), (other, b"second"), (piece, None))
    assert await restored(stack, tmp_path, topics, taken_back, of) == ""
    never_there = backup("never-there", (other, b"second"), (b"manifest/c.1", None))
    assert await differs(tmp_path, everything(stack), never_there, of) == "", "gone by compaction"
    for last in (b"first", b"third"):
        stands = backup("stands", (other, b"second"), (piece, last))
        assert "the last record of b'manifest/a.1'" in await differs(tmp_path, everything(stack), stands, of)
    gone = backup("gone", (other, None))
    assert "the last record of b'manifest/b.1'" in await differs(tmp_path, everything(stack), gone, of)
