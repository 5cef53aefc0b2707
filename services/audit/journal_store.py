"""How far the auditor has read each journal: position, heads and judged links, moved together (journal 15, 21)."""

from collections.abc import Iterable, Sequence
from typing import Any

from libs.journal.commit import digest
from libs.journal.fold import Folded, Head, PartitionFold, Position
from libs.projecting import Connection, PositionLost

READER = "audit"


async def load_position(connection: Connection, topic: str, partition: int) -> Position:
    """Where to go on; the beginning, if this partition was never read."""
    row = await connection.fetchrow(
        "select next, last, digest from readers where reader = $1 and topic = $2 and partition = $3",
        *(READER, topic, partition),
    )
    return Position(row["next"], row["last"], row["digest"]) if row else Position()


async def load_heads(connection: Connection, topic: str, partition: int) -> dict[str, Head]:
    rows = await connection.fetch(
        "select stream, version, digest, time, last_offset from journal_heads where topic = $1 and partition = $2",
        *(topic, partition),
    )
    return {row["stream"]: Head(row["version"], row["digest"], row["time"], row["last_offset"]) for row in rows}


async def recent_digests(connection: Connection, topic: str, partition: int, limit: int) -> list[bytes]:
    """Of the last `limit` records, oldest first."""
    rows = await connection.fetch(
        'select digest from journal_links where topic = $1 and partition = $2 order by "offset" desc limit $3',
        *(topic, partition, limit),
    )
    return [row["digest"] for row in reversed(rows)]


async def move(connection: Connection, topic: str, partition: int, old: Position, new: Position) -> None:
    """Compare-and-set; PositionLost where another auditor was faster."""
    moved = await connection.fetchval(
        """insert into readers (reader, topic, partition, next, last, digest) values ($1, $2, $3, $4, $5, $6)
           on conflict (reader, topic, partition) do update
               set next = excluded.next, last = excluded.last, digest = excluded.digest where readers.next = $7
           returning true""",
        *(READER, topic, partition, new.next, new.last, new.digest, old.next),
    )
    if not moved:
        raise PositionLost(f"{READER} {topic}/{partition}")


async def save_links(connection: Connection, topic: str, partition: int, batch: Sequence[Folded[Any, Any]]) -> None:
    rows = [
        (topic, partition, f.offset, f.commit.stream, f.commit.version, f.commit.prev, digest(f.raw), f.judgement)
        for f in batch
        if f.commit is not None
    ]
    await connection.executemany(
        "insert into journal_links values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing", rows
    )


async def save_heads(connection: Connection, topic: str, fold: PartitionFold[Any, Any], streams: Iterable[str]) -> None:
    heads = [(stream, fold.heads[stream]) for stream in streams]
    await connection.executemany(
        """insert into journal_heads (topic, stream, partition, version, digest, time, last_offset)
           values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (topic, stream) do update set version = excluded.version, digest = excluded.digest,
               time = excluded.time, last_offset = excluded.last_offset""",
        [(topic, stream, fold.partition, h.version, h.prev, h.time, h.last_offset) for stream, h in heads],
    )
