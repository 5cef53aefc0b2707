"""Everything that a process follows, in one request to each broker: nobody waits behind a quiet partition."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from time import monotonic

from aiokafka.errors import (
    CorruptRecordException,
    KafkaError,
    OffsetOutOfRangeError,
    TopicAuthorizationFailedError,
    for_code,
)

from libs.journal.foreign import Judge
from libs.journal.interest import Interest
from libs.journal.kafka_cluster import Cluster
from libs.journal.kafka_wire import Call, Fetched, FetchedPlace, Place, fetch, records_in
from libs.journal.log import LogRecord

_log = logging.getLogger(__name__)

_PLACE_BYTES, _LEAST_BYTES = 2**20, 2**16
"""That one partition may bring at once. A batch that is larger comes alone, as the broker sees to."""
_AT_HAND_BYTES = 48 * 2**20
"""That all partitions of one reader together may bring at once; as records they are two and a half times as much."""
_PAGE_BYTES = 64 * 1024
"""So much at once, and no pause is made: there is more."""
_FULL, _LEAST_FULL = 500, 50
"""Records that lie unread before a partition is left out of the next request,"""
_AT_HAND = 80_000
"""and in all partitions together."""
_BACKOFF_S = 0.05
_MOST = 2**31 - 1
_SESSION_FROM = 8
"""Places that a broker is asked for at once from which on a session is worth one of the few that it keeps."""
_UNKNOWN_SESSION = (70, 71)
"""The broker knows no session of this number, or another request of it comes next: it is begun anew."""
_SHORT_WAIT_MS = 20
"""How long the broker holds a request that leaves somebody out, who may be back any moment."""


class Followed:
    """One partition that is read on: what has come and was not taken, and where to go on.

    What is foreign is left out, and leaves a gap between offsets as a marker does (journal 22).
    """

    __slots__ = ("_interest", "_judge", "arrived", "end", "full", "heard", "next", "place", "records", "wrong")

    def __init__(
        self, place: Place, judge: Judge, arrived: Callable[[], None], interest: Interest | None = None
    ) -> None:
        """`arrived` is called when something came, be it an error or foreign. With `interest` batches that have none
        of it are passed over."""
        self.place = place
        self._interest = interest
        self._judge = judge
        self.arrived = arrived
        self.next = -1
        """Offset to ask for."""
        self.end = 0
        """High watermark as of the last answer; 0 before it."""
        self.full = _FULL
        self.records: deque[LogRecord] = deque()
        self.wrong: KafkaError | None = None
        self.heard = 0.0
        """When (`monotonic`) the broker last said what is here, or there was nothing to ask it."""

    def seek(self, offset: int) -> None:
        if offset != self.position:
            self.rest()
            self.next = offset
            self.heard = monotonic()

    def rest(self) -> None:
        """Forgets what came and where it was."""
        self.next = -1
        self.records.clear()
        self.wrong = None

    @property
    def position(self) -> int:
        """Offset of the next record to take."""
        return self.records[0].offset if self.records else self.next

    @property
    def has_news(self) -> bool:
        return bool(self.records) or self.wrong is not None

    @property
    def has_room(self) -> bool:
        return self.next >= 0 and self.wrong is None and len(self.records) < self.full

    def take(self, limit: int) -> list[LogRecord]:
        """Raises what the broker said of the position."""
        if not self.records and self.wrong is not None:
            wrong, self.wrong, self.next = self.wrong, None, -1
            raise wrong
        if not self.has_room:
            self.heard = monotonic()
        return [self.records.popleft() for _ in range(min(limit, len(self.records)))]

    def fail(self, wrong: KafkaError) -> None:
        self.wrong = wrong
        self.arrived()

    def answered(self, asked: int, answer: FetchedPlace) -> bool:
        """False where the broker sends us elsewhere, or on to a later try."""
        if asked != self.next:
            return True  # of before a seek
        if answer.error:
            kind = for_code(answer.error)
            if kind.retriable and kind is not OffsetOutOfRangeError:
                return False
            self.fail(kind(self.place[0]))
            return True
        self.heard = monotonic()
        self.end = answer.end
        if answer.records:
            try:
                records, self.next, unread = records_in(answer.records, asked, self._interest)
            except CorruptRecordException as damaged:
                self.fail(damaged)
                return True
            for each in unread:
                self._judge.foreign(each.offset, "a batch that can't be read", at=each.timestamp, count=each.records)
            self.records.extend(self._judge.true(records))
            self.arrived()
        return True


def share_of(places: int) -> tuple[int, int]:
    """Bytes that each of so many may bring at once, and records of it that may lie unread."""
    each = max(1, places)
    return (
        max(_LEAST_BYTES, min(_PLACE_BYTES, _AT_HAND_BYTES // each)),
        max(_LEAST_FULL, min(_FULL, _AT_HAND // each)),
    )


class _Session:
    """What one broker knows of what is asked for: it is told what has changed, and answers with what has come. Else
    each request and answer names every place: 54 kB and 2 ms for 1,280 of them."""

    def __init__(self) -> None:
        self._id, self._epoch = 0, 0
        self._known: dict[Place, int] = {}
        self._alone = True
        """The last request was of none."""
        self._refused = False
        """The broker had none to give."""

    def ask(self, asked: Mapping[Place, int], wait_ms: int, least: int, each_bytes: int) -> Call:
        self._alone = self._id == 0 and len(asked) < _SESSION_FROM
        if self._alone:
            return fetch(asked, wait_ms, least, each_bytes)
        if self._epoch == 0 and not self._refused:
            # A session is made with its first answer: of one that is cut while it waits nobody would know the number,
            # and the broker would keep it.
            wait_ms = 0
        changed = {place: offset for place, offset in asked.items() if self._known.get(place) != offset}
        gone = self._known.keys() - asked.keys()
        self._known = dict(asked)
        return fetch(changed, wait_ms, least, each_bytes, self._id, self._epoch, gone)

    def took(self, answer: Fetched) -> None:
        """An answer that came whole."""
        if self._alone:
            return
        self._id, self._refused = answer.session, not answer.session
        if self._id:
            self._epoch = self._epoch % _MOST + 1
        else:
            self.end()

    def end(self) -> None:
        """What the broker has heard of the last request nobody knows: the next one ends it and begins another."""
        self._epoch = 0
        self._known = {}


class Following:
    """One request at a time to each broker, for everything that is followed there."""

    def __init__(self, cluster: Cluster, lane: str, wait_ms: int, least: int, pause_s: float) -> None:
        """`wait_ms`: how long the broker holds a request that finds fewer than `least` bytes.

        `pause_s`: how long nothing is asked after something came, where what is followed need not be known at once.
        """
        self._cluster = cluster
        self._lane = lane
        self._wait_ms = wait_ms
        self._least = least
        self._pause_s = pause_s
        self._came = 0
        self._places: dict[Place, Followed] = {}
        self._reading: dict[int, asyncio.Task[None]] = {}
        self._sessions: dict[int, _Session] = {}
        """By node."""
        self._waiting: set[int] = set()
        """Nodes that hold a request of ours."""
        self._news = asyncio.Event()
        self._stirring = False
        self._looking: asyncio.TimerHandle | None = None
        """Until somebody leads what nobody leads now."""

    def quiet(self) -> tuple[float, Place] | None:
        """Of the partition that the broker has said nothing of for longest: for how many seconds. None: none is asked
        for."""
        asked = [each for each in self._places.values() if each.has_room]
        oldest = min(asked, key=lambda each: each.heard, default=None)
        return (monotonic() - oldest.heard, oldest.place) if oldest else None

    def add(self, followed: Followed) -> bool:
        """False where another one follows this partition here: a request names each once."""
        if self._places.setdefault(followed.place, followed) is not followed:
            return False
        self.stir()
        return True

    def remove(self, followed: Followed) -> None:
        self._places.pop(followed.place, None)
        if not self._places:
            for node in self._waiting:
                self._cluster.cut(node, self._lane)
            for task in self._reading.values():
                task.cancel()
            self._reading.clear()

    def stir(self) -> None:
        """Somebody is there who is in no request: those that wait are asked anew."""
        if not self._stirring:
            self._stirring = True
            asyncio.get_running_loop().call_soon(self._stir)

    def taken(self) -> None:
        """Somebody took records: there may be room again."""
        self._news.set()

    def _stir(self) -> None:
        self._stirring = False
        for node in self._waiting:
            self._cluster.cut(node, self._lane)
        self._news.set()
        self._spread()

    def _spread(self) -> None:
        """Sees to it that every leader is asked, and looks again for as long as there is none."""
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        try:
            nodes = {self._leader(each) for each in self._places.values() if each.wrong is None}
        except KafkaError:
            return  # the cluster was left
        for node in nodes - self._reading.keys() - {None}:
            assert node is not None
            self._reading[node] = task = asyncio.create_task(self._read(node))
            task.add_done_callback(partial(self._ended, node))
        if None in nodes:
            self._looking = asyncio.get_running_loop().call_later(_BACKOFF_S, self._spread)

    def _leader(self, followed: Followed) -> int | None:
        """A refusal is told to who follows; it must not look like a quiet log."""
        if isinstance(followed.wrong, TopicAuthorizationFailedError):
            return None
        try:
            return self._cluster.leader(followed.place)
        except TopicAuthorizationFailedError as refused:
            followed.fail(refused)
            return None

    def _ended(self, node: int, task: "asyncio.Task[None]") -> None:
        """A node that leads nothing any more is read no more; a fault of our own must not look like a quiet log."""
        if self._reading.get(node) is task:
            del self._reading[node]
        if task.cancelled():
            return
        if (wrong := task.exception()) is not None:
            _log.critical("reading failed: %s", type(wrong).__name__, exc_info=wrong)
            for followed in self._places.values():
                followed.fail(KafkaError(f"reading failed: {type(wrong).__name__}"))
        self._spread()

    async def _read(self, node: int) -> None:
        while True:
            # First the connection, then the list: who comes while it is made would be in no request, and nothing there
            # to cut, so that the broker holds the one that leaves them out for as long as it may.
            reached = await self._reached(node)
            self._news.clear()
            theirs = [each for each in self._places.values() if self._leader(each) == node]
            if not theirs:
                return  # not to wait here: nobody would tell that the node leads again
            each_bytes, full = share_of(len(self._places))
            for each in theirs:
                each.full = full
            wanted = [each for each in theirs if each.has_room]
            if not wanted:
                await self._news.wait()
                continue
            wait_ms = _SHORT_WAIT_MS if len(wanted) < len(theirs) else self._wait_ms
            if not reached or not await self._ask(node, wanted, wait_ms, each_bytes):
                self._cluster.doubt()
                await asyncio.sleep(_BACKOFF_S)
                self._spread()
            else:
                came, self._came = self._came, 0
                if 0 < came < _PAGE_BYTES and self._pause_s:
                    await asyncio.sleep(self._pause_s)

    async def _reached(self, node: int) -> bool:
        try:
            return await self._cluster.reach(node, self._lane)
        except KafkaError:
            return False

    async def _ask(self, node: int, wanted: Iterable[Followed], wait_ms: int, each_bytes: int) -> bool:
        asked = {each.place: each.next for each in wanted}
        session = self._sessions.setdefault(node, _Session())
        self._waiting.add(node)
        try:
            call = session.ask(asked, wait_ms, min(self._least, each_bytes), each_bytes)
            answer: Fetched = await self._cluster.call(node, self._lane, call)
        except BaseException as wrong:
            session.end()
            if not isinstance(wrong, KafkaError):
                raise
            # Cut by ourselves, or the broker is away: then asking anew is all there is to do.
            return self._news.is_set()
        finally:
            self._waiting.discard(node)
        if answer.error:
            session.end()
            return answer.error in _UNKNOWN_SESSION
        session.took(answer)
        well, now = True, monotonic()
        for place, offset in asked.items():
            followed = self._places.get(place)
            if followed is None:
                continue
            if (came := answer.places.get(place)) is not None:
                self._came += len(came.records)
                well &= followed.answered(offset, came)
            elif offset == followed.next:
                followed.heard = now  # nothing is new there
        return well
