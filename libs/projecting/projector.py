"""Public events to PostgreSQL: rows and position in one transaction, so that each event counts once."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import asyncpg

from libs.projecting.acceptance import Accepted, Gap, accept
from libs.projecting.parts import Part
from libs.projecting.positions import Head, PositionLost, Reached
from libs.projecting.projection import Projection
from libs.projecting.source import Arrived, Partition, Source, SourceAway
from libs.projecting.store import Pool, PostgresStore, Store
from libs.projecting.writings import ForeignWriting, Writings

_AWAY = (
    SourceAway,
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # what asyncpg 0.32 says when a connection breaks within COPY
    asyncpg.OperatorInterventionError,  # the server is told to stop, or is not up yet
    # Its disk is full, it has no connection to give, or what a login may use is used up: books wait, they don't end.
    asyncpg.InsufficientResourcesError,
)
_STREAMS = 10_000
"""Whose versions are kept at hand, some 4 MB; those of others are looked up when something comes of them."""
_PAUSE_S = 1.0
_LEAST_PAUSE_S = 0.01
_log = logging.getLogger(__name__)
_LOST = (PositionLost, asyncpg.SerializationError, asyncpg.DeadlockDetectedError)
PASSING = (*_AWAY, *_LOST)
"""What is tried again: nothing is wrong with what was to be written."""


def passes(wrong: Exception) -> bool:
    """By itself. A bound that somebody has set (`temp_file_limit`) is met again, until he sets another one."""
    return isinstance(wrong, PASSING) and not isinstance(wrong, asyncpg.ConfigurationLimitExceededError)


@dataclass(slots=True)
class Progress:
    """Figures since the start of the process, for metrics and readiness."""

    accepted: int = 0
    duplicates: int = 0
    parked: int = 0
    gaps: int = 0
    lost: int = 0
    """Times another projector was faster."""
    batches: int = 0
    seconds: float = 0.0
    """Spent in transactions."""
    last_event_time: int = 0
    following: bool = False
    set_aside: int = 0
    """Events that are accepted and not projected: `croupier mend` lists them."""
    positions: dict[Partition, int] = field(default_factory=dict)

    refused: str = ""
    """Why nothing that the database holds is gone on from: somebody else wrote it."""

    def told(self) -> str | None:
        """What `ready` says of events that are set aside."""
        return f"{self.set_aside} events are set aside, see croupier mend" if self.set_aside else None


class Projector:
    """Drives some projections from one source. Several may run at a time, each best with partitions of its own
    (`share.py`): where two meet in one, compare-and-set lets one of them win.

    `name` is the key of the stored positions; projections that share it move together.
    """

    def __init__(
        self,
        pool: "Pool | None",
        name: str,
        projections: Sequence[Projection],
        source: Source,
        *,
        limit: int = 500,
        on_gap: Callable[[Gap], None] = lambda gap: None,
        on_batch: Callable[[Accepted, float], None] = lambda batch, seconds: None,
        store: Store | None = None,
        writings: Writings | None = None,
        part: Part | None = None,
    ) -> None:
        """`store` in place of a pool: somewhere else than in PostgreSQL. `writings`: go on from none but ours. `part`
        is told of each step."""
        if store is None:
            assert pool is not None, "a projector writes somewhere"
            store = PostgresStore(pool, name, projections, writings)
        self.progress = Progress()
        self._name = name
        self._store = store
        self._source = source
        self._limit = limit
        self._on_gap = on_gap
        self._on_batch = on_batch
        self._heads: dict[Partition, Head] = {}
        self._streams: dict[tuple[str, str], Reached] = {}
        self._part = part or Part(name)
        self._met: dict[Partition, int] = {}
        """Behind the last record that came, written or not."""

    async def run(self) -> None:
        """Follows the source until it ends or the task is cancelled. Only connection and serialisation faults are tried
        again; an event that can't be projected is set aside by the store."""
        patience = _LEAST_PAUSE_S
        while True:
            try:
                await self.load()
                while await self.step():
                    patience = _LEAST_PAUSE_S
                return
            except _LOST as wrong:
                # Somebody else is at it. One of several waits, so that they don't write for each other's bin.
                self._part.failed(wrong, passes=True)
                self.progress.lost += 1
                await asyncio.sleep(patience)
                patience = min(2 * patience, _PAUSE_S)
            except (*_AWAY, asyncpg.LockNotAvailableError) as wrong:
                self.progress.following = False
                self._part.failed(wrong, passes=passes(wrong))
                _log.warning("%s waits: %s", self._name, type(wrong).__name__)
                await asyncio.sleep(_PAUSE_S)
            except ForeignWriting as wrong:
                # Until the owner of the database has set it right (docs/sre.md).
                self.progress.following = False
                if self.progress.refused != str(wrong):
                    self.progress.refused = str(wrong)
                    _log.error("%s stands: %s", self._name, wrong)
                await asyncio.sleep(_PAUSE_S)

    async def load(self) -> None:
        """Takes up the stored position and versions, whoever wrote them."""
        self._part.begin()
        self._heads, self._streams = await self._store.load(self._source.partitions), {}
        await self._source.seek({partition: head.position for partition, head in self._heads.items()})
        self.progress.positions = {partition: head.position for partition, head in self._heads.items()}
        self.progress.set_aside = self._store.set_aside
        self.progress.following, self.progress.refused = True, ""

    async def step(self) -> bool:
        """One batch; False at the end of a finite source. After PositionLost, `load` before the next step."""
        self._part.begin()
        records = await self._source.batch(self._limit)
        if records is None:
            while await self._store.go_on():
                pass
            self.progress.set_aside = self._store.set_aside
            return False
        if records:
            self._met |= {(each.topic, each.partition): each.offset + 1 for each in records}
            await self._write(records)
        await self._store.go_on()
        self.progress.set_aside = self._store.set_aside
        if all(self._heads[place].position >= met for place, met in self._met.items()):
            self._part.end()  # a batch that is empty after a fault is no end
        return True

    async def _write(self, records: Sequence[Arrived]) -> None:
        met = {(record.topic, record.event.stream) for record in records if record.event is not None}
        if unknown := met - self._streams.keys():
            if len(self._streams) > _STREAMS:
                self._streams, unknown = {}, met
            self._streams |= await self._store.reached(unknown)
        batch = accept(records, self._heads, self._streams)
        started = time.perf_counter()
        await self._store.write(self._heads, batch)
        self._heads.update(batch.heads)
        self._streams.update(batch.streams)
        self._note(batch, time.perf_counter() - started)

    def _note(self, batch: Accepted, seconds: float) -> None:
        figures = self.progress
        figures.accepted += sum(1 for _ in batch.facts)
        figures.duplicates += batch.duplicates
        figures.parked += len(batch.parked)
        figures.gaps += len(batch.gaps)
        figures.batches += 1
        figures.seconds += seconds
        for partition, head in batch.heads.items():
            figures.positions[partition] = head.position
            figures.last_event_time = max(figures.last_event_time, head.event_time)
        for gap in batch.gaps:
            self._on_gap(gap)
        self._on_batch(batch, seconds)


async def project(
    pool: Pool, name: str, projections: Sequence[Projection], source: Source, *, limit: int = 500
) -> Progress:
    """Runs a finite source to its end (a rebuild) and returns the figures. The pool says into which schema."""
    projector = Projector(pool, name, projections, source, limit=limit)
    await projector.run()
    return projector.progress
