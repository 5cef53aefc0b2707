"""Commands on their way to the deciding services: one idempotent producer, acknowledged by all in-sync replicas."""

import asyncio
from functools import partial

from opentelemetry.trace import Span, SpanKind

from libs.contracts.messages import CommandMessage
from libs.contracts.topics import partition_of, topic
from libs.journal.log import Log, LogUnavailable, OutRecord, Publisher
from libs.telemetry import begin, get_logger, traceparent_of

_log = get_logger(__name__)


class KafkaSender:
    """Key = stream, partition by the one shared function. A producer that failed once is replaced (journal 11)."""

    def __init__(self, log: Log, prefix: str) -> None:
        self._log = log
        self._prefix = prefix
        self._publisher: Publisher | None = None
        self._broken = False
        self._lock = asyncio.Lock()

    async def start(self) -> None:
        self._publisher = await self._log.publisher()
        self._broken = False

    async def stop(self) -> None:
        if self._publisher is not None:
            await self._publisher.abandon()

    def why_not_ready(self) -> str | None:
        return "the last command could not be written" if self._broken or self._publisher is None else None

    async def send(self, service: str, message: CommandMessage, traceparent: str) -> None:
        """Hands the record to the producer; whether it arrived is told by the reply, or by none."""
        commands = topic(service, "commands")
        sending = begin(f"send {self._prefix}{commands.name}", traceparent, SpanKind.PRODUCER)
        traceparent = traceparent if sending is None else traceparent_of(sending)
        record = OutRecord(
            self._prefix + commands.name,
            message.stream.encode(),
            message.encoded(),
            (("traceparent", traceparent.encode()),) if traceparent else (),
            partition_of(message.stream, commands.partitions),
        )
        try:
            if self._broken:
                await self._replace()
            assert self._publisher is not None
            delivered = await self._publisher.send([record])
        except LogUnavailable as error:
            self._fail(error)
            return
        delivered.add_done_callback(partial(self._delivered, sending))

    def _delivered(self, sending: Span | None, outcome: "asyncio.Future[None]") -> None:
        if sending is not None:
            sending.end()
        if not outcome.cancelled() and (error := outcome.exception()) is not None:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        self._broken = True
        _log.warning("a command may not have been written", error=type(error).__name__)

    async def _replace(self) -> None:
        async with self._lock:
            if self._broken:
                await self.stop()
                await self.start()
