"""Everything a house writes, as texts to be searched: raw topic records, database rows, log lines."""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg
import msgspec

from libs.contracts.topics import TOPICS, VIEWS
from libs.journal.kafka_log import KafkaReader
from libs.journal.log import Log, LogRecord, OffsetOutOfRange, Reader
from services.gateway.kafka.keeps_views import Kept

_PAGE = 1000
_WAIT_MS = 500
_LONGEST_LINE = 1 << 20


@dataclass(frozen=True, slots=True)
class Text:
    """One searchable thing and where it stands: `croupier.replies.v1/0@17`, `wallet.transfers`, `table.jsonl:3`."""

    place: str
    content: bytes = field(repr=False)


async def all_records(log: Log, of_house: int, prefix: str = "") -> AsyncIterator[tuple[str, int, LogRecord]]:
    """Every record of every topic that the broker still holds, in a house of so many partitions."""
    for each in TOPICS:
        for partition in range(each.partitions(of_house)):
            reader = await log.reader(prefix + each.name, partition)
            try:
                async for record in _records(reader):
                    yield each.name, partition, record
            finally:
                await reader.close()


def record_texts(topic: str, partition: int, record: LogRecord) -> Iterator[Text]:
    """Key, value and headers one behind the other, bytes as they are; a kept view also part by part, in words."""
    key, value = record.key or b"", record.value or b""
    headers = b"\n".join(name.encode() + b": " + value for name, value in record.headers)
    place = f"{topic}/{partition}@{record.offset}"
    parts = _in_words(value) if topic.endswith(VIEWS.name) else (value,)
    yield from (Text(place, b"\n".join((key, part, headers))) for part in parts)


def _in_words(value: bytes) -> Iterator[bytes]:
    """A kept view is MessagePack, in which no hand is named as the search knows names; as JSON it is, in every part.

    It recalls many hands of one table, each a text of its own: two cards that stay hidden in one hand of hold'em lay
    side by side on another's board too often.
    """
    try:
        kept = msgspec.msgpack.decode(value, type=Kept)
        state = msgspec.msgpack.decode(kept.state)
    except msgspec.MsgspecError:
        yield value
        return
    for part in state if isinstance(state, list) else (state,):
        for each in part if isinstance(part, list) else (part,):
            yield kept.stream.encode() + b" " + msgspec.json.encode(each)


async def all_rows(database_url: str) -> AsyncIterator[Text]:
    """Every row of every table outside PostgreSQL's own schemas, as JSON; `bytea` comes as hex."""
    connection = await asyncpg.connect(database_url)
    try:
        tables = await connection.fetch(
            """select schemaname as schema, tablename as name from pg_tables
               where schemaname not in ('pg_catalog', 'information_schema') order by 1, 2"""
        )
        for table in tables:
            async for text in _rows(connection, table["schema"], table["name"]):
                yield text
    finally:
        await connection.close()


def all_lines(paths: Sequence[Path]) -> Iterator[Text]:
    """Every line of the files, and of the files in the folders."""
    for file in sorted(_files(paths)):
        with file.open("rb") as lines:
            number = 0
            # Raw bytes of a secret that hold a line feed fall into two lines, and are then not found in a file.
            while line := lines.readline(_LONGEST_LINE):
                number += 1
                yield Text(f"{file.name}:{number}", line)


async def _records(reader: Reader) -> AsyncIterator[LogRecord]:
    end, position = await reader.end(), 0
    while position < end:
        try:
            fetched = await reader.read(position, _PAGE, _WAIT_MS)
        except OffsetOutOfRange:
            # Old records are gone by retention; only Kafka lets them go.
            assert isinstance(reader, KafkaReader)
            position = await reader.beginning()
            continue
        for record in fetched.records:
            yield record
        position = fetched.position


async def _rows(connection: Any, schema: str, name: str) -> AsyncIterator[Text]:
    async with connection.transaction(readonly=True):
        query = f'select row_to_json(t)::text as row from "{schema}"."{name}" as t'
        async for row in connection.cursor(query, prefetch=1000):
            yield Text(f"{schema}.{name}", row["row"].encode())


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from (file for file in path.rglob("*") if file.is_file())
        elif path.exists():
            yield path
