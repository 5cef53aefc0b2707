"""uvicorn's WebSocket protocol with a way past ASGI for what is sent: ready frames, written at once.

Handshake, pings, fragments, UTF-8, sizes and closing stay uvicorn's. The names that this leans on are no promise of
uvicorn's: its version is pinned, and `tests/edge/test_wire.py` opens, fills, closes and stops one (adr 6).
"""

import asyncio
import socket
from collections import deque
from collections.abc import Callable
from typing import Any

from starlette.websockets import WebSocket
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

HIGH, LOW = 64 * 1024, 16 * 1024
"""Bytes that wait in the process: above `HIGH` a wire is full, below `LOW` there is room again."""
UNSENT = 32 * 1024
"""Bytes that the kernel takes ahead of what the peer's window allows; by itself it would take megabytes."""
STANDSTILL_S = 30.0
"""How long a wire may stay full."""
_EXTENSION = "croupier.wire"


class Wire(WebSocketsSansIOProtocol):
    """One connection. Its transport's buffer is the queue: no task and no second queue stand before it."""

    full = False
    """Whether the peer reads too slowly for more."""
    on_room: Callable[[], None] | None = None
    """Called when a full wire has room again."""
    _hears: Callable[[str | bytes], None] | None = None
    _heard: deque[str | bytes]
    """Messages that came while the wire was full: nothing is taken of a peer who does not read."""
    _standstill: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.transport.set_write_buffer_limits(high=HIGH, low=LOW)
        connected = self.transport.get_extra_info("socket")
        if hasattr(socket, "TCP_NOTSENT_LOWAT") and connected.family in (socket.AF_INET, socket.AF_INET6):
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT)

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

    def send_receive_event_to_app(self) -> None:
        if self._hears is None or self.close_sent:
            super().send_receive_event_to_app()
            return
        said = b"".join(self.frames)
        try:
            message = said.decode() if self.curr_msg_data_type == "text" else said
        except UnicodeDecodeError:
            super().send_receive_event_to_app()  # refuses it
            return
        self.frames = []
        if self.full or self._heard:
            self._heard.append(message)
            self.transport.pause_reading()
        else:
            self._hears(message)

    def pause_writing(self) -> None:
        super().pause_writing()
        self.full = True
        # A ping that gets no answer frees nobody here: closing waits for the buffer to be read.
        self._standstill = self.loop.call_later(STANDSTILL_S, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._move()
        if self.on_room is not None:
            self.on_room()
        if self._hears is not None:
            self._go_on()

    def connection_lost(self, exc: Exception | None) -> None:
        self._move()
        self.on_room = None
        super().connection_lost(exc)

    def shutdown(self) -> None:
        super().shutdown()
        if self.full:
            self.transport.abort()

    def _go_on(self) -> None:
        assert self._hears is not None
        while self._heard and not self.full:
            self._hears(self._heard.popleft())
        if not self._heard and not self.transport.is_closing():
            self.read_paused = False
            self.transport.resume_reading()

    def _move(self) -> None:
        self.full = False
        if self._standstill is not None:
            self._standstill.cancel()
            self._standstill = None


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
