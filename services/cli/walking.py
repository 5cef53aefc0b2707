"""A walk over one journal partition that can be gone on with, and whose memory does not grow with its streams.

Heads, states and digests of streams that nothing comes of lie in files without a name until something does. States are
put there as snapshots have them, so cards as sealed as they lie there.
"""

from collections import deque
from collections.abc import AsyncGenerator, Callable
from typing import Any

import msgspec

from libs.journal.fold import Head, Position, Woken
from libs.journal.log import Log
from libs.journal.machine import journal_name
from libs.projecting import Partition
from services.audit.verifying.chain import REMEMBERED, ChainCheck
from services.audit.verifying.kept import Kept, KeptSet, Store
from services.cli.journals import Book, Met, met, records

SWEEP = 2_000
"""Every so many records the streams that none of them was of are put by."""


class _Put(msgspec.Struct, frozen=True, array_like=True):
    version: int
    prev: bytes
    time: int
    last_offset: int
    state: bytes | None
    """None: nothing was told of it."""


class _Left(msgspec.Struct, frozen=True, array_like=True):
    """Where a walk has ended."""

    position: Position
    digests: list[bytes]


class Walk:
    """From the partition's first record on; with a store from where the walk has ended that left it there."""

    def __init__(
        self, book: Book, place: Partition, store: Store | None = None,
        on_wake: Callable[[str, int, Any], None] = lambda stream, version, state: None,
        on_put: Callable[[str], None] = lambda stream: None,
        shared: Store | None = None,
    ) -> None:  # fmt: skip
        """`on_put` is told of a stream that is put by, `on_wake` of one that is gone on with: its version and state.

        `shared`: where what is put by lies, for walks that stand beside one another: what a file of its own holds in
        memory it holds for as long as the walk stands.
        """
        self.place, self.book = place, book
        name = f"{place[0]}/{place[1]}"
        self._digests: KeptSet[bytes] = KeptSet(shared, f"digests {name}")
        self._put: Kept[str, _Put] = Kept(_Put, store or shared, f"streams {name}")
        self._left: Kept[str, _Left] | None = Kept(_Left, store, "walks") if store is not None else None
        self._on_wake, self._on_put = on_wake, on_put
        self._last: deque[bytes] = deque(maxlen=REMEMBERED)
        self.check = ChainCheck(*place, book.partitions, journal_name(book.service), self._digests)
        self.check.fold.asleep = self._wake
        self._streams = 0
        if self._left is not None and (left := self._left.get(name)) is not None:
            self.check.fold.position = left.position
            self.check.recall(left.digests)
            self._last.extend(left.digests)

    async def to(self, log: Log, end: int) -> AsyncGenerator[Met, None]:
        """What follows, below `end`."""
        fold, since = self.check.fold, 0
        async for record in records(log, *self.place, end, fold.position.next):
            yield met(self.book, self.check, record)
            if self._left is not None:
                self._last.append(fold.position.digest)
            since += 1
            if since % SWEEP == 0:
                self._put_by(fold.unused())

    def rest(self) -> None:
        """For a while nothing is asked of it: what it holds goes to disk."""
        self._put_by(list(self.check.fold.heads))

    def close(self) -> None:
        """Nothing more comes of it."""
        heads = self.check.fold.heads
        for stream in [each for each in self.book.last_sealed if each in heads or each in self._put]:
            self.book.over(stream, self._state_of(stream))
        if self._left is not None:
            self._put_by(list(heads))
            self._left[f"{self.place[0]}/{self.place[1]}"] = _Left(self.check.fold.position, list(self._last))
        self.book.streams += self._streams + len(self.book.states)
        self.book.partition_over()
        self._digests.close()
        self._put.close()

    def _state_of(self, stream: str) -> Any:
        put = self._put.get(stream)
        if put is None or put.state is None:
            return self.book.states.get(stream)
        return self.book.machine.decode_state(stream, put.state)

    def _put_by(self, streams: list[str]) -> None:
        fold, states, machine = self.check.fold, self.book.states, self.book.machine
        for stream in streams:
            head, state = fold.heads.pop(stream), states.pop(stream, None)
            fold.states.pop(stream, None)
            fold.covered.pop(stream, None)
            raw = machine.encode_state(stream, state) if state is not None else None
            self._streams += state is not None
            self._put[stream] = _Put(head.version, head.prev, head.time, head.last_offset, raw)
            self._on_put(stream)

    def _wake(self, stream: str) -> Woken[Any] | None:
        put = self._put.pop(stream, None)
        if put is None:
            return None
        if put.state is not None:
            self.book.states[stream] = self.book.machine.decode_state(stream, put.state)
            self._streams -= 1
            self._on_wake(stream, put.version, self.book.states[stream])
        return Woken(Head.for_judging(put.version, put.prev, put.time, put.last_offset), None, 0)
