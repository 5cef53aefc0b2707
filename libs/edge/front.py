"""What every request of a port passes first: its address, its host, its share; and what every answer carries."""

import asyncio
from collections import Counter, OrderedDict, deque
from urllib.parse import unquote_plus

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from libs.edge import metrics
from libs.edge.connections import Connections, network_of
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


AT_WORK, AT_WORK_OF_ONE = 12, 4
"""Requests without a login that are worked on at once, of all addresses and of one. The loop is one, each turn of it
does a piece of every one of them: a player's request needs some ten turns."""
A_TURN = 3
"""So many of them begin in a turn of the loop: one that has nothing to wait for is done in it from end to end."""


class Crowd:
    """Whoever has no login is served a few at a time, addresses in turn; the others between them."""

    def __init__(self) -> None:
        self._at_work: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._begun = 0

    async def enter(self, address: str) -> None:
        if address not in self._waiting and self._may(address):
            self._begin(address)
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(address, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self.leave(address)  # it had been let in
            raise

    def leave(self, address: str) -> None:
        self._at_work[address] -= 1
        if not self._at_work[address]:
            del self._at_work[address]
        self._let_in()

    def _begin(self, address: str) -> None:
        self._at_work[address] += 1
        self._begun += 1
        if self._begun == 1:
            asyncio.get_running_loop().call_soon(self._turn_over)

    def _turn_over(self) -> None:
        self._begun = 0
        self._let_in()

    def _let_in(self) -> None:
        while self._waiting and self._has_room():
            each = next((each for each in self._waiting if self._may(each)), None)
            if each is None:
                return
            self._admit(each)

    def _may(self, address: str) -> bool:
        return self._has_room() and self._at_work[address] < AT_WORK_OF_ONE

    def _has_room(self) -> bool:
        return self._begun < A_TURN and self._at_work.total() < AT_WORK

    def _admit(self, address: str) -> None:
        """The next one of this address, which goes to the end of the line."""
        waiting = self._waiting.pop(address)
        while waiting:
            turn = waiting.popleft()
            if not turn.done():
                self._begin(address)
                turn.set_result(None)
                break
        if waiting:
            self._waiting[address] = waiting


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
        if scope["type"] == "websocket":
            await self._turns.wait()
        elif scope["type"] == "http" and all(name != b"authorization" for name, _ in scope["headers"]):
            await self._in_turn(address, scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _in_turn(self, address: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Up to the answer, or until more is read: who sends or reads slowly keeps nobody else out."""
        await self._crowd.enter(address)
        left = False

        def leave() -> None:
            nonlocal left
            if not left:
                left = True
                self._crowd.leave(address)

        async def reading() -> Message:
            leave()
            return await receive()

        async def answering(message: Message) -> None:
            leave()
            await send(message)

        try:
            await self._app(scope, reading, answering)
        finally:
            leave()

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
