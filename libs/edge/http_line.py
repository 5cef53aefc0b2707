"""uvicorn's HTTP protocol with what it has not: bounds on heads, bodies, times and the number of connections.

Whoever breaks one is answered by a problem document and cut; nothing of what they send is kept. The names that this
leans on are no promise of uvicorn's: its version is pinned, and `tests/edge/test_http_line.py` breaks every bound on a
real server (adr 11).
"""

import asyncio
from math import inf
from typing import Any, cast

from uvicorn._types import ASGI3Application, ASGISendEvent
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from libs.edge import metrics
from libs.edge.connections import Connections
from libs.edge.problems import Problem
from libs.edge.sockets import bound_unsent

_SLICE = 4 * 1024
"""Bytes that are parsed before the bounds are looked at again; a read brings up to 256 kB."""

_SOME = 32 * 1024
"""Bytes that a peer has to take in the time of a standstill."""


_UNSENT = 128 * 1024
"""Bytes of answers that the kernel takes ahead of what the peer's window allows."""


class _Flow(FlowControl):
    """uvicorn's, which reads on as soon as a request has its answer, also of who owes bytes."""

    owes = False

    def resume_reading(self) -> None:
        if self.owes:
            self.read_paused = False
        else:
            super().resume_reading()


class HttpLine(HttpToolsProtocol):
    """One connection. Its state is what it waits for: a head, a body, or an answer of ours."""

    flow: _Flow
    _in_head = False
    _size = 0
    """Bytes of the head, or of the body, that have come."""
    _named = 0
    """Header fields of this request, trailers among them."""
    _due = inf
    """When what is awaited must be there."""
    _unread = 0
    """Bytes in its full buffer, and since when the peer has taken next to nothing of them."""
    _unread_since = inf
    _why: Problem | None = None
    """What the parser was stopped for."""
    _refused = False
    _answering: RequestResponseCycle | None = None
    """What runs; `cycle` is what was asked last, which may wait behind it."""

    @property
    def _connections(self) -> Connections:
        return cast(Connections, cast(Any, self.config).connections)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast(asyncio.Transport, transport))
        self.flow = _Flow(self.transport)
        bound_unsent(transport, _UNSENT)
        self._limits = self._connections.limits
        self._due = self.loop.time() + self._limits.head_s
        full = self._connections.enter(self, self.client[0] if self.client else "")
        if not self.client or (full is not None and self._connections.is_crowded):
            metrics.REFUSED.labels(full.slug if full is not None else "gone").inc()
            self.transport.abort()
        elif full is not None:
            self._refuse(full)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.leave(self)
        self._end_what_runs()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        wait = self._connections.spend(self, len(data))
        for start in range(0, len(data), _SLICE):
            if self.transport.is_closing() or self.transport.get_protocol() is not self:
                return
            self._take(data[start : start + _SLICE])
        if wait > 0:
            self.flow.owes = True
            self.transport.pause_reading()
            self.loop.call_later(wait, self._read_on)

    def _take(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._refused:
            if self._size > self._limits.discarded:
                self.transport.abort()
            return
        super().data_received(piece)
        if self._refused or self.transport.get_protocol() is not self:
            return
        if self._in_head and self._size > self._limits.head_bytes:
            self._refuse(Problem(431, "head-too-large", f"A head has at most {self._limits.head_bytes} bytes."))
        elif not self._in_head and self._size > self._limits.discarded:
            self.transport.abort()  # it was refused long before
        elif self._due == inf and self.timeout_keep_alive_task is None and not self._is_answering():
            self._due = self.loop.time() + self._limits.head_s  # empty lines begin no request

    def _read_on(self) -> None:
        self.flow.owes = False
        if not self.transport.is_closing() and not self.flow.read_paused:
            self.transport.resume_reading()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head, self._size, self._named = True, 0, 0
        self._due = self.loop.time() + self._limits.head_s

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        if len(self.url) > (most := self._limits.target_bytes):
            self._stop(Problem(414, "target-too-long", f"Path and query have at most {most} bytes."))

    def on_header(self, name: bytes, value: bytes) -> None:
        self._named += 1
        if self._named > (most := self._limits.head_fields):
            self._stop(Problem(431, "head-too-large", f"A request has at most {most} header fields."))
        if self._in_head:  # trailers come after the request was handed on, and nobody reads them
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head, self._size = False, 0
        self._due = self.loop.time() + self._limits.body_s
        if len(self.pipeline) >= self._limits.pipelined:
            self._stop(Problem(429, "too-many-pipelined", "Wait for an answer before asking more."))
        if self.parser.get_method() != b"GET" and self.parser.should_upgrade() and self._should_upgrade():
            self._stop(Problem(400, "malformed-request", "A WebSocket begins with GET (RFC 6455 4.1)."))
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._due, self._size = inf, 0
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        self._connections.leave(self)  # its wire enters
        super().handle_websocket_upgrade()

    def send_400_response(self, msg: str) -> None:
        """The parser stopped, for us or for itself."""
        self._refuse(self._why or Problem(400, "malformed-request", "This is no HTTP/1.1 request."))

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread, self._unread_since = self.transport.get_write_buffer_size(), self.loop.time()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._unread_since = inf

    def look(self, now: float) -> None:
        if self._unread_since != inf and (left := self.transport.get_write_buffer_size()) < self._unread - _SOME:
            self._unread, self._unread_since = left, now
        if now - self._unread_since > self._limits.standstill_s:
            self.transport.abort()
        elif now > self._due and not self.transport.is_closing():
            self._over_time()

    def is_idle(self) -> bool:
        """Refused, between requests, or in one of which not all has come: nothing was done for it."""
        asked = (self._answering, self.cycle)
        return self._refused or all(each is None or each.response_complete or each.more_body for each in asked)

    def _over_time(self) -> None:
        if self._refused or (self.cycle is not None and self.cycle.response_complete and not self._in_head):
            self.transport.abort()
        elif self._in_head or (self.cycle is not None and self.cycle.more_body):
            self._refuse(Problem(408, "request-timeout", "The request did not come in time."))
        else:
            self.transport.close()  # nothing was asked

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        """With a `send` that looks first: who has gone hears nothing, and is no fault of ours to be logged."""
        say = cycle.send

        async def send(message: ASGISendEvent) -> None:
            if self.transport.is_closing() or self._refused:
                cycle.disconnected = True
            await say(message)

        self._answering = cycle
        cycle.send = send  # type: ignore[method-assign]
        super()._start_asgi_task(cycle, app)

    def _end_what_runs(self) -> None:
        """Nothing that was asked behind it begins, and it ends where it waits for us."""
        self.pipeline.clear()
        if self._answering is not None and not self._answering.response_complete:
            self._answering.disconnected = True
            self._answering.message_event.set()

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _stop(self, why: Problem) -> None:
        """Out of the parser, which ends in `send_400_response`."""
        self._why = why
        raise ValueError(why.slug)

    def _refuse(self, why: Problem) -> None:
        """Says so and cuts: the sender has a moment to read it, for closing on unread bytes would take it away."""
        metrics.REFUSED.labels(why.slug).inc()
        self._refused, self._size = True, 0
        self._unset_keepalive_if_required()
        self._end_what_runs()
        if (runs := self._answering) is not None and runs.response_started and not runs.response_complete:
            self.transport.abort()
            return
        self.transport.write(why.raw())
        self.transport.write_eof()
        self._due = self.loop.time() + self._limits.linger_s
