"""Where a projector keeps rows and position: a port, and the adapter that is PostgreSQL."""

import logging
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import asyncpg
import msgspec

from libs.journal.marks import MayNotWrite
from libs.projecting.acceptance import Accepted
from libs.projecting.aside import Stream, TakingUp, ends, standing
from libs.projecting.positions import Head, PositionLost, Reached, load_heads, load_streams, move, park, save_streams
from libs.projecting.projection import Connection, Projection, Told
from libs.projecting.source import Partition
from libs.projecting.writings import POSITIONS, SET_ASIDE, Writings

Pool: TypeAlias = "asyncpg.Pool[Any]"
_LOAD_S = 1.0
"""So long a `load` takes up what is set aside; the rest comes between batches."""
_LOOK_SHARE, _LOOK_S = 100, 1.0
"""Which streams are set aside is asked again after so many times what it took last, a second at the least."""
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

    async def go_on(self) -> bool:
        """Between batches: takes some of what is set aside up. Whether there may be more that goes."""
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

    The events are accepted: position, version and digest move on. They are tried again, in order, from each `load` on,
    which is also what a restart does. Only projectors of its partition set a stream aside, and who is not the last of
    them finds its position moved; others may take it up. So a batch asks about those of its streams that were set aside
    when this one looked, by index, however much lies there.

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
        self._aside: dict[Stream, int] = {}
        """Those that may be set aside, and how many events as far as known; others took some of them up, or all."""
        self._look_again = 0.0
        self._taking_up: TakingUp | None = None

    @property
    def set_aside(self) -> int:
        return sum(self._aside.values())

    async def load(self, partitions: Sequence[Partition]) -> dict[Partition, Head]:
        self._partitions = partitions
        self._taking_up, until = self._begin(partitions), time.monotonic() + _LOAD_S
        async with self._pool.acquire() as connection:
            while await self._taking_up.page(connection) and time.monotonic() < until:
                pass
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
        met = self._aside.keys() & {
            (place[0], told[0].stream) for told, place in zip(batch.facts, batch.places, strict=True)
        }
        async with self._pool.acquire() as connection, connection.transaction():
            # First of all: from here on no other projector can write for these partitions.
            await move(connection, self._name, dict(old), batch.heads)
            await save_streams(connection, self._name, batch.streams)
            if batch.parked:
                await park(connection, self._name, batch.parked)
            aside = Counter(await ends(connection, self._name, met))  # somebody else may have taken a stream up
            facts = await self._going_on(connection, batch, aside, one_by_one=one_by_one)
            if facts and not one_by_one:
                for projection in self._projections:
                    await projection.apply(connection, facts)
            put_aside = [SET_ASIDE] if len(facts) < len(batch.facts) else []
            await self._end(connection, [POSITIONS, *put_aside] if batch.heads else put_aside)
        for stream in met - aside.keys():
            del self._aside[stream]
        self._aside |= aside

    async def _going_on(
        self, connection: Connection, batch: Accepted, aside: Counter[Stream], *, one_by_one: bool
    ) -> Sequence[Told]:
        """The facts of streams that are not set aside; those of the others are kept, and counted in `aside`.
        `one_by_one`: projected as well, and the first that is refused sets its stream aside."""
        if not (one_by_one or aside):
            return batch.facts
        going_on = []
        for told, (topic, partition, offset) in zip(batch.facts, batch.places, strict=True):
            event, stream = told[0], (topic, told[0].stream)
            reason = "" if stream in aside else await self._refused(connection, [told]) if one_by_one else None
            if reason is None:
                going_on.append(told)
                continue
            aside[stream] += 1
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

    async def _refused(self, connection: Connection, facts: Sequence[Told]) -> str | None:
        """Projects them; the kind of fault, never its text, which may quote an event. None: they are projected."""
        try:
            async with connection.transaction():
                await connection.execute("set constraints all deferred")
                for projection in self._projections:
                    await projection.apply(connection, facts)
                await connection.execute("set constraints all immediate")
        except Exception as wrong:
            if not is_of_the_event(wrong):
                raise
            return type(wrong).__name__
        return None

    async def take_up(self) -> int:
        """What is set aside in all partitions once more, each stream from its first event on, as far as it goes; how
        many events went. Also from another process than the projector's own, and during its work.

        Whatever it raises, what was taken up stays so, and the next call goes on from there.
        """
        taking_up = self._begin(None)
        async with self._pool.acquire() as connection:
            while await taking_up.page(connection):
                pass
        return taking_up.taken

    async def go_on(self) -> bool:
        if not self._aside:
            self._taking_up = None
            return False
        async with self._pool.acquire() as connection:
            if self._taking_up is not None and not await self._taking_up.page(connection):
                self._taking_up, self._look_again = None, 0.0
            if time.monotonic() >= self._look_again:
                await self._look(connection)
        return self._taking_up is not None

    def _begin(self, partitions: Sequence[Partition] | None) -> TakingUp:
        return TakingUp(self._name, partitions, self._refused, self._end)

    async def _end(self, connection: Connection, wrote: Collection[str] = ()) -> None:
        if self._writings is not None:
            await self._writings.end(connection, wrote)

    async def _look(self, connection: Connection) -> None:
        began = time.monotonic()
        found = await standing(connection, self._name, self._partitions)
        self._aside = {stream: events for stream, (_, events) in found.items()}
        ended = time.monotonic()
        self._look_again = ended + max(_LOOK_S, _LOOK_SHARE * (ended - began))
