"""Commands on their way to the deciding services: one idempotent producer, acknowledged by all in-sync replicas."""

import asyncio
from contextlib import suppress
from functools import partial
from typing import get_args

from opentelemetry.trace import Span, SpanKind

from libs.contracts.messages import CommandMessage
from libs.contracts.topics import partition_of, topic
from libs.journal.answers import REPLY_TO
from libs.journal.kafka_log import KafkaLog, KafkaPublisher
from libs.journal.log import LogUnavailable, OutRecord
from libs.telemetry import begin, get_logger, traceparent_of
from services.gateway.app.commands import Service

_log = get_logger(__name__)
_PAUSE_S = 0.5


class KafkaSender:
    """Key = stream, partition by the one shared function. A producer that failed once is replaced (journal 11)."""

    def __init__(self, log: KafkaLog, partitions: int, prefix: str, reply_to: int | None = None) -> None:
        """`reply_to`: the one partition of the replies that is read here; None: all are."""
        self._log = log
        self._topics = {service: topic(service, "commands") for service in get_args(Service)}
        self._partitions = partitions
        self._reply_to = ((REPLY_TO, str(reply_to).encode()),) if reply_to is not None else ()
        self._prefix = prefix
        self._publisher: KafkaPublisher | None = None
        self._broken = False
        self._replacing = asyncio.Lock()
        self._late: set[asyncio.Task[None]] = set()
        self._mending: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._publisher = await self._log.publisher(*(self._prefix + each.name for each in self._topics.values()))
        self._broken = False

    async def stop(self) -> None:
        if self._mending is not None:
            self._mending.cancel()
        await self._abandon()

    async def _abandon(self) -> None:
        if self._publisher is not None:
            await self._publisher.abandon()

    def why_not_ready(self) -> str | None:
        return "the last command could not be written" if self._broken or self._publisher is None else None

    def send(self, service: str, message: CommandMessage, traceparent: str) -> None:
        """Hands the record to the producer; whether it arrived is told by the reply, or by none."""
        commands = self._topics[service]
        sending = begin(f"send {self._prefix}{commands.name}", traceparent, SpanKind.PRODUCER)
        traceparent = traceparent if sending is None else traceparent_of(sending)
        record = OutRecord(
            self._prefix + commands.name,
            message.stream.encode(),
            message.encoded(),
            ((("traceparent", traceparent.encode()),) if traceparent else ()) + self._reply_to,
            partition_of(message.stream, self._partitions),
        )
        if self._broken:
            task = asyncio.create_task(self._send_anew(record, sending))
            self._late.add(task)
            task.add_done_callback(self._late.discard)
        else:
            self._put(record, sending)

    def _put(self, record: OutRecord, sending: Span | None) -> None:
        assert self._publisher is not None
        try:
            self._publisher.put([record]).add_done_callback(partial(self._delivered, sending))
        except LogUnavailable as error:
            self._fail(error)

    async def _send_anew(self, record: OutRecord, sending: Span | None) -> None:
        try:
            await self._replace()
        except LogUnavailable as error:
            self._fail(error)
        else:
            self._put(record, sending)

    async def _replace(self) -> None:
        async with self._replacing:
            if self._broken:
                await self._abandon()
                await self.start()

    async def _mend(self) -> None:
        """Also where nobody sends: to a gateway that is not ready nobody is sent, who could."""
        while self._broken:
            await asyncio.sleep(_PAUSE_S)
            with suppress(LogUnavailable):
                await self._replace()

    def _delivered(self, sending: Span | None, outcome: "asyncio.Future[None]") -> None:
        if sending is not None:
            sending.end()
        if not outcome.cancelled() and (error := outcome.exception()) is not None:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        self._broken = True
        if self._mending is None or self._mending.done():
            self._mending = asyncio.create_task(self._mend())
        _log.warning("a command may not have been written", error=type(error).__name__)
