"""What every request of a port passes first: its address, its host, its share; and what every answer carries."""

import asyncio
from collections import Counter, deque
from urllib.parse import unquote_plus

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from libs.edge import metrics
from libs.edge.connections import Connections, network_of
from libs.edge.crowd import Crowd, Visit
from libs.edge.problems import SAFE, Problem
from libs.edge.wire import wire_in

_PAGE = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
"""The pages of the API's document bring their own script; another page says itself what it may."""


HANDSHAKES = 4
"""Of WebSockets in a turn of the loop: each is a millisecond or two of work, and whole crowds come at once."""


class Turns:
    """Lets a few go in a turn of the loop, in the order in which they came; who asks else is served between."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def wait(self) -> None:
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._go)
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append(turn)
        await turn

    def _go(self) -> None:
        for _ in range(min(HANDSHAKES, len(self._waiting))):
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._go)


_ONCE = {
    b"authorization": ("two-logins", "Authorization"),
    b"croupier-purpose": ("two-purposes", "Croupier-Purpose"),
    b"idempotency-key": ("two-keys", "Idempotency-Key"),
}
"""Headers of which a second one would be another word for the same, and the problem that it is."""


class Front:
    """ASGI middleware, outermost. uvicorn has put the address that a trusted proxy told into the scope by then."""

    def __init__(self, app: ASGIApp, connections: Connections) -> None:
        self._app = app
        self._connections = connections
        self._limits = connections.limits
        hsts = {"strict-transport-security": f"max-age={self._limits.hsts_s}"} if self._limits.hsts_s else {}
        self._carried = dict(SAFE) | hsts
        self._turns = Turns()
        self._crowd = Crowd()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            send = self._carrying(send)
        address = network_of(scope["client"][0]) if scope.get("client") else ""
        try:
            self._check(scope, address)
        except Problem as problem:
            metrics.REFUSED.labels(problem.slug).inc()
            await problem.response()(scope, receive, send)
            return
        if scope["type"] == "http":
            await self._visited(Visit(self._crowd, address), scope, receive, send)
            return
        if scope["type"] == "websocket":
            await self._turns.wait()
        await self._app(scope, receive, send)

    async def _visited(self, visit: Visit, scope: Scope, receive: Receive, send: Send) -> None:
        """Who shows no token is a stranger from the beginning; of the others it is told once the token was checked."""
        visit.go_with(scope)
        if all(name != b"authorization" for name, _ in scope["headers"]):
            await visit.of_stranger()
        try:
            await self._app(scope, visit.reading(receive), visit.answering(send))
        finally:
            visit.leave()

    def _check(self, scope: Scope, address: str) -> None:
        if address:
            self._connections.requests.take(address)  # first: what is refused below counts, too
        if not _is_printable(scope):
            # No database takes a NUL, and no name of ours has a control character.
            raise Problem(400, "malformed-address", "The address has characters that no name has.")
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) > 1 or (self._limits.hosts and not self._knows(hosts)):
            raise Problem(400, "unknown-host", "This is not the house that you asked for.")
        said = Counter(name for name, _ in scope["headers"])
        for name, (slug, words) in _ONCE.items():
            if said[name] > 1:  # a proxy that looks at the first would see another one than we do
                raise Problem(400, slug, f"A request has one `{words}` header.")
        wire = wire_in(scope)
        if wire is not None and wire.client is not None and self._connections.is_proxy(wire.client[0]):
            full = self._connections.came_through(wire, address)
            if full is not None:
                raise full

    def _knows(self, hosts: list[bytes]) -> bool:
        name = (hosts or [b""])[0].decode("latin-1").lower()
        return name in self._limits.hosts or name.rpartition(":")[0] in self._limits.hosts

    def _carrying(self, send: Send) -> Send:
        async def carry(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.setdefault("content-security-policy", _PAGE)
                for name, value in self._carried.items():
                    headers.setdefault(name, value)
            await send(message)

        return carry


def _is_printable(scope: Scope) -> bool:
    return str(scope["path"]).isprintable() and unquote_plus(scope["query_string"].decode("latin-1")).isprintable()
