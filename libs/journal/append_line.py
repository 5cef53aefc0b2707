"""Own commits on their way to the journal: batches form by themselves while earlier ones are under way (journal 6)."""

import asyncio
import time
from collections import deque
from dataclasses import dataclass
from functools import partial

from libs.journal.lane import AnyFlight
from libs.journal.log import Appender, AppendUnknown, Log
from libs.journal.pace import Pace
from libs.telemetry.traces import joined

_RECORDS = 1000


@dataclass(slots=True, eq=False)
class Shipment:
    """One batch that was handed to the appender."""

    flights: list[AnyFlight]
    place: "asyncio.Future[int | None]"


class AppendLine:
    """Ships flights in order through one appender, a few batches at a time."""

    def __init__(self, log: Log, topic: str, partition: int, pace: Pace) -> None:
        self._log = log
        self._topic = topic
        self._partition = partition
        self._pace = pace
        self._outbox: deque[AnyFlight] = deque()
        self._under_way: deque[Shipment] = deque()
        self._flying = 0
        self._appender: Appender | None = None
        self._arrived = asyncio.Event()

    def put(self, flight: AnyFlight) -> None:
        """Queues a flight; `ship` sends it."""
        self._outbox.append(flight)

    def withdraw(self, stream: str) -> list[AnyFlight]:
        """Takes back what was not sent of a stream: it is chained on a void commit."""
        taken = [flight for flight in self._outbox if flight.commit.stream == stream]
        if taken:
            self._outbox = deque(flight for flight in self._outbox if flight.commit.stream != stream)
        return taken

    def ship(self) -> None:
        """Sends what is queued, as far as the depth allows."""
        while self._outbox and self._flying < self._pace.depth and self._appender is not None:
            flights = self._batch()
            place = self._appender.append([(flight.commit.stream.encode(), flight.raw) for flight in flights])
            self._flying += 1
            place.add_done_callback(partial(self._landed, flights, time.time_ns()))
            self._under_way.append(Shipment(flights, place))
            self._arrived.set()

    async def next(self) -> Shipment:
        """The earliest batch without a verdict; it may still be on its way."""
        while not self._under_way:
            self._arrived.clear()
            await self._arrived.wait()
        return self._under_way.popleft()

    async def landed(self, shipment: Shipment) -> int | None:
        """Where it lies; None: accepted, place unknown. Raises `AppendUnknown`, after which the appender is dead."""
        if shipment.place.done():
            return shipment.place.result()
        try:
            async with asyncio.timeout(self._pace.patience_s):
                return await shipment.place
        except TimeoutError:
            raise AppendUnknown("no answer within the own patience") from None

    async def renew(self) -> None:
        """Forgets everything under way and takes a new producer (journal 11)."""
        await self.abandon()
        self._appender = await self._log.appender(self._topic, self._partition)

    async def abandon(self) -> None:
        for shipment in self._under_way:
            shipment.place.cancel()
        self._under_way.clear()
        self._outbox.clear()
        appender, self._appender = self._appender, None
        if appender is not None:
            await appender.abandon()

    def _batch(self) -> list[AnyFlight]:
        flights: list[AnyFlight] = []
        size = 0
        while self._outbox and len(flights) < _RECORDS:
            size += len(self._outbox[0].raw) + 100  # key and record header
            if flights and size > self._pace.batch_bytes:
                break
            flight = self._outbox.popleft()
            flight.sent = True
            flights.append(flight)
        return flights

    def _landed(self, flights: list[AnyFlight], started_ns: int, place: "asyncio.Future[int | None]") -> None:
        self._flying -= 1
        if place.cancelled() or place.exception() is not None:
            return  # nothing goes out behind what is unknown: the appender is dead, or given up
        joined("append", ((flight.open.traceparent, str(flight.open.message.id)) for flight in flights), started_ns)
        self.ship()
