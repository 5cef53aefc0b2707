"""A deciding service on Kafka: one runner, its follower with it, for each partition that its group gives it."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Generic
from uuid import uuid4

from libs.broker import Broker
from libs.contracts.groups import group_of
from libs.journal.follower import Publish
from libs.journal.kafka_group import KafkaGroup, Posts
from libs.journal.kafka_log import KafkaLog
from libs.journal.kafka_source import KafkaSource
from libs.journal.kept import kept_in, nameless
from libs.journal.log import LogUnavailable, OffsetOutOfRange
from libs.journal.machine import CommandT, EventT, FreshT, Machine, StateT
from libs.journal.marks import Marking
from libs.journal.names import names_of
from libs.journal.observer import Observer
from libs.journal.ours import check_ours
from libs.journal.owners import LIVES_S, Owners
from libs.journal.positions import check_key
from libs.journal.runner import Hooks, Pace, PartitionRunner, Superseded
from libs.journal.snapshots import Unreadable
from libs.journal.tasks import end

_log = logging.getLogger(__name__)
HANDS_OVER_S = 8.0
"""So long the last owner of a partition works on, unless it sees the next one decide before: the next one is told
within two seconds, and has six to restore. Only where nobody plays it takes all of them."""


class DeciderService(Generic[StateT, CommandT, EventT, FreshT]):
    """Runs until cancelled. A fault of the log itself, or of the machine's decoding, ends it loudly."""

    def __init__(
        self,
        machine: Machine[StateT, CommandT, EventT, FreshT],
        publish: Publish[StateT, EventT],
        *,
        broker: Broker,
        marks: Marking,
        partitions: int,
        incarnation: int = 1,
        prefix: str = "",
        writer: str | None = None,
        group: str | None = None,
        instance: str | None = None,
        session_timeout_ms: int = 6000,
        hooks: Hooks[StateT] | None = None,
        on_revoked: Callable[[int], None] = lambda partition: None,
        observer: Observer | None = None,
        pace: Pace | None = None,
        now: Callable[[], int] | None = None,
        idle: Path | None = None,
    ) -> None:
        """`partitions`, `incarnation`: of the house. `on_revoked` is called when a partition is ours no longer. Raises
        `BadKey` for a file of marks that is too old.

        `now`: see the runner. `idle`: a folder of this process alone, in which shelves are kept for its next start.

        `writer` must differ for each process that ever runs; the default does.
        """
        check_key(marks)
        self.machine = machine
        self.publish = publish
        self.names = names_of(machine.service, partitions, prefix, incarnation)
        self._prefix = prefix
        self.writer = writer or f"{machine.service}-{uuid4().hex[:12]}"
        self.hooks: Hooks[StateT] = hooks or Hooks()
        self.observer: Observer = observer or Observer()
        self.pace = pace or Pace()
        self._now = now
        self._on_revoked = on_revoked
        self.log = KafkaLog(broker, marks, client_id=self.writer)
        self.group = KafkaGroup(
            broker,
            group or prefix + group_of(f"{machine.service}-decider").name,
            self.names.commands,
            session_timeout_ms=session_timeout_ms,
            instance=instance,
            client_id=self.writer,
            marks=marks,
        )
        self._patience_for_rejoin_s = 2 * session_timeout_ms / 1000
        self._owners = Owners(self.group, marks)
        self._posts = Posts(
            *(self.group, self._post),
            on_assigned=self._assigned,
            hands_over_s=HANDS_OVER_S,
            beside=self._owners.watch,
        )
        self._reassigned = asyncio.Event()
        self._aside: set[str] = set()
        self._make_shelf = nameless if idle is None else kept_in(idle)
        self._lived: dict[int, int] = {}
        self._runners: dict[int, PartitionRunner[StateT, CommandT, EventT, FreshT]] = {}

    @property
    def partitions(self) -> frozenset[int]:
        """Partitions that this process works on now."""
        return frozenset(self._posts.held)

    @property
    def is_ready(self) -> bool:
        """A member of the group, and every partition given is restored. A member without partitions is ready, too."""
        running = all(
            partition in self._runners and self._runners[partition].ready.is_set() for partition in self._posts.held
        )
        return self.group.generation >= 0 and running and self.partitions == self.group.assigned

    def why_not_ready(self) -> str | None:
        """In a few words; None: there is no reason."""
        if (why := self._owners.why_not()) is not None:
            return why
        if not self.is_ready:
            return "partitions are being restored"
        return next(filter(None, (each.why_stands() for each in self._runners.values())), None)

    async def run(self) -> None:
        """Raises `NotOurs` rather than begin an empty house beside the one that is there."""
        await self._check_ours()
        await self._posts.run()

    async def hand_over(self) -> None:
        """Before the process is ended as told: where another of its kind lives, it gets every partition warm.

        Ours are decided here until that one decides (journal 12). Alone, or if it fails, nothing is done.
        """
        await self._posts.hand_over()

    async def _check_ours(self) -> None:
        pause = self.pace.first_pause_s
        while True:
            try:
                places = [(self.names.journal, each) for each in range(self.names.partitions)]
                return await check_ours(self.log, places, self._prefix)
            except LogUnavailable as wrong:
                _log.warning("waiting for the log: %s", wrong)
                await asyncio.sleep(pause)
                pause = min(2 * pause, self.pace.longest_pause_s)

    def _assigned(self) -> None:
        self._reassigned.set()
        for partition in self._posts.held.keys() & self._runners.keys():
            self._runners[partition].renew_generation(self.group.generation)

    async def _post(self, partition: int) -> None:
        """One partition for as long as it is ours: a runner, again and again if the log goes away."""
        pause = self.pace.first_pause_s
        while True:
            try:
                await self._work(partition)
            except Unreadable as wrong:
                _log.error("%s: it is folded from the journal", wrong, extra={"partition": partition})
                self._aside.add(wrong.stream)
            except (LogUnavailable, OffsetOutOfRange) as wrong:
                if partition in self._posts.handing_over:
                    return
                _log.warning("partition %d starts again: %s", partition, wrong)
                await asyncio.sleep(pause)
                pause = min(2 * pause, self.pace.longest_pause_s)
            except Superseded:
                if partition in self._posts.handing_over:
                    _log.info("partition %d is handed over", partition)
                    return
                # The group will tell us about the newer owner; if it does not, there is none.
                _log.warning("partition %d gives way to a newer owner", partition)
                self.observer.happened("gave_way", partition)
                await self._await_rejoin()
            finally:
                self._runners.pop(partition, None)
                self._on_revoked(partition)  # the next runner finds its states anew

    async def _work(self, partition: int) -> None:
        source = KafkaSource(self.log, self.group, partition, lived=self._lived)
        runner = self._runners[partition] = PartitionRunner(
            self.machine,
            self.log,
            source,
            self.names,
            partition,
            self.publish,
            writer=self.writer,
            generation=self.group.generation,
            hooks=self.hooks,
            observer=self.observer,
            pace=self.pace,
            now=self._now,
            aside=self._aside,
            shelf=self._make_shelf,
        )
        holding = asyncio.create_task(self._hold(source, runner.ready))
        try:
            await runner.run()
        finally:
            await end([holding])
            await source.close()

    @staticmethod
    async def _hold(source: KafkaSource, ready: asyncio.Event) -> None:
        """While it is restored the partition has an owner, too: what stands there is said anew, if it is true."""
        while not ready.is_set():
            with contextlib.suppress(LogUnavailable):
                await source.renew()
            await asyncio.sleep(LIVES_S)

    async def _await_rejoin(self) -> None:
        self._reassigned.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._patience_for_rejoin_s):
                await self._reassigned.wait()
