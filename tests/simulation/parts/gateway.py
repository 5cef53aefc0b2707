"""A gateway process: the product's floor, desk and keys; topics are read from the start, replies from now on."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from libs.contracts.messages import CommandMessage, PublicEvent, Reply
from libs.contracts.topics import topic
from libs.journal.answers import REPLY_TO
from libs.journal.log import LogRecord, LogUnavailable, OutRecord, Publisher
from libs.sealing.secret import SecretBytes
from services.gateway.app.commands import CommandDesk, IdempotencyKeys, Order
from services.gateway.app.floor import Audience, Floor
from services.gateway.kafka.hears import hear_private_deal, hear_records, hear_reply
from tests.simulation.plan import accounts_in, tables_in
from tests.simulation.topics import PRIVATE, REPLIES_TOPIC, TABLE_EVENTS
from tests.testkit.partitions import partition_of
from tests.testkit.process import Process

_WAIT_MS = 10_000
_REPLY_MS = 4_000
_HOUR = 3_600_000


class GatewayProcess:
    """What players and platforms talk to, until it dies."""

    def __init__(
        self, process: Process, key: SecretBytes, audience: Audience, now: Callable[[], int],
        times: Callable[[], int] = lambda: 1, listens_at: int | None = None,
    ) -> None:  # fmt: skip
        """`times`: how often a command is written, for producers that repeat themselves. `listens_at`: the partition
        of the replies that it reads, and names in its commands; None: it reads all."""
        self.process = process
        self.floor = Floor(audience)
        keys = IdempotencyKeys(24 * _HOUR, 1000)
        horizons: Any = {"table": 600_000, "wallet": 72 * _HOUR}
        self.desk = CommandDesk(self, keys, horizons, _REPLY_MS, now)
        self.ready = False
        self._key = key
        self._times = times
        self._listens_at = listens_at
        self._publisher: Publisher | None = None
        self._tables_in = tables_in(process.log.broker.partitions)
        self._behind = len(self._tables_in)

    def start(self) -> None:
        broker = self.process.log.broker
        everywhere = sorted({*self._tables_in, *accounts_in(broker.partitions)})
        for partition in everywhere if self._listens_at is None else [self._listens_at]:
            end = len(broker.partition(REPLIES_TOPIC, partition).slots)
            self.process.start(self._read(REPLIES_TOPIC, partition, end, self._replies))
        for partition in self._tables_in:
            self.process.start(self._read_tables(partition))

    async def submit(self, order: Order) -> Reply:
        return await self.desk.submit(order)

    def send(self, service: str, message: CommandMessage, traceparent: str) -> None:
        """`Sender` of the desk: whether it arrived is told by the reply, or by none."""
        self.process.start(self._send(service, message))

    async def _send(self, service: str, message: CommandMessage) -> None:
        if self._publisher is None:
            self._publisher = await self.process.log.publisher()
        value, key = message.encoded(), message.stream.encode()
        record = OutRecord(
            topic(service, "commands").name,
            key,
            value,
            () if self._listens_at is None else ((REPLY_TO, str(self._listens_at).encode()),),
            partition_of(message.stream, self.process.log.broker.partitions),
        )
        try:
            delivered = await self._publisher.send([record] * self._times())
        except LogUnavailable:
            self._publisher = None
            return
        delivered.add_done_callback(self._delivered)

    def _delivered(self, outcome: "asyncio.Future[None]") -> None:
        if not outcome.cancelled() and outcome.exception() is not None:
            self._publisher = None

    async def _read_tables(self, partition: int) -> None:
        """Public events up to where they end now, and only then the private deals; then the doors open."""
        end = len(self.process.log.broker.partition(TABLE_EVENTS, partition).slots)
        caught_up = asyncio.Event()
        self.process.start(self._read(TABLE_EVENTS, partition, 0, self._events, end, caught_up))
        await caught_up.wait()
        end, caught_up = len(self.process.log.broker.partition(PRIVATE, partition).slots), asyncio.Event()
        self.process.start(self._read(PRIVATE, partition, 0, self._deals, end, caught_up))
        await caught_up.wait()
        self._behind -= 1
        self.ready = self._behind == 0

    async def _read(
        self, name: str, partition: int, at: int, hear: Callable[[Sequence[LogRecord]], None],
        end: int = 0, caught_up: asyncio.Event | None = None,
    ) -> None:  # fmt: skip
        while True:
            if caught_up is not None and at >= end:
                caught_up.set()
            try:
                reader = await self.process.log.reader(name, partition)
                fetched = await reader.read(at, 200, _WAIT_MS)
            except LogUnavailable:
                continue
            hear(fetched.records)
            at = fetched.position

    def _replies(self, records: Iterable[LogRecord]) -> None:
        for record in records:
            hear_reply(record, self.desk)

    def _events(self, records: Iterable[LogRecord]) -> None:
        hear_records(records, self.floor)

    def _deals(self, records: Iterable[LogRecord]) -> None:
        for record in records:
            hear_private_deal(record.value, self.floor, self._key)


class Deaf:
    """Nobody listens."""

    def tell_events(self, table: str, events: Sequence[PublicEvent]) -> None: ...
    def tell_cards(self, table: str, hand: int, seat: int, player: str, cards: tuple[str, ...]) -> None: ...
