"""What is set aside: which streams, from the index by stream, and how they are taken up again, some hundred events at
a time."""

import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

import msgspec

from libs.contracts.messages import PublicEvent
from libs.contracts.registry import parse_event
from libs.projecting.projection import Connection, Told
from libs.projecting.source import Partition
from libs.projecting.writings import SET_ASIDE

Stream = tuple[str, str]
"""Topic and stream."""
_EVENTS = 300
"""Taken up in one transaction at most."""
_PAGE_S = 0.5
"""So long one transaction goes on with the next stream or event; who keeps these books waits meanwhile."""
_EVENT = msgspec.msgpack.Decoder(PublicEvent)
_log = logging.getLogger(__name__)

_ENDS = """select each.projection, each.topic, first.partition, first."offset", each.stream, first.version,
                  first.reason, last.version - first.version + 1 as events
             from each
             cross join lateral (select partition, "offset", version, reason from {table} a
                                  where (a.projection, a.topic, a.stream) = (each.projection, each.topic, each.stream)
                                  order by projection, topic, stream, version limit 1) as first
             cross join lateral (select version from {table} a
                                  where (a.projection, a.topic, a.stream) = (each.projection, each.topic, each.stream)
                                  order by projection desc, topic desc, stream desc, version desc limit 1) as last"""
_THESE = (
    "with each as (select $1::text as projection, * from unnest($2::text[], $3::text[]) as named (topic, stream)) "
    + _ENDS.format(table="set_aside")
)
_PAGE = """select topic, partition, "offset", stream, version, event from set_aside
            where projection = $1 and topic = $2 and partition = $3 and stream = $4 and version > $5
            order by version limit $6"""


def each_stream(table: str = "set_aside") -> str:
    """The query for the streams that are set aside, each with the place, version and reason of its first event. It
    steps from stream to stream through the index and reads two rows of each, however many there are.

    `events`: versions from the first to the last. Those that this build knew no type of are among them and have no row.
    """
    step = "select projection, topic, stream from {table} a {after} order by projection, topic, stream limit 1"
    after = "where (a.projection, a.topic, a.stream) > (each.projection, each.topic, each.stream)"
    first, then = step.format(table=table, after=""), step.format(table=table, after=after)
    return (
        f"with recursive each as (({first}) union all select further.* from each cross join lateral ({then})"
        f" as further) {_ENDS.format(table=table)}"
    )


async def ends(connection: Connection, projection: str, streams: Collection[Stream]) -> dict[Stream, int]:
    """Those of these streams that are set aside, with how many events."""
    names = [topic for topic, _ in streams], [stream for _, stream in streams]
    rows = await connection.fetch(_THESE, projection, *names) if streams else []
    return {(row["topic"], row["stream"]): row["events"] for row in rows}


async def standing(
    connection: Connection, projection: str, partitions: Collection[Partition] | None
) -> dict[Stream, tuple[Partition, int]]:
    """All that are set aside, of these partitions or of all: where, and how many events; the oldest first."""
    rows = await connection.fetch(f'{each_stream()} where each.projection = $1 order by first."offset"', projection)
    wanted = None if partitions is None else set(partitions)
    places = [((row["topic"], row["stream"]), (row["topic"], row["partition"]), row["events"]) for row in rows]
    return {stream: (place, events) for stream, place, events in places if wanted is None or place in wanted}


class TakingUp:
    """Takes up what is set aside, stream by stream, each from its first event on and as far as it goes; and all of them
    again as long as any went further, for what came of one may be what another waited for.

    Each page is a transaction that holds the position of one partition, so that who writes there waits and sees what is
    left; what it took up stays taken up, and whoever comes next finds the rest.
    """

    def __init__(
        self,
        projection: str,
        partitions: Sequence[Partition] | None,
        refused: Callable[[Connection, Sequence[Told]], Awaitable[str | None]],
        end: Callable[[Connection, Collection[str]], Awaitable[None]],
    ) -> None:
        """`partitions`: None for all. `refused` projects, or says why not; `end` is called last in each transaction,
        with the tables of the projector's own that it wrote to."""
        self._projection = projection
        self._partitions = partitions
        self._refused = refused
        self._end = end
        self._due: dict[Partition, deque[tuple[str, int]]] = {}
        """Streams to be tried, each with the version up to which it was taken up here."""
        self._went = True
        """Any event since all streams were listed."""
        self.taken = 0

    async def page(self, connection: Connection) -> bool:
        """One transaction; False, and none, once no stream goes any further. Raises what `refused` and `end` raise,
        and nothing is taken up by that page; its streams are tried again."""
        if not self._due:
            if not self._went:
                return False
            self._went = False
            for (_, stream), (place, _) in (await standing(connection, self._projection, self._partitions)).items():
                self._due.setdefault(place, deque()).append((stream, -1))
            if not self._due:
                return False
        place = next(iter(self._due))
        left, taken = self._due[place].copy(), 0
        async with connection.transaction():
            held = "select from positions where projection = $1 and topic = $2 and partition = $3 for update"
            if await connection.fetchrow(held, self._projection, *place) is None:
                left.clear()  # whoever set this aside has never read there
            until = time.monotonic() + _PAGE_S
            while left:
                stream, after = left.popleft()
                went, last = await self._stream(connection, place, stream, after, _EVENTS - taken)
                taken += went
                if last is not None:
                    left.appendleft((stream, last))
                if taken >= _EVENTS or time.monotonic() >= until:
                    break
            await self._end(connection, [SET_ASIDE] if taken else [])
        if left:
            self._due[place] = left
        else:
            del self._due[place]
        self._went = self._went or taken > 0
        self.taken += taken
        return True

    async def _stream(
        self, connection: Connection, place: Partition, stream: str, after: int, most: int
    ) -> tuple[int, int | None]:
        """How many events went, and the version of the last one where there may be more that go."""
        first = await self._rows(connection, place, stream, after, 1)
        if not first or not await self._go(connection, first):
            return 0, None
        rows = first + await self._rows(connection, place, stream, first[0]["version"], most - 1)
        went = len(rows)
        if went > 1 and not await self._go(connection, rows[1:]):
            went = 1
            while went < len(rows) and await self._go(connection, rows[went : went + 1]):
                went += 1
        gone = 'delete from set_aside where projection = $1 and topic = $2 and partition = $3 and "offset" = any($4)'
        await connection.execute(gone, self._projection, *place, [row["offset"] for row in rows[:went]])
        return went, rows[-1]["version"] if went == len(rows) == most else None

    async def _rows(self, connection: Connection, place: Partition, stream: str, after: int, most: int) -> list[Any]:
        return list(await connection.fetch(_PAGE, self._projection, *place, stream, after, most)) if most else []

    async def _go(self, connection: Connection, rows: Sequence[Any]) -> bool:
        told = [each for row in rows if (each := _told(row)) is not None]
        return len(told) == len(rows) and await self._refused(connection, told) is None


def _told(row: Mapping[str, Any]) -> Told | None:
    """What is set aside in a row; None where this build can't read it, as after a rollback: its stream waits."""
    try:
        event = _EVENT.decode(row["event"])
        return event, parse_event(event)
    except Exception as wrong:  # whoever wrote it, the other streams go on
        where = {"topic": row["topic"], "partition": row["partition"], "offset": row["offset"], "stream": row["stream"]}
        _log.error("what is set aside can't be read: %s", type(wrong).__name__, extra=where)
        return None
