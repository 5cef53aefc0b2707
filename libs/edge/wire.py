"""uvicorn's WebSocket protocol with a way past ASGI for what is sent: ready frames, written at once.

Handshake, pings, fragments, UTF-8, sizes and closing stay uvicorn's. The names that this leans on are no promise of
uvicorn's: its version is pinned, and `tests/edge/test_wire.py` opens, fills, closes and stops one (adr 6).
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, cast

from starlette.types import Scope
from starlette.websockets import WebSocket
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from libs.edge.connections import Connections
from libs.edge.sockets import bound_unsent

HIGH, LOW = 64 * 1024, 16 * 1024
"""Bytes that wait in the process: above `HIGH` a wire is full, below `LOW` there is room again."""
UNSENT = 32 * 1024
"""Bytes that the kernel takes ahead of what the peer's window allows."""
STANDSTILL_S = 30.0
"""How long a wire may stay full."""
SLICE = 4 * 1024
"""Bytes of one peer that are read in a turn of the loop: a hundred messages or so, then others have theirs."""
FRAGMENTS = 64
"""Of one message: each is an object of ours, also an empty one."""
MESSAGE = 256
"""Bytes that a message costs beside its own, where bytes are counted: reading it is work, however short it is."""
_EXTENSION = "croupier.wire"

Spends = Callable[[int], float]
"""Charges somebody with so many bytes; seconds for which nothing more is read of them."""


class Wire(WebSocketsSansIOProtocol):
    """One connection. Its transport's buffer is the queue: no task and no second queue stand before it."""

    full = False
    """Whether the peer reads too slowly for more."""
    on_room: Callable[[], None] | None = None
    """Called when a full wire has room again."""
    _spends: Spends | None = None
    """Who pays for what is read, instead of the connection's address."""
    _hears: Callable[[str | bytes], None] | None = None
    _heard: deque[str | bytes]
    """Messages that came while the wire was full: nothing is taken of a peer who does not read."""
    _unread: memoryview = memoryview(b"")
    """What came and is not its turn yet; no more is read meanwhile."""
    _next: asyncio.TimerHandle | asyncio.Handle | None = None
    """When its turn is."""
    _messages = 0
    """That came in this turn."""
    _standstill: asyncio.TimerHandle | None = None

    @property
    def _connections(self) -> Connections:
        return cast(Connections, cast(Any, self.config).connections)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._connections.enter(self, self.client[0] if self.client else "")  # its place is that of its handshake
        self.transport.set_write_buffer_limits(high=HIGH, low=LOW)
        bound_unsent(self.transport, UNSENT)

    def handle_connect(self, event: Any) -> None:
        super().handle_connect(event)
        if not self.close_sent:  # else the handshake was refused and there is no scope
            self.scope["extensions"][_EXTENSION] = {"wire": self}

    def put(self, frames: bytes) -> None:
        """Writes whole frames, also past `full`; to who is going or gone, nothing."""
        if self.handshake_complete and not (self.close_sent or self.disconnected or self.transport.is_closing()):
            self.transport.write(frames)

    def hear(self, hears: Callable[[str | bytes], None]) -> None:
        """From now on a message goes to `hears` as it comes in; ASGI's `receive` has only the end of the connection."""
        self._hears, self._heard = hears, deque()
        for _ in range(self.queue.qsize()):
            event: Any = self.queue.get_nowait()
            if event["type"] == "websocket.receive":
                self._heard.append(event.get("text") or event.get("bytes") or b"")
            else:
                self.queue.put_nowait(event)
        self._go_on()

    def charge(self, spends: Spends) -> None:
        """From now on who sends is known and pays; what came before stays the address's, and nothing waits for that:
        others have the same address, a hall's or a carrier's, and would make a player wait who has sent little."""
        self._spends = spends
        if self._next is not None:
            self._next.cancel()
            self._next = self.loop.call_soon(self._turn)

    def data_received(self, data: bytes) -> None:
        self._unread = memoryview(bytes(self._unread) + data if self._unread else data)
        if self._next is None:
            self._read()
        else:
            self._pause()

    def _read(self) -> None:
        """A slice, and the next one when it has been paid for; who owes already waits with the first."""
        self._next, wait = None, self._owed(0)
        if not wait:
            piece, self._unread, self._messages = bytes(self._unread[:SLICE]), self._unread[SLICE:], 0
            super().data_received(piece)
            if self.transport.is_closing():
                self._unread = memoryview(b"")
                return
            wait = self._owed(len(piece) + MESSAGE * self._messages)
        if wait or self._unread:
            self._pause()
            self._next = self.loop.call_later(wait, self._turn)

    def _owed(self, size: int) -> float:
        return self._connections.spend(self, size) if self._spends is None else self._spends(size)

    def _turn(self) -> None:
        self._next = None
        self._go_on()

    def handle_cont(self, event: Any) -> None:
        if self.close_sent:
            return
        if len(self.frames) >= FRAGMENTS:
            self._fail(1009)
        else:
            super().handle_cont(event)

    def handle_ping(self) -> None:
        self._messages += 1
        super().handle_ping()

    def send_receive_event_to_app(self) -> None:
        self._messages += 1
        if self._hears is None or self.close_sent:
            super().send_receive_event_to_app()
            return
        said = b"".join(self.frames)
        self.frames = []
        try:
            message = said.decode() if self.curr_msg_data_type == "text" else said
        except UnicodeDecodeError:
            self._fail(1007)
            return
        if self.full or self._heard:
            self._heard.append(message)
            self._pause()
        else:
            self._hears(message)

    async def send(self, message: Any) -> None:
        await super().send(message)
        if self.initial_response is not None and self.close_sent:
            self.handshake_complete = True  # by a refusal: uvicorn would log that there was no answer

    async def receive(self) -> Any:
        message = await super().receive()
        if self._hears is None:
            self._go_on()
        return message

    def _fail(self, code: int) -> None:
        """Closes with this code: the peer broke the protocol."""
        self.conn.fail(code)
        self.handle_parser_exception()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.full = True
        self._pause()
        # A ping that gets no answer frees nobody here: closing waits for the buffer to be read.
        self._standstill = self.loop.call_later(STANDSTILL_S, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._move()
        if self.on_room is not None:
            self.on_room()
        self._go_on()

    def connection_lost(self, exc: Exception | None) -> None:
        self._move()
        self._connections.leave(self)
        self.on_room = None
        self._unread = memoryview(b"")
        if self._next is not None:
            self._next.cancel()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        super().shutdown()
        if self.full:
            self.transport.abort()

    def look(self, now: float) -> None:
        """Pings and a full buffer have clocks of their own."""

    def is_idle(self) -> bool:
        """Nobody is welcome there so far."""
        return self._spends is None

    def _go_on(self) -> None:
        while self._hears is not None and self._heard and not self.full:
            self._hears(self._heard.popleft())
        if self._unread and self._is_free():
            self._read()
        if self._is_free() and not self.transport.is_closing():
            self.read_paused = False
            self.transport.resume_reading()

    def _is_free(self) -> bool:
        """Whether more may be read; before somebody hears, uvicorn lets one message wait at a time."""
        waiting = self.read_paused if self._hears is None else bool(self._heard)
        return not (self.full or waiting or self._next is not None)

    def _pause(self) -> None:
        if not self.transport.is_closing():
            self.transport.pause_reading()

    def _move(self) -> None:
        self.full = False
        if self._standstill is not None:
            self._standstill.cancel()
            self._standstill = None


def wire_in(scope: Scope) -> Wire | None:
    """The wire under a handshake; None on another server than ours."""
    found: Wire | None = scope.get("extensions", {}).get(_EXTENSION, {}).get("wire")
    return found


def wire_of(websocket: WebSocket) -> Wire:
    """The wire under an accepted WebSocket. By ASGI only the close may follow: what is sent there waits its turn."""
    wire: Wire = websocket.scope["extensions"][_EXTENSION]["wire"]
    return wire


def text_frame(payload: bytes) -> bytes:
    """A whole text message as its server sends it: RFC 6455, 5.2, unfragmented and unmasked."""
    size = len(payload)
    if size < 126:
        return bytes((0x81, size)) + payload
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2, "big") + payload
    return b"\x81\x7f" + size.to_bytes(8, "big") + payload
