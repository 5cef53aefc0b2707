"""A journal partition to public events and, of what is acknowledged, snapshots and a manifest (journal 16, 18, 19)."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from libs.journal.commit import Commit
from libs.journal.fold import Folded, PartitionFold, Step
from libs.journal.log import Log, LogRecord, LogRewritten, LogUnavailable, OutRecord, Publisher
from libs.journal.machine import EventT, Machine, StateT
from libs.journal.names import Names
from libs.journal.observer import Observer, Silent
from libs.journal.restore import restore
from libs.journal.snapshots import manifest_of, manifest_record, snapshot_of, snapshot_record
from libs.journal.tail import Tail

_log = logging.getLogger(__name__)

Publish = Callable[[str, int, StateT, Sequence[Step[StateT, EventT]], Commit], Sequence[OutRecord]]
"""(stream, base version, state before, steps, commit) to records, in order. Pure: it is asked again after a failure."""


@dataclass(frozen=True, slots=True)
class FollowerPace:
    page: int = 100
    """Commits folded in one go, while nothing else runs on the event loop."""
    snapshot_commits: int = 1000
    snapshot_s: float = 10.0
    """Snapshots are written when either is reached, of the streams that changed."""
    window: int = 64
    """Pages sent and not acknowledged, at most."""
    patience_s: float = 10.0
    read_wait_ms: int = 500
    first_pause_s: float = 0.05
    longest_pause_s: float = 2.0


class Follower(Generic[StateT, EventT]):
    """Publisher and snapshotter of one partition. Two at once only repeat each other."""

    def __init__(
        self,
        machine: Machine[StateT, Any, EventT, Any],
        log: Log,
        names: Names,
        partition: int,
        publish: Publish[StateT, EventT],
        *,
        observer: Observer | None = None,
        pace: FollowerPace | None = None,
    ) -> None:
        self.machine = machine
        self.log = log
        self.names = names
        self.partition = partition
        self.publish = publish
        self.observer: Observer = observer or Silent()
        self.pace = pace or FollowerPace()

    async def run(self) -> None:
        """Runs until cancelled; raises `LogRewritten`. A failed send ends the session, and the next one restores."""
        pause = self.pace.first_pause_s
        while True:
            session: _Session[StateT, EventT] = _Session(self)
            try:
                await session.run()
            except LogUnavailable as wrong:
                _log.warning("follower starts over: %s", wrong, extra={"partition": self.partition})
            except LogRewritten as wrong:
                self.observer.chain_failure(self.partition, str(wrong))
                raise
            finally:
                await session.close()
            pause = self.pace.first_pause_s if session.progressed else min(2 * pause, self.pace.longest_pause_s)
            await asyncio.sleep(pause)


class _Session(Generic[StateT, EventT]):
    """From one restore to the first failed send (journal 19)."""

    def __init__(self, follower: Follower[StateT, EventT]) -> None:
        self.at = follower
        self.progressed = False
        self._unacknowledged: deque[asyncio.Future[None]] = deque()
        self._changed: dict[str, None] = {}
        self._commits = 0
        self._tail: Tail | None = None
        self._publisher: Publisher | None = None

    async def run(self) -> None:
        at = self.at
        fold = await restore(
            at.log, at.machine, at.names.journal, at.names.snapshots, at.partition, at.names.partitions
        )
        self._tail = tail = await Tail.open(at.log, at.names.journal, at.partition)
        await tail.verify(fold.position)
        self._publisher = publisher = await at.log.publisher()
        loop = asyncio.get_running_loop()
        written = loop.time()
        while True:
            fetched = await tail.read(fold.position.next, at.pace.read_wait_ms, at.pace.page)
            await self._take(fold, fetched.records, publisher)
            fold.skip_to(fetched.position)
            await self._reap(at.pace.window)
            at.observer.follower_lag(at.partition, tail.behind(fold.position.next))
            if self._commits >= at.pace.snapshot_commits or loop.time() - written >= at.pace.snapshot_s:
                await self._write_snapshots(fold, tail, publisher)
                written = loop.time()

    async def close(self) -> None:
        if self._publisher is not None:
            await self._publisher.abandon()
        if self._tail is not None:
            await self._tail.close()

    async def _take(
        self, fold: PartitionFold[StateT, EventT], records: Sequence[LogRecord], publisher: Publisher
    ) -> None:
        out: list[OutRecord] = []
        for record in records:
            folded = fold.fold(record)
            if folded.commit is None:
                self.at.observer.undecodable(self.at.partition, folded.offset, folded.problem)
            elif folded.valid:
                out.extend(self._published(folded))
                self._changed[folded.commit.stream] = None
                self._commits += 1
        if out:
            self._unacknowledged.append(await publisher.send(out))

    def _published(self, folded: Folded[StateT, EventT]) -> Sequence[OutRecord]:
        commit, before = folded.commit, folded.before
        assert commit is not None
        return self.at.publish(commit.stream, commit.base, before, folded.steps, commit)  # type: ignore[arg-type]

    async def _reap(self, allowed: int) -> None:
        """Takes acknowledgements; waits while more than `allowed` are missing. Raises for the first failure."""
        while self._unacknowledged and (self._unacknowledged[0].done() or len(self._unacknowledged) > allowed):
            await self._acknowledged(self._unacknowledged.popleft())
            self.progressed = True

    async def _acknowledged(self, sent: "asyncio.Future[None]") -> None:
        try:
            async with asyncio.timeout(self.at.pace.patience_s):
                await sent
        except TimeoutError:
            raise LogUnavailable("a send was not acknowledged in time") from None

    async def _write_snapshots(self, fold: PartitionFold[StateT, EventT], tail: Tail, publisher: Publisher) -> None:
        if not self._changed:
            return
        await self._reap(0)  # journal 18: only of what is acknowledged
        await tail.verify(fold.position)  # journal 21: and only of the log that is still there
        topic, partition = self.at.names.snapshots, self.at.partition
        records = [snapshot_record(topic, partition, snapshot_of(fold, stream)) for stream in self._changed]
        await self._acknowledged(await publisher.send(records))
        # journal 16: the manifest after all snapshots are acknowledged
        await self._acknowledged(await publisher.send([manifest_record(topic, partition, manifest_of(fold))]))
        self.at.observer.snapshot_written(partition, len(records))
        self._changed.clear()
        self._commits = 0
