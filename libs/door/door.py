"""Connections from platforms to one broker: counted, passed on byte for byte, ended at the first refused request.

Until the broker has said that its login is good a connection waits, and takes nobody's place inside.

Nothing is kept but one request and what the system's buffers and asyncio's hold (some 300 kB for a connection): who
does not read answers is not read from. Requests that are sent ahead need no bound: a broker reads a connection's next
one when it has answered the one before.
"""

import asyncio
import socket
import ssl
from asyncio import IncompleteReadError, StreamReader, StreamReaderProtocol, StreamWriter
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field

from libs.broker.lines import end_with_peer
from libs.door.frames import IDLE_S, LOGIN_S, Frames, Refused
from libs.door.login import NotProven, proven
from libs.door.waiting import Waiting
from libs.door.written import Written
from libs.edge.connections import network_of
from libs.telemetry import get_logger
from libs.telemetry.figures import counter, gauge

_OPEN = gauge("croupier_door_connections")
_REFUSED = counter("croupier_door_refused")
_log = get_logger(__name__)
_CHUNK = 64 * 1024
_FLUSH_S = 2.0
"""How long who is left by the broker may read what it said last: why a login is refused."""
_PAUSE_S = 0.1
_REACH_S = 1.0
"""How long a broker may take to answer before it is said to be away."""
_ASK_S, _ASKS = 20, 3
"""Who is silent is asked for a sign of life by TCP, and is gone after three without an answer."""


@dataclass(frozen=True, slots=True)
class Doorway:
    """One port for one broker: a client is told by the broker to come to exactly this one."""

    host: str
    port: int
    broker: str
    """Host and port."""


@dataclass(slots=True)
class Door:
    """`most`, `most_of_address` and `most_of_login`: connections to one broker at once that are logged in, in all, of
    one address and of one login, which may come from any number of addresses.

    Without contexts TLS is not spoken.
    """

    most: int
    most_of_address: int
    most_of_login: int
    shows: ssl.SSLContext | None = None
    trusts: ssl.SSLContext | None = None
    _inside: dict[Doorway, Counter[str]] = field(default_factory=dict)
    """By address."""
    _as: dict[Doorway, Counter[str]] = field(default_factory=dict)
    """By login."""
    _waiting: dict[Doorway, Waiting] = field(default_factory=dict)
    _through: Counter[Doorway] = field(default_factory=Counter)
    """Connections that have come to the broker, which is there for as long as they stand."""
    _written: Written = field(default_factory=Written)

    @asynccontextmanager
    async def open(self, doorway: Doorway) -> AsyncIterator[int]:
        """Yields the port on which it listens (a free one for port 0). Who is inside at the end is thrown out."""
        family = socket.AF_INET6 if ":" in doorway.host else socket.AF_INET
        with socket.create_server((doorway.host.strip("[]"), doorway.port), family=family) as listening:
            listening.setblocking(False)
            self._inside[doorway], self._as[doorway], self._waiting[doorway] = Counter(), Counter(), Waiting()
            accepting = asyncio.create_task(self._accept(doorway, listening))
            try:
                yield listening.getsockname()[1]
            finally:
                accepting.cancel()
                await asyncio.gather(accepting, return_exceptions=True)
                del self._inside[doorway], self._as[doorway], self._waiting[doorway]

    async def away(self) -> list[str]:
        """Brokers that can't be reached. Where somebody is through, nobody asks: it would take a connection more."""
        ways = [each for each in self._inside if not self._through[each]]
        there = await asyncio.gather(*(self._reached(each) for each in ways))
        return [each.broker for each, is_there in zip(ways, there, strict=True) if not is_there]

    async def _reached(self, doorway: Doorway) -> bool:
        try:
            _, to_broker = await self._connected(doorway, _REACH_S)
        except OSError:
            return False
        to_broker.close()
        return True

    async def _accept(self, doorway: Doorway, listening: socket.socket) -> None:
        """Not asyncio's server, which would count nobody before TLS is agreed on."""
        visits: set[asyncio.Task[None]] = set()
        try:
            while True:
                try:
                    line, (peer, *_) = await asyncio.get_running_loop().sock_accept(listening)
                except OSError as wrong:  # too many files are open, or it was gone at once
                    _log.warning("no connection can be taken", wrong=str(wrong))
                    await asyncio.sleep(_PAUSE_S)
                    continue
                visits.add(task := asyncio.create_task(self._let_in(doorway, line, peer)))
                task.add_done_callback(visits.discard)
        finally:
            for each in visits:
                each.cancel()
            await asyncio.gather(*visits, return_exceptions=True)

    async def _let_in(self, doorway: Doorway, line: socket.socket, peer: str) -> None:
        reader = StreamReader(_CHUNK)
        frames = Frames(reader, self._written)
        try:
            await self._visit(doorway, peer, line, frames, reader)
        except Refused as why:
            _tell(why, peer, frames.login)
        except (IncompleteReadError, OSError):
            pass  # it has gone
        finally:
            line.close()

    async def _visit(
        self, doorway: Doorway, peer: str, line: socket.socket, frames: Frames, reader: StreamReader
    ) -> None:
        address = network_of(peer)
        async with AsyncExitStack() as held:
            async with self._waiting[doorway].place(address) as came_to:
                writer = await self._greeted(line, reader)
                held.callback(writer.transport.abort)
                first = await frames.next()  # who says nothing never comes to the broker
                came_to(1)
                there, to_broker = await self._broker(doorway)
                held.enter_context(self._through_to(doorway, to_broker))
                try:
                    answer = await proven(frames, first, there, to_broker, writer, came_to)
                except NotProven:
                    _tell(Refused("login"), peer, frames.login)
                    await _part(writer)
                    return
            held.enter_context(self._counted(doorway, address, frames.login or ""))
            writer.write(answer)
            await _pass_on(frames, there, to_broker, writer)

    @contextmanager
    def _counted(self, doorway: Doorway, address: str, login: str) -> Iterator[None]:
        inside, of_logins = self._inside[doorway], self._as[doorway]
        if inside.total() >= self.most:
            raise Refused("full")
        if inside[address] >= self.most_of_address:
            raise Refused("full_for_address")
        if of_logins[login] >= self.most_of_login:
            raise Refused("full_for_login")
        inside[address] += 1
        of_logins[login] += 1
        _OPEN.inc()
        try:
            yield
        finally:
            _OPEN.dec()
            for counted, who in ((inside, address), (of_logins, login)):
                counted[who] -= 1
                if not counted[who]:
                    del counted[who]

    @contextmanager
    def _through_to(self, doorway: Doorway, to_broker: StreamWriter) -> Iterator[None]:
        self._through[doorway] += 1
        try:
            yield
        finally:
            self._through[doorway] -= 1
            to_broker.transport.abort()

    async def _greeted(self, line: socket.socket, reader: StreamReader) -> StreamWriter:
        _notice_when_gone(line)
        loop, protocol = asyncio.get_running_loop(), StreamReaderProtocol(reader)
        patience = LOGIN_S if self.shows else None
        try:
            transport, _ = await loop.connect_accepted_socket(
                lambda: protocol, line, ssl=self.shows, ssl_handshake_timeout=patience
            )
        except ConnectionResetError:
            raise
        except OSError:  # SSLError is one, and it takes too long
            raise Refused("no_tls") from None
        return StreamWriter(transport, protocol, reader, loop)

    async def _broker(self, doorway: Doorway) -> tuple[StreamReader, StreamWriter]:
        try:
            reader, writer = await self._connected(doorway, LOGIN_S)
        except OSError as wrong:
            _log.warning("broker can't be reached", broker=doorway.broker, wrong=str(wrong) or type(wrong).__name__)
            raise Refused("no_broker") from None
        end_with_peer(writer.get_extra_info("socket"))
        return reader, writer

    async def _connected(self, doorway: Doorway, within_s: float) -> tuple[StreamReader, StreamWriter]:
        """Raises OSError; TimeoutError and SSLError are such."""
        host, _, port = doorway.broker.rpartition(":")
        async with asyncio.timeout(within_s):
            return await asyncio.open_connection(host, int(port), ssl=self.trusts, limit=_CHUNK)


def _tell(why: Refused, peer: str, login: str | None) -> None:
    _REFUSED.labels(why.reason).inc()
    _log.warning(f"platform refused: {why.reason}", peer=peer, login=login, **why.about)


async def _pass_on(frames: Frames, there: StreamReader, to_broker: StreamWriter, writer: StreamWriter) -> None:
    asking = asyncio.create_task(_ask(frames, to_broker))
    answering = asyncio.create_task(_answer(there, writer))
    try:
        done, open_ = await asyncio.wait((asking, answering), return_when=asyncio.FIRST_COMPLETED)
        for each in open_:
            each.cancel()
        await asyncio.gather(*open_, return_exceptions=True)
        for each in done:
            each.result()
    finally:
        for each in (asking, answering):
            each.cancel()
    await _part(writer)


async def _part(writer: StreamWriter) -> None:
    writer.close()
    with suppress(TimeoutError):
        await asyncio.wait_for(writer.wait_closed(), _FLUSH_S)


async def _ask(frames: Frames, to_broker: StreamWriter) -> None:
    while True:
        to_broker.write(await frames.next())
        try:
            await asyncio.wait_for(to_broker.drain(), IDLE_S)  # it waits where answers are not read
        except TimeoutError:
            raise Refused("idle") from None


async def _answer(there: StreamReader, writer: StreamWriter) -> None:
    while chunk := await there.read(_CHUNK):
        writer.write(chunk)
        await writer.drain()


def _notice_when_gone(line: socket.socket) -> None:
    line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (("TCP_KEEPIDLE", _ASK_S), ("TCP_KEEPINTVL", _ASK_S), ("TCP_KEEPCNT", _ASKS)):
        if hasattr(socket, option):  # not everywhere
            line.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
