"""The projector's own rows: position, versions and rolling digest, moved by compare-and-set (journal 15)."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from libs.projecting.projection import Connection
from libs.projecting.source import Arrived, Partition


class PositionLost(Exception):
    """Another projector moved the position first. Reload, and go on from what it wrote."""


class OtherHouse(RuntimeError):
    """The database was made of other topics: a house that was moved needs one of its own, or all would be booked
    twice."""


@dataclass(slots=True)
class Head:
    """How far one partition is read: the next offset, how many events were accepted, and their rolling digest."""

    position: int = 0
    accepted: int = 0
    digest: bytes = b""
    event_time: int = 0


@dataclass(slots=True)
class Reached:
    """Of one stream: the last version accepted and the highest met."""

    version: int = 0
    seen: int = 0


async def load_heads(connection: Connection, projection: str, partitions: Sequence[Partition]) -> dict[Partition, Head]:
    """The stored heads; a partition never read before starts at offset 0 (journal 20). Raises `OtherHouse`."""
    ours = {topic for topic, _ in partitions}
    known = await connection.fetch("select distinct topic from positions where projection = $1", projection)
    for each in {row["topic"] for row in known} - ours:
        if any(_bare(each) == _bare(topic) for topic in ours):
            raise OtherHouse(f"the rows of {projection} are made of {each}")
    await connection.executemany(
        "insert into positions (projection, topic, partition, position) values ($1, $2, $3, 0) on conflict do nothing",
        [(projection, topic, partition) for topic, partition in partitions],
    )
    rows = await connection.fetch(
        "select topic, partition, position, accepted, digest, event_time from positions where projection = $1",
        projection,
    )
    heads = {
        (row["topic"], row["partition"]): Head(row["position"], row["accepted"], row["digest"], row["event_time"])
        for row in rows
    }
    return {partition: heads[partition] for partition in partitions}


def _bare(topic: str) -> str:
    """Without the prefix of its house."""
    return topic[topic.rfind("croupier.") :]


async def load_streams(
    connection: Connection, projection: str, streams: Collection[tuple[str, str]]
) -> dict[tuple[str, str], Reached]:
    """Of these, as (topic, stream); what is new is not among them."""
    rows = await connection.fetch(
        """select topic, stream, version, seen from streams
             join unnest($2::text[], $3::text[]) as wanted (topic, stream) using (topic, stream)
            where projection = $1""",
        projection,
        [topic for topic, _ in streams],
        [stream for _, stream in streams],
    )
    return {(row["topic"], row["stream"]): Reached(row["version"], row["seen"]) for row in rows}


async def move(connection: Connection, projection: str, old: dict[Partition, Head], new: dict[Partition, Head]) -> None:
    """Moves the heads from `old` to `new`, all or none; PositionLost where somebody else moved one."""
    moved = await connection.fetch(
        """
        update positions p
           set position = n.position, accepted = n.accepted, digest = n.digest, event_time = n.event_time
          from unnest($2::text[], $3::int[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bytea[], $8::bigint[])
               as n (topic, partition, was, position, accepted, digest, event_time)
         where p.projection = $1 and p.topic = n.topic and p.partition = n.partition and p.position = n.was
        returning 1
        """,
        projection,
        [topic for topic, _ in new],
        [partition for _, partition in new],
        [old[partition].position for partition in new],
        [head.position for head in new.values()],
        [head.accepted for head in new.values()],
        [head.digest for head in new.values()],
        [head.event_time for head in new.values()],
    )
    if len(moved) != len(new):
        raise PositionLost(projection)


async def save_streams(connection: Connection, projection: str, reached: dict[tuple[str, str], Reached]) -> None:
    await connection.execute(
        """
        insert into streams (projection, topic, stream, version, seen)
        select $1, * from unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[])
        on conflict (projection, topic, stream) do update set version = excluded.version, seen = excluded.seen
        """,
        projection,
        [topic for topic, _ in reached],
        [stream for _, stream in reached],
        [at.version for at in reached.values()],
        [at.seen for at in reached.values()],
    )


async def park(connection: Connection, projection: str, records: Iterable[tuple[Arrived, str]]) -> None:
    await connection.executemany(
        'insert into parked (projection, topic, partition, "offset", reason, key, value)'
        " values ($1, $2, $3, $4, $5, $6, $7)",
        [(projection, r.topic, r.partition, r.offset, reason, r.key, r.value) for r, reason in records],
    )
