"""Runs policies on the log: at least once, in order per stream, the offset after the commands."""

import asyncio
from collections.abc import Mapping
from functools import partial
from time import time_ns

from libs.broker import Broker
from libs.contracts.groups import group_of
from libs.contracts.messages import CommandMessage
from libs.contracts.registry import wire_name
from libs.contracts.topics import topic
from libs.journal.intake import Parked, parked_record
from libs.journal.interest import Interest
from libs.journal.kafka_group import KafkaGroup, Posts
from libs.journal.kafka_log import KafkaLog
from libs.journal.kafka_source import KafkaSource
from libs.journal.log import LogRecord, OutRecord, Publisher
from libs.journal.marks import Marking
from libs.journal.owners import Owners
from libs.journal.positions import back
from libs.policies.handler import Handler, Reactions, WhyNot, believed
from libs.telemetry import get_logger
from libs.telemetry.figures import counter

_log = get_logger(__name__)
_SENT = counter("croupier_policy_commands")
_PARKED = counter("croupier_policy_parked")
_FAILED = counter("croupier_policy_batches_failed")
_PAUSE_S = 0.25
"""After a failed batch, before it is read again."""
_STUCK = 20
"""Failures of one page in a row after which the process is not ready: some seconds without a broker are none of it."""
_BATCH = 500
_WAIT_MS = 2_000
_IDLE_COMMIT_S = 3.0
"""Where nothing was for a policy, the offset may wait so long: to pass it by again costs nothing. It is committed also
where it has not moved: that says that an owner lives (`libs/journal/owners.py`)."""


def policy_log(broker: Broker, marks: Marking, name: str, pause_ms: int = 250) -> KafkaLog:
    """Most of what passes is not for a policy: a quarter of a second of it at a time is soon enough where no play
    waits for it."""
    return KafkaLog(broker, marks, client_id=name, fetch_pause_ms=pause_ms)


class Policies:
    """Reads topic `source` as one member of a consumer group and sends what the policies answer."""

    def __init__(
        self,
        log: KafkaLog,
        *,
        group: str,
        instance: str,
        source: str,
        commands: str,
        parked: str,
        reactions: Reactions,
        session_ms: int = 6_000,
        why_not: WhyNot = believed,
        lasts_ms: int = 0,
    ) -> None:
        """`instance` lets a restarted process find its partitions again. What a reaction raises makes the batch come
        again."""
        self._name = group
        self._source = source
        self._commands = commands
        self._parked = parked
        self._log = log
        self._group = KafkaGroup(
            *(log.broker, group, source), session_timeout_ms=session_ms, instance=instance, marks=log.marks
        )
        self._reactions = reactions
        self._interest = Interest(map(wire_name, reactions))
        self._why_not = why_not
        self._lasts_ms = lasts_ms
        self._publisher: Publisher | None = None
        self._failures: dict[int, int] = {}
        """By partition, how often in a row its page could not be passed."""
        self._turn = asyncio.Lock()
        self._owners = Owners(self._group, log.marks)
        self._posts = Posts(self._group, self._follow, beside=self._owners.watch)

    @classmethod
    def between(
        cls, log: KafkaLog, instance: str, *, name: str, asks: str, reactions: Reactions, topic_prefix: str = "",
        session_ms: int = 6_000, why_not: WhyNot = believed, lasts_ms: int = 0,
    ) -> "Policies":  # fmt: skip
        """Commands to service `asks` follow from the public events that group `name` reads. One `instance` name per
        process."""
        group = group_of(name)
        source, commands, parked = (
            topic_prefix + each.name for each in (group.reads, topic(asks, "commands"), topic(group.service, "parked"))
        )
        return cls(
            log, group=topic_prefix + group.name, instance=instance, source=source, commands=commands, parked=parked,
            reactions=reactions, session_ms=session_ms, why_not=why_not, lasts_ms=lasts_ms,
        )  # fmt: skip

    def why_not_ready(self) -> str | None:
        if self._group.generation < 0:
            return "the policies have not joined their group"
        if (times := max(self._failures.values(), default=0)) >= _STUCK:
            return f"the same page of events has failed {times} times"
        return self._owners.why_not() or self._log.why_silent()

    async def run(self) -> None:
        """Until cancelled."""
        try:
            await self._posts.run()
        finally:
            await self._let_go()

    async def hand_over(self) -> None:
        """Before the process is ended as told: where another is there, it gets our partitions now."""
        await self._posts.hand_over()

    async def _follow(self, partition: int) -> None:
        while True:
            source = KafkaSource(self._log, self._group, partition, self._interest)
            try:
                await self._read(source, partition)
            except Exception:
                _FAILED.labels(self._name).inc()
                self._failures[partition] = self._failures.get(partition, 0) + 1
                _log.exception("policy batch failed, read again", topic=self._source, group=self._name)
                await self._let_go()  # what a failed producer sent is sent again by a new one
                await asyncio.sleep(_PAUSE_S)
            finally:
                await source.close()

    async def _read(self, source: KafkaSource, partition: int) -> None:
        now = asyncio.get_running_loop().time
        await source.learn()
        moved = await source.begin_at(back(time_ns() // 1_000_000, self._lasts_ms))
        if moved is not None:
            await self._put([moved.telling.record(self._parked)])
        committed, passed = now(), 0
        while True:
            fetched = await source.read(_BATCH, _WAIT_MS)
            passed = max(passed, source.began)
            out: list[OutRecord] = []
            park = partial(self._park, out, partition)
            handler = Handler(self._reactions, partial(self._send, out), park, self._why_not, self._lasts_ms)
            try:
                for record in fetched.records:
                    await handler.handle(record)
            finally:
                if out:
                    await self._put(out)  # of what came before one that can't be handled, too
            self._failures.pop(partition, None)
            if (out and fetched.position > passed) or now() - committed > _IDLE_COMMIT_S:
                await source.commit(fetched.position)
                committed, passed = now(), fetched.position

    async def _send(self, out: list[OutRecord], command: CommandMessage, headers: Mapping[str, str]) -> None:
        value, carried = command.encoded(), tuple((name, v.encode()) for name, v in headers.items())
        out.append(OutRecord(self._commands, command.stream.encode(), value, carried))
        _SENT.labels(self._name, command.type).inc()

    async def _park(self, out: list[OutRecord], partition: int, record: LogRecord, why: Parked) -> None:
        out.append(parked_record(record, why, self._parked, self._source, partition))
        _PARKED.labels(self._name, why.reason).inc()
        _log.error("record parked", topic=self._source, partition=partition, offset=record.offset, reason=why.reason)

    async def _put(self, records: list[OutRecord]) -> None:
        """What a batch asks goes out together, in order; returns once all in-sync replicas have it."""
        async with self._turn:
            if self._publisher is None:
                self._publisher = await self._log.publisher()
            publisher = self._publisher
        await (await publisher.send(records))

    async def _let_go(self) -> None:
        publisher, self._publisher = self._publisher, None
        if publisher is not None:
            await publisher.abandon()
