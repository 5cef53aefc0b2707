"""Who owns which partition: a consumer group that only assigns partitions, plus the offsets that are committed to it.

Ownership is for speed and liveness only (journal, verdict 1). The records are read by plain consumers, one each:
a consumer of several partitions has a single fetch under way per broker, and an idle partition would delay a busy one.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from typing import Any

from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener, TopicPartition
from aiokafka.errors import (
    ConsumerStoppedError,
    GroupAuthorizationFailedError,
    KafkaError,
    TopicAuthorizationFailedError,
)

from libs.broker import Broker
from libs.broker.protocol import describe_groups
from libs.journal.kafka_log import told
from libs.journal.log import LogUnavailable
from libs.journal.marks import Marking
from libs.journal.members import Joining, is_like_us
from libs.journal.tasks import end, together

_log = logging.getLogger(__name__)
_FAILURES = 3
"""In a row, half a second apart: then aiokafka's membership is not coming back, and is made anew."""

_FIRST_PAUSE_S = 0.05
_LONGEST_PAUSE_S = 2.0
_FAILURE_S = 0.5
_ASKS_S = 2.0
"""So long a process that is to end waits to hear who else is there."""


class KafkaGroup:
    """Membership of one process. `assigned` is replaced at each rebalance; `changed` tells."""

    def __init__(
        self,
        broker: Broker,
        group: str,
        topic: str,
        *,
        session_timeout_ms: int = 6000,
        instance: str | None = None,
        client_id: str = "croupier",
        marks: Marking | None = None,
    ) -> None:
        """`instance`: static membership; a restarted process takes its partitions back without a rebalance. With
        `marks` it says in the group that it is of the house. Raises `BadKey` where they have no key for that."""
        self.name = group
        self.topic = topic
        self._marks = marks
        self.assigned: frozenset[int] = frozenset()
        self.generation = -1
        self.changed = asyncio.Event()
        self.refused: str | None = None
        """Why there is no membership, though the broker answers; what was assigned before is held on to."""
        self._broker = broker
        self._options: dict[str, Any] = {
            "group_id": group,
            "group_instance_id": instance,
            "client_id": client_id,
            "session_timeout_ms": session_timeout_ms,
            "heartbeat_interval_ms": max(100, session_timeout_ms // 4),
            "max_poll_interval_ms": 300_000,
            "enable_auto_commit": False,
            "auto_offset_reset": "earliest",  # journal 12: never latest
            "retry_backoff_ms": 100,
        }
        self._joining = None if marks is None else Joining(marks, group, instance or "")
        if self._joining is not None:
            self._options["partition_assignment_strategy"] = [self._joining]
        self._consumer: AIOKafkaConsumer | None = None

    async def start(self) -> None:
        """Joins; raises `LogUnavailable`."""
        consumer = AIOKafkaConsumer(**self._broker.options(), **self._options)
        try:
            await consumer.start()
            # Who may not see it would be given no partition, for ever, and be told nothing.
            if self.topic not in await consumer.topics():
                raise TopicAuthorizationFailedError(self.topic)
        except KafkaError as wrong:
            await stop_consumer(consumer)
            raise LogUnavailable(f"no group: {told(wrong)}") from wrong
        except asyncio.CancelledError:
            await stop_consumer(consumer)
            raise
        self._consumer = consumer
        consumer.subscribe([self.topic], listener=_Listener(self))

    async def join(self) -> None:
        """`start`, again and again until the log is there."""
        pause = _FIRST_PAUSE_S
        while True:
            try:
                return await self.start()
            except LogUnavailable as wrong:
                _log.warning("waiting for the log: %s", wrong)
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE_S)

    async def stop(self) -> None:
        """Ends the membership; a static member (`instance`) keeps its partitions until its session lapses."""
        consumer, self._consumer = self._consumer, None
        if consumer is not None:
            await stop_consumer(consumer)

    async def leave(self) -> bool:
        """Gives our partitions to the others at once, where there are any; else we stay, and False is told.

        Who has left commits no offsets, and nothing is assigned any more.
        """
        consumer = self._consumer
        if consumer is None or not await self._others(consumer):
            _log.info("nobody of the house is there to hand over to", extra={"group": self.name})
            return False
        self._consumer, self.assigned = None, frozenset()
        # Private to aiokafka 0.14 (pinned): a static member never leaves by itself, so it is none from now on.
        consumer._coordinator._group_instance_id = None
        await stop_consumer(consumer)
        self.changed.set()
        return True

    async def _others(self, consumer: AIOKafkaConsumer) -> bool:
        coordinator = consumer._coordinator
        try:
            async with asyncio.timeout(_ASKS_S):
                told = await coordinator._send_req(describe_groups([self.name]))
        except (KafkaError, TimeoutError) as wrong:
            _log.warning("who else is in the group is not known: %s", type(wrong).__name__)
            return False
        others = [each for group in told.groups for each in group[5] if each[0] != coordinator.member_id]
        if self._marks is None:
            return bool(others)
        # To strangers nothing is handed over: they would let it lie.
        return any(is_like_us(self._marks, self.name, each[1] or "", each[4] or b"") for each in others)

    async def attend(self) -> None:
        """Keeps the membership alive, and makes it anew where the group refuses us; runs until cancelled. Raises
        `LogUnavailable` where the login has no right to the group."""
        failures, pause = 0, _FAILURE_S
        while (consumer := self._consumer) is not None:
            try:
                await consumer.getmany(timeout_ms=1000)  # every partition is paused: no records come
                failures = 0
                self._say_anew(consumer)
            except ConsumerStoppedError:
                continue
            except KafkaError as wrong:
                failures += 1
                _log.warning("group: %s", told(wrong))
                if isinstance(wrong, GroupAuthorizationFailedError):  # which never ends
                    raise LogUnavailable(f"the group refuses us: {told(wrong)}") from wrong
                await asyncio.sleep(_FAILURE_S)
                if failures >= _FAILURES and self._consumer is consumer:
                    pause = _FAILURE_S if self.refused is None else min(2 * pause, _LONGEST_PAUSE_S)
                    await self._begin_anew(wrong, pause)
                    failures = 0
        await asyncio.get_running_loop().create_future()  # left: what is handed over is still worked on

    def _say_anew(self, consumer: AIOKafkaConsumer) -> None:
        """Under the key that counts now. Members and what they have stay the same, so nobody stands still for it."""
        if self._joining is not None and self.generation >= 0 and self._joining.is_dated():
            _log.info("keys of marks have changed: joins anew", extra={"group": self.name})
            consumer._coordinator.request_rejoin()  # private to aiokafka 0.14 (pinned)

    async def _begin_anew(self, wrong: KafkaError, pause: float) -> None:
        """Who leads a group may share out what nobody can read, and whoever is there alone by a protocol that we don't
        know: a process that ended by it would end again and again."""
        if self.refused is None:
            _log.critical("the group refuses us: a stranger may lead it", extra={"group": self.name})
        self.refused = told(wrong)
        with suppress(KafkaError):
            await self.stop()
        await asyncio.sleep(pause)
        await self.join()

    async def committed(self, partition: int) -> tuple[int | None, str]:
        """The offset and what was written beside it; None and nothing if there is none."""
        return (await self.all_committed([partition]))[partition]

    async def all_committed(self, partitions: Iterable[int]) -> dict[int, tuple[int | None, str]]:
        """`committed` of several at once. Raises `LogUnavailable`."""
        if self._consumer is None:
            raise LogUnavailable("no committed offset: the group was left")
        places = {each: TopicPartition(self.topic, each) for each in partitions}
        try:
            # Private to aiokafka 0.14 (pinned): its `committed` tells the offset alone.
            there = await self._consumer._coordinator.fetch_committed_offsets([*places.values()])
        except KafkaError as wrong:
            raise LogUnavailable(f"no committed offset: {type(wrong).__name__}") from wrong
        found = {each: there.get(place) for each, place in places.items()}
        return {
            each: (None, "") if at is None or at.offset < 0 else (at.offset, at.metadata or "")
            for each, at in found.items()
        }

    @property
    def partitions(self) -> frozenset[int]:
        """Of its topic, as far as the broker has told."""
        known = self._consumer.partitions_for_topic(self.topic) if self._consumer is not None else None
        return frozenset(known or ())

    async def commit(self, partition: int, offset: int, beside: str = "") -> None:
        if self._consumer is None or self._generation() < 0:
            # The broker would refuse, and aiokafka throw away the membership that is just being made.
            raise LogUnavailable("offset not committed: between two memberships")
        try:
            await self._consumer.commit({TopicPartition(self.topic, partition): (offset, beside)})
        except (KafkaError, ValueError) as wrong:
            raise LogUnavailable(f"offset not committed: {type(wrong).__name__}") from wrong

    def take(self, partitions: frozenset[int]) -> None:
        """Called by the listener with the whole new assignment."""
        assert self._consumer is not None
        if foreign := partitions - (self.partitions or partitions):
            _log.critical("the group gives partitions that the house has not: %s", sorted(foreign))
            partitions -= foreign
        for partition in partitions:
            self._consumer.pause(TopicPartition(self.topic, partition))
        self.generation = self._generation()
        self.refused = None
        self.assigned = partitions
        self.changed.set()

    def _generation(self) -> int:
        """-1 while joining. Private to aiokafka 0.14 (pinned), and only a hint (journal 4e)."""
        assert self._consumer is not None
        return int(getattr(self._consumer._coordinator, "generation", -1))


class _Listener(ConsumerRebalanceListener):  # type: ignore[misc]
    def __init__(self, group: KafkaGroup) -> None:
        self._group = group

    async def on_partitions_revoked(self, revoked: "set[TopicPartition]") -> None:
        """Nothing: the runners go on until the new assignment says otherwise. Two writers at once are safe."""

    async def on_partitions_assigned(self, assigned: "set[TopicPartition]") -> None:
        self._group.take(frozenset(place.partition for place in assigned if place.topic == self._group.topic))


class Posts:
    """A task for each partition that the group gives us, started and ended as the assignment changes.

    With `hands_over_s` a task whose partition goes to somebody else works on for so long, unless it ends before: the
    next one needs a while to begin, and two at once are safe.
    """

    def __init__(
        self,
        group: KafkaGroup,
        work: Callable[[int], Coroutine[Any, Any, None]],
        on_revoked: Callable[[int], None] = lambda partition: None,
        on_assigned: Callable[[], None] = lambda: None,
        hands_over_s: float = 0.0,
        beside: Callable[[], Coroutine[Any, Any, None]] | None = None,
    ) -> None:
        """`work` is one partition's task; `on_assigned` comes between the last to end and the first to begin; `beside`
        runs as long as the membership."""
        self._group = group
        self._work = work
        self._on_revoked = on_revoked
        self._on_assigned = on_assigned
        self._hands_over_s = hands_over_s
        self._beside = beside
        self.held: dict[int, asyncio.Task[None]] = {}
        self.handing_over: dict[int, asyncio.Task[None]] = {}
        """Of partitions that are somebody else's."""

    async def hand_over(self) -> None:
        """Leaves the group for good where somebody else is there; returns once nobody here works any more."""
        if await self._group.leave():
            while tasks := [*self.held.values(), *self.handing_over.values()]:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                await asyncio.sleep(0)

    async def run(self) -> None:
        """Joins the group, and leaves it when cancelled; ends with the first task that fails."""
        try:
            await self._group.join()
            others = [] if self._beside is None else [self._beside()]
            await together(self._group.attend(), self._reconcile(), *others)
        finally:
            self.held |= self.handing_over
            await self._end(list(self.held))
            with suppress(LogUnavailable):
                await self._group.stop()

    async def _reconcile(self) -> None:
        news = asyncio.create_task(self._group.changed.wait())
        try:
            while True:
                going = self.handing_over.values()
                await asyncio.wait([news, *self.held.values(), *going], return_when=asyncio.FIRST_COMPLETED)
                for task in (*self.held.values(), *going):
                    if task.done() and not task.cancelled():
                        task.result()
                for partition in [each for each, task in self.handing_over.items() if task.done()]:
                    del self.handing_over[partition]
                    self._on_revoked(partition)
                if news.done():
                    self._group.changed.clear()
                    news = asyncio.create_task(self._group.changed.wait())
                    await self._follow_assignment()
        finally:
            await end([news])

    async def _follow_assignment(self) -> None:
        wanted = self._group.assigned
        _log.info("assigned %s at generation %d", sorted(wanted), self._group.generation)
        if self._hands_over_s:
            self._let_go(sorted(self.held.keys() - wanted))
        else:
            await self._end(sorted(self.held.keys() - wanted))
        for partition in sorted(wanted & self.handing_over.keys()):  # ours again
            task = self.handing_over.pop(partition)
            if not task.done():
                self.held[partition] = task
        self._on_assigned()
        for partition in sorted(wanted - self.held.keys()):
            self.held[partition] = asyncio.create_task(self._work(partition))

    def _let_go(self, partitions: Iterable[int]) -> None:
        for partition in partitions:
            task = self.handing_over[partition] = self.held.pop(partition)
            asyncio.get_running_loop().call_later(self._hands_over_s, self._enough, partition, task)

    def _enough(self, partition: int, task: "asyncio.Task[None]") -> None:
        if self.handing_over.get(partition) is task:
            task.cancel()

    async def _end(self, partitions: Iterable[int]) -> None:
        ended = {partition: self.held.pop(partition) for partition in partitions}
        await end(list(ended.values()))
        for partition in ended:
            self._on_revoked(partition)


async def stop_consumer(consumer: AIOKafkaConsumer) -> None:
    """Stops it.

    aiokafka 0.14 (pinned) awaits its fetches after cancelling them: one that was cancelled before its first step, or
    while it waits for a broker that is away, would raise that cancellation here, look like one of ours, and leave
    the connection open. So the fetches are ended first, from outside, and their cancellations stay in them.
    """
    await asyncio.sleep(0)
    fetcher = consumer._fetcher
    if fetcher is not None and not consumer._closed:
        fetcher._fetch_task.cancel()
        await asyncio.wait([fetcher._fetch_task])
        fetches = list(fetcher._pending_tasks)
        for fetch in fetches:
            fetch.cancel()
        await asyncio.gather(*fetches, return_exceptions=True)
        fetcher._pending_tasks.clear()
    await consumer.stop()
