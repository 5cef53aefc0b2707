"""A relay between one service and the broker that can be cut, slowed, stopped in one direction, or made to lose."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Literal

from libs.stack.home import Door

Way = Literal["to_broker", "from_broker"]
_CHUNK = 64 * 1024
_PRODUCE = b"\x00\x00"
"""The kind of a request, after its length of four bytes (Kafka's protocol, `api_key`)."""


@dataclass(slots=True)
class Relay:
    """Listens where the door is advertised and passes on to where the broker listens.

    A packet that is lost reaches TCP's user as a pause while it is sent again; `loss` makes such pauses.
    """

    door: Door
    dice: Random = field(default_factory=lambda: Random(6))
    cut: bool = False
    """Nobody gets in, and who is in is thrown out."""
    stopped: set[Way] = field(default_factory=set)
    """Directions in which nothing moves; the connections stay open and look healthy."""
    acknowledges: bool = True
    """Else nothing comes back over connections that have brought records; what is asked over others is answered."""
    delay_s: float = 0.0
    loss: float = 0.0
    """Share of the chunks that arrive only when TCP has sent them again."""
    _writers: set[asyncio.StreamWriter] = field(default_factory=set)
    _server: asyncio.Server | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.door.advertised}"

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._let_in, "127.0.0.1", self.door.advertised)

    async def close(self) -> None:
        self.throw_out()
        if self._server is not None:
            self._server.close()

    def throw_out(self) -> None:
        """Every connection ends with a reset, as when a cable is pulled out of a switch that minds."""
        for writer in list(self._writers):
            with suppress(OSError, RuntimeError):
                writer.transport.abort()

    def heal(self) -> None:
        self.cut = False
        self.stopped = set()
        self.acknowledges = True
        self.delay_s = self.loss = 0.0

    async def _let_in(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.cut:
            writer.transport.abort()
            return
        try:
            there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self.door.listens)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, there_writer}
        brought = asyncio.Event()
        ways = [
            asyncio.create_task(self._carry("to_broker", reader, there_writer, brought)),
            asyncio.create_task(self._carry("from_broker", there_reader, writer, brought)),
        ]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        for each in (writer, there_writer):
            self._writers.discard(each)
            with suppress(OSError, RuntimeError):
                each.transport.abort()

    async def _carry(
        self, way: Way, source: asyncio.StreamReader, sink: asyncio.StreamWriter, brought: asyncio.Event
    ) -> None:
        """`brought`: set once the connection has brought records."""
        with suppress(OSError):
            while chunk := await source.read(_CHUNK):
                if way == "to_broker" and chunk[4:6] == _PRODUCE:
                    brought.set()
                while way in self.stopped or (way == "from_broker" and not self.acknowledges and brought.is_set()):
                    await asyncio.sleep(0.02)
                if self.delay_s:
                    await asyncio.sleep(self.delay_s)
                if self.loss and self.dice.random() < self.loss:
                    await asyncio.sleep(self.dice.choice((0.2, 0.4, 0.8)))  # Linux' first times to send again
                sink.write(chunk)
                await sink.drain()
