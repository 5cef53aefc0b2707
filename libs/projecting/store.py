"""Where a projector keeps rows and position: a port, and the adapter that is PostgreSQL."""

import logging
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import asyncpg
import msgspec

from libs.contracts.messages import PublicEvent
from libs.contracts.registry import parse_event
from libs.journal.marks import MayNotWrite
from libs.projecting.acceptance import Accepted
from libs.projecting.positions import Head, PositionLost, Reached, load_heads, load_streams, move, park, save_streams
from libs.projecting.projection import Connection, Projection, Told, write_rows
from libs.projecting.source import Partition
from libs.projecting.writings import Writings

Pool: TypeAlias = "asyncpg.Pool[Any]"
Stream = tuple[str, str]
"""Topic and stream."""
_EVENT = msgspec.msgpack.Decoder(PublicEvent)
_log = logging.getLogger(__name__)


class Store(Protocol):
    """Rows and position move together or not at all."""

    async def load(self, partitions: Sequence[Partition]) -> dict[Partition, Head]:
        """Stored heads; a partition never read before starts at offset 0 (journal 20)."""
        ...

    async def reached(self, streams: Collection[Stream]) -> dict[Stream, Reached]:
        """Versions of those that were met before; where another projector has moved on since, `write` says so."""
        ...

    async def write(self, old: Mapping[Partition, Head], batch: Accepted) -> None:
        """One batch on top of `old`; PositionLost, and nothing written, where somebody else moved a head since."""
        ...

    @property
    def set_aside(self) -> int:
        """Events that are accepted and not projected."""
        ...


def is_of_the_event(wrong: Exception) -> bool:
    """Whether a fault lies in what was to be written, so that trying again brings it again.

    Not so: the database is away, busy or of another shape than the code, or another projector was faster. Nor a
    RuntimeError, or a key that is not there: the code or its setting is at fault, and that stops the projector.
    """
    if isinstance(wrong, asyncpg.PostgresError):
        refused = (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError, asyncpg.ProgramLimitExceededError)
        return isinstance(wrong, refused)
    if isinstance(wrong, asyncpg.InterfaceError | asyncpg.InternalClientError):
        return isinstance(wrong, ValueError)  # asyncpg itself could not encode a value
    return not isinstance(wrong, OSError | PositionLost | TimeoutError | RuntimeError | MayNotWrite)


class PostgresStore:
    """An event that can't be projected is set aside with all that follows in its stream; the others go on.

    The events are accepted: position, version and digest move on. They are tried again, in order, by each `load`, which
    is also what a restart does.

    Where somebody else has written with the service's login (`ForeignWriting`), nothing is read, written or taken up.
    """

    def __init__(
        self, pool: Pool, name: str, projections: Sequence[Projection], writings: Writings | None = None
    ) -> None:
        """`name` is the key of the stored position. `writings`: none where nobody watches who writes."""
        self._pool = pool
        self._name = name
        self._writings = writings
        self._projections = list(projections)
        self._partitions: Sequence[Partition] = ()
        self._aside: set[Stream] = set()
        self.set_aside = 0

    async def load(self, partitions: Sequence[Partition]) -> dict[Partition, Head]:
        self._partitions = partitions
        await self.take_up(partitions)
        async with self._pool.acquire() as connection, connection.transaction(isolation="repeatable_read"):
            heads = await load_heads(connection, self._name, partitions)
            await self._look(connection)
            await self._end(connection)
            return heads

    async def reached(self, streams: Collection[Stream]) -> dict[Stream, Reached]:
        async with self._pool.acquire() as connection:
            return await load_streams(connection, self._name, streams)

    async def write(self, old: Mapping[Partition, Head], batch: Accepted) -> None:
        try:
            await self._write(old, batch, one_by_one=False)
        except Exception as wrong:
            if not batch.facts or not is_of_the_event(wrong):
                raise
            await self._write(old, batch, one_by_one=True)

    async def _write(self, old: Mapping[Partition, Head], batch: Accepted, *, one_by_one: bool) -> None:
        was = bool(self._aside)
        async with self._pool.acquire() as connection, connection.transaction():
            # First of all: from here on no other projector can write for these partitions.
            await move(connection, self._name, dict(old), batch.heads)
            await save_streams(connection, self._name, batch.streams)
            if batch.parked:
                await park(connection, self._name, batch.parked)
            if was:
                await self._look(connection)  # somebody else may have taken a stream up
            facts = await self._going_on(connection, batch, one_by_one=one_by_one)
            if facts and not one_by_one:
                for projection in self._projections:
                    await projection.apply(connection, facts)
            await self._end(connection)
        if one_by_one or was:
            async with self._pool.acquire() as connection:
                await self._look(connection)

    async def _going_on(self, connection: Connection, batch: Accepted, *, one_by_one: bool) -> Sequence[Told]:
        """The facts of streams that are not set aside; those of the others are kept. `one_by_one`: projected as well,
        and the first that is refused sets its stream aside."""
        if not (one_by_one or self._aside):
            return batch.facts
        aside, going_on = set(self._aside), []
        for told, (topic, partition, offset) in zip(batch.facts, batch.places, strict=True):
            event, stream = told[0], (topic, told[0].stream)
            reason = "" if stream in aside else await self._refused(connection, told) if one_by_one else None
            if reason is None:
                going_on.append(told)
                continue
            aside.add(stream)
            if reason:
                where = {"topic": topic, "partition": partition, "offset": offset, "stream": event.stream}
                _log.error("%s set a stream aside: %s", self._name, reason, extra=where)
            await connection.execute(
                """insert into set_aside (projection, topic, partition, "offset", stream, version, reason, event)
                   values ($1, $2, $3, $4, $5, $6, $7, $8)""",
                *(self._name, topic, partition, offset, event.stream, event.version, reason),
                msgspec.msgpack.encode(event),
            )
        return going_on

    async def _refused(self, connection: Connection, told: Told) -> str | None:
        """Projects one event; the kind of fault, never its text, which may quote the event. None: it is projected."""
        try:
            async with connection.transaction():
                await connection.execute("set constraints all deferred")
                for projection in self._projections:
                    await projection.apply(connection, [told])
                await connection.execute("set constraints all immediate")
        except Exception as wrong:
            if not is_of_the_event(wrong):
                raise
            return type(wrong).__name__
        return None

    async def take_up(self, partitions: Sequence[Partition] | None = None) -> None:
        """What is set aside once more, each stream from its first event on, as far as it goes; of all partitions, or of
        these.

        Also from another process than the projector's own.
        """
        async with self._pool.acquire() as connection, connection.transaction():
            # Who writes waits, and sees what is left.
            held = await connection.fetch(
                """select topic, partition from positions where projection = $1
                      and ($2::text[] is null or (topic, partition) in (select * from unnest($2, $3::int[])))
                   order by topic, partition for update""",
                *(self._name, *_columns(partitions)),
            )
            while await self._pass(connection, [(row["topic"], row["partition"]) for row in held]):
                pass  # what came of one stream may be what another waited for
            await self._end(connection)

    async def _pass(self, connection: Connection, partitions: Sequence[Partition]) -> bool:
        """Whether any event was taken up."""
        rows = await connection.fetch(
            f"""select topic, partition, "offset", stream, event {_OF_PARTITIONS}
                order by topic, partition, "offset" """,
            *(self._name, *_columns(partitions)),
        )
        stuck: set[Stream] = set()
        taken = []
        for row in rows:
            stream = (row["topic"], row["stream"])
            told = None if stream in stuck else _told(row)
            if told is None or await self._refused(connection, told) is not None:
                stuck.add(stream)
            else:
                taken.append((self._name, row["topic"], row["partition"], row["offset"]))
        await write_rows(
            connection,
            'delete from set_aside where projection = $1 and topic = $2 and partition = $3 and "offset" = $4',
            taken,
        )
        return bool(taken)

    async def _end(self, connection: Connection) -> None:
        if self._writings is not None:
            await self._writings.end(connection)

    async def _look(self, connection: Connection) -> None:
        rows = await connection.fetch(
            f"select topic, stream, count(*) {_OF_PARTITIONS} group by topic, stream",
            *(self._name, *_columns(self._partitions)),
        )
        self._aside = {(row["topic"], row["stream"]) for row in rows}
        self.set_aside = sum(row["count"] for row in rows)


def _told(row: Any) -> Told | None:
    """What is set aside in a row; None where this build can't read it, as after a rollback: its stream waits."""
    try:
        event = _EVENT.decode(row["event"])
        return event, parse_event(event)
    except Exception as wrong:  # whoever wrote it, the other streams go on
        where = {"topic": row["topic"], "partition": row["partition"], "offset": row["offset"], "stream": row["stream"]}
        _log.error("what is set aside can't be read: %s", type(wrong).__name__, extra=where)
        return None


_OF_PARTITIONS = """from set_aside join unnest($2::text[], $3::int[]) as ours (topic, partition)
                         using (topic, partition) where projection = $1"""


def _columns(partitions: Sequence[Partition] | None) -> tuple[list[str] | None, list[int] | None]:
    if partitions is None:
        return None, None
    return [topic for topic, _ in partitions], [partition for _, partition in partitions]
