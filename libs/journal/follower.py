"""The confirmed fold to public events and, of what is acknowledged, snapshots and a manifest (journal 16, 18, 19).

It reads nothing and folds nothing: the runner beside it hands over each commit that the log has confirmed, in the
log's order, from the offset on that both were restored from.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from operator import itemgetter
from typing import Generic, NamedTuple
from uuid import uuid4

from libs.journal.commit import Commit
from libs.journal.fold import Folded, PartitionFold, Step
from libs.journal.log import LogUnavailable, OutRecord
from libs.journal.machine import EventT, StateT
from libs.journal.manifests import ManifestWriter
from libs.journal.observer import Observer
from libs.journal.out_line import OutLine
from libs.journal.pace import Pace
from libs.journal.parts import Cutter, Left
from libs.journal.seals import seal_in
from libs.journal.shelf import Shelf, stream_key
from libs.journal.snapshots import encoded, manifest_of, shelve, snapshot_of
from libs.journal.tail import Tail

_log = logging.getLogger(__name__)
_PAUSE_S = 0.5
_ROUNDS = 1_000
"""So many rounds a stream is left out of whose state could not be written."""

Publish = Callable[[Commit, Sequence[Step[StateT, EventT]]], Sequence[OutRecord]]
"""(commit, its events with the state after each) to records, in order. Pure."""


class _Taken(NamedTuple):
    """A snapshot, and the bytes that a record holds of it."""

    stream: str
    upto: int
    whole: bytes
    seal: bytes = b""
    """Of the record; none in parts."""


class Follower(Generic[StateT, EventT]):
    """Publisher and snapshotter of one partition. Two at once only repeat each other."""

    def __init__(
        self,
        line: OutLine,
        snapshots: str,
        fold: PartitionFold[StateT, EventT],
        tail: Tail,
        publish: Publish[StateT, EventT],
        observer: Observer,
        pace: Pace,
        shelf: Shelf,
        manifests: Iterable[bytes],
        parts: Left,
    ) -> None:
        """`line`, `fold` and `shelf` are the runner's own, the fold of confirmed records; `snapshots` is the topic, and
        `manifests` and `parts` keys what it holds of those of others."""
        self._line = line
        self._shelf = shelf
        assert fold.machine is not None
        self._machine = fold.machine
        run = uuid4().hex[:16]
        self._manifests = ManifestWriter(
            *(line, snapshots, fold.partition, run, pace.manifest_streams, manifests, self._machine.seals)
        )
        self._cutter = Cutter(fold.journal_name, run, pace.part_bytes, parts)
        self.snapshots = snapshots
        self.fold = fold
        self.tail = tail
        self.publish = publish
        self.observer = observer
        self.pace = pace
        self._changed: dict[str, int] = {}
        """Streams to the first of their commits that no snapshot covers, in the log's order."""
        self._due: Mapping[str, int] = {}
        """Those of the round that is under way."""
        self._left_out: dict[str, int] = {}
        """What no snapshot holds: it waits like those that no round has taken yet, until so many rounds are over."""
        self._rounds = 0
        self._commits = 0
        self._news = asyncio.Event()
        self._many = asyncio.Event()

    def take(self, commit: Commit, folded: Folded[StateT, EventT]) -> None:
        """The next valid commit. Nothing is held back, and nothing goes out that the log has not confirmed."""
        self._line.put(*self.publish(commit, folded.steps))
        self._changed.setdefault(commit.stream, folded.offset)
        self._commits += 1
        self._news.set()
        if self._commits >= self.pace.snapshot_commits:
            self._many.set()

    async def room(self) -> None:
        """Waits while too much is unpublished: what was confirmed is kept until it is acknowledged."""
        self.observer.stands("follower_lag_records", self.fold.partition, self._line.pending)
        await self._line.flushed(but=self.pace.behind)

    def has_put_by(self, stream: str) -> bool:
        """Whether the shelf holds all of the stream, no round is to take it, and nothing falls due for it."""
        if stream in self._changed or stream in self._due:
            return False
        place = self._shelf.place(stream)
        whole = place is not None and place[1] == self.fold.heads[stream].last_offset
        return whole and self._machine.rests(self.fold.states[stream])

    async def run(self) -> None:
        """Writes snapshots until cancelled; raises `LogRewritten`."""
        while True:
            await self._news.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(self.pace.snapshot_s):
                    await self._many.wait()
            try:
                await self.tail.verify(self.fold.position)  # journal 21: only of the log that is still there
            except LogUnavailable as wrong:
                _log.warning("snapshots wait: %s", wrong, extra={"partition": self.fold.partition})
                await asyncio.sleep(_PAUSE_S)
                continue
            await self._write_snapshots()

    async def _write_snapshots(self) -> None:
        """Of the streams that have waited longest; a slice at a time, each as of the moment in which it is taken, under
        the manifest of the first moment: it stands where those that wait on began to.

        So every snapshot covers at least what the manifest says, and what changes meanwhile is of a later round.
        """
        fold, partition = self.fold, self.fold.partition
        self._rounds += 1
        fit = (each for each in self._changed.items() if self._left_out.get(each[0], 0) < self._rounds)
        due = self._due = dict(islice(fit, self.pace.snapshot_streams))
        waiting = {stream: first for stream, first in self._changed.items() if stream not in due}
        last = {stream: fold.heads[stream].last_offset for stream in due}
        manifest = manifest_of(fold, next(iter(waiting.values()), fold.position.next), last)
        taken: list[_Taken] = []
        self._changed = waiting
        self._commits = 0
        self._many.clear()
        if not waiting or not due:
            self._news.clear()
        if not due:
            return
        for first in range(0, len(due), self.pace.slice_streams):
            streams = list(islice(due, first, first + self.pace.slice_streams))
            before, taken = taken, [each for stream in streams if (each := self._snapshot(stream)) is not None]
            await self._line.flushed()  # journal 18: only of what is acknowledged
            self._stand(before)
            if len(taken) < len(streams):
                # Play goes on under the older manifest, and the next round goes without these.
                self._due = {}
                self._changed = dict(sorted({**self._changed, **due}.items(), key=itemgetter(1)))
                return
            taken = [each._replace(seal=await self._put(each)) for each in taken]
            await asyncio.sleep(0)
        await self._line.flushed()  # journal 16: the manifest after all snapshots are acknowledged
        self._stand(taken)
        # What an acknowledged snapshot takes the place of, and no sooner.
        self._line.put(*(OutRecord(self.snapshots, key, None, (), partition) for key in self._cutter.over()))
        self._due = {}
        await self._manifests.write(manifest, self._shelf)
        self.observer.stands("follower_lag_records", partition, self._line.pending)
        self.observer.happened("snapshots_written", partition, len(due))

    def _snapshot(self, stream: str) -> _Taken | None:
        """None where nothing holds the state: too large, or nothing that its format knows."""
        try:
            snapshot = snapshot_of(self.fold, stream)
            whole = encoded(snapshot)
            if len(whole) > self.pace.snapshot_bytes:
                raise OverflowError(f"{len(whole):,} bytes are too many")
        except (OverflowError, TypeError, ValueError):
            extra = {"partition": self.fold.partition, "stream": stream}
            _log.exception("no snapshot: a state can't be written; a start reads the journal", extra=extra)
            self.observer.happened("snapshots_failed", self.fold.partition)
            self._left_out[stream] = self._rounds + _ROUNDS
            return None
        self._left_out.pop(stream, None)
        return _Taken(stream, snapshot.upto, whole)

    async def _put(self, taken: _Taken) -> bytes:
        """In one record, whose seal it is, or part by part: events and answers go in between."""
        parts = self._cutter.cut(taken.stream, taken.upto, taken.whole)
        for key, value in parts or [(stream_key(taken.stream), taken.whole)]:
            record = OutRecord(self.snapshots, key, value, (), self.fold.partition)
            sealed = self._machine.seals.sealed(record)
            self._line.put(sealed)
            if parts is not None:
                await self._line.flushed()
        return (seal_in(sealed.headers) if parts is None else None) or b""

    def _stand(self, taken: Iterable[_Taken]) -> None:
        """They are acknowledged."""
        for each in taken:
            shelve(self._shelf, self._machine, each.whole, each.seal)
            self._cutter.stands(each.stream)
