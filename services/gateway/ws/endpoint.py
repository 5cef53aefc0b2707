"""The WebSocket `/v1/ws`: hello, subscriptions and commands in; views, events, own cards and replies out."""

import asyncio
from contextlib import suppress
from functools import partial
from typing import Annotated, Any, cast

import msgspec
from opentelemetry.trace import Span, SpanKind
from starlette.websockets import WebSocket, WebSocketDisconnect

from libs.contracts.messages import Principal, Reply
from libs.contracts.reading import read
from libs.edge.connections import network_of
from libs.edge.problems import Problem
from libs.edge.wire import wire_of
from libs.identity.access import PLAYERS, Session
from libs.identity.callers import unauthorized
from libs.telemetry import begin, get_logger, traceparent_of, unrecorded
from libs.views.tournament import UNPUBLISHED
from services.gateway import metrics
from services.gateway.app.asked import Asked
from services.gateway.app.gateway import Gateway
from services.gateway.http.entries import entry_of
from services.gateway.http.tournaments import written_page
from services.gateway.ws import frames, protocol
from services.gateway.ws.connection import Connection
from services.gateway.ws.fan_out import tournament_in, watched

_log = get_logger(__name__)

HELLO_SECONDS = 10.0
MAX_OPEN_COMMANDS = 32
MAX_TABLES = 64
MAX_REFUSED = 1_000
"""Messages above a fair share that are each told so; then the connection ends (1008)."""
UNAUTHORIZED, FLOODED, TOO_LARGE, FAILED, MOVED = 4401, 1008, 1009, 1011, 1012


async def talk(websocket: WebSocket) -> None:
    """One connection from accept to close."""
    gateway: Gateway = websocket.app.state.gateway
    await websocket.accept()
    try:
        session = await _introduce(websocket, gateway)
    except Problem as problem:
        await _refuse(websocket, problem, UNAUTHORIZED)
    except WebSocketDisconnect:
        return
    else:
        await _Conversation(websocket, gateway, session).run()


async def _introduce(websocket: WebSocket, gateway: Gateway) -> Session:
    """The session, by header or by the first message; never by the URL, which ends up in logs."""
    address = network_of(websocket.client.host) if websocket.client else ""
    authorization = websocket.headers.get("authorization", "")
    if authorization:
        caller = await gateway.callers.caller(authorization, address)
    else:
        caller = await gateway.callers.caller_with(await _token(websocket), address)
    PLAYERS.check(caller)
    assert caller.session is not None
    return caller.session


async def _token(websocket: WebSocket) -> str:
    try:
        async with asyncio.timeout(HELLO_SECONDS):
            first = protocol.parse(_bounded(await _receive(websocket)))
    except TimeoutError:
        raise unauthorized("No hello within 10 seconds.") from None
    if not isinstance(first, protocol.Hello):
        raise unauthorized("The first message is a hello with the session token.")
    return first.token


class _Conversation:
    """What goes on over one connection after the hello."""

    def __init__(self, websocket: WebSocket, gateway: Gateway, session: Session) -> None:
        self._websocket = websocket
        self._gateway = gateway
        self._session = session
        self._player = Principal("player", session.player)
        self.session = session
        self._connection = Connection(session, wire_of(websocket), gateway.outbox, self._render)
        self._over: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        """Ends with a close code where we are the ones who go."""
        self._open = 0
        """Commands without a reply."""
        self._moves = False
        self._refused = 0
        """Messages in a row above the player's fair share."""

    async def run(self) -> None:
        metrics.CONNECTIONS.inc()
        self._gateway.sockets.enter(self._session.player, self)
        wire_of(self._websocket).charge(partial(self._gateway.player_bytes.spend, self._session.player))
        self._gateway.standing.enter(self)
        self._connection.push(frames.welcome(self._session.player, self._session.id, self._session.expires))
        try:
            if (code := await self._end()) is not None:
                self._connection.flush()
                await _close(self._websocket, code)
        finally:
            self._gateway.sockets.leave(self._session.player, self)
            self._gateway.standing.leave(self)
            self._gateway.fan_out.leave(self._connection)
            for table in self._connection.tables:
                self._gateway.presence.went(table, self._session.player)
            metrics.CONNECTIONS.dec()

    def end(self, code: int) -> None:
        """Closes the connection with this code, unless it is over already."""
        if not self._over.done():
            self._over.set_result(code)

    def move(self, url: str | None) -> None:
        """The gateway ends: its player is asked to connect anew, and every answer that is due still goes out."""
        self._connection.push(frames.reconnect(url))
        self._moves = True
        if not self._open:
            self.end(MOVED)

    async def _end(self) -> int | None:
        """When the peer leaves (None) or must go (a close code)."""
        wire_of(self._websocket).hear(self._hear)
        left = asyncio.ensure_future(self._websocket.receive())
        ends: set[asyncio.Future[Any]] = {left, self._over}
        try:
            while not (left.done() or self._over.done()) and (over := self._why_over()) is None:
                seconds = min(self._session.expires - self._gateway.now(), self._idle_left()) / 1000
                await asyncio.wait(ends, timeout=max(seconds, 0.001), return_when=asyncio.FIRST_COMPLETED)
        finally:
            left.cancel()
        if self._over.done():
            return self._over.result()
        if left.done():
            return None
        assert over is not None
        self._problem(over)
        return UNAUTHORIZED

    def _why_over(self) -> Problem | None:
        if self._gateway.now() >= self._session.expires:
            return unauthorized("The session is over; open a new one.", slug="session-expired")
        return self._gateway.standing.why_over(self._session)

    def _idle_left(self) -> int:
        return self._gateway.standing.idle_left(self._session)

    def session_over(self, why: Problem) -> None:
        """It was ended by the player, by the house, or by a login elsewhere."""
        if not self._over.done():
            self._problem(why)
            self.end(UNAUTHORIZED)

    def _hear(self, message: str | bytes) -> None:
        """A message, in the turn of the loop in which it came."""
        if self._over.done():
            return
        try:
            self._hear_one(_bounded(message))
        except Problem as problem:
            key = problem.extensions.get("id")
            self._problem(problem, key if isinstance(key, str) else None)
            if problem.status == 413:
                self.end(TOO_LARGE)
            elif self._refused >= MAX_REFUSED:
                self.end(FLOODED)
        except Exception as error:  # our own mistake
            _log.error("a connection failed", exc_info=error)
            self.end(FAILED)
        self._connection.relieve()

    def _hear_one(self, text: str | bytes) -> None:
        try:
            self._gateway.doorkeeper.players.take(self._session.player)
        except Problem as problem:
            self._refused += 1
            if (key := _key_in(text)) is not None:
                problem.extensions["id"] = key
            raise
        self._refused = 0
        said = protocol.parse(text)
        if not isinstance(said, protocol.Ping):  # a program's, not a person's
            self._gateway.standing.touch(self._session)
        self._take(said)

    def _take(self, message: protocol.Inbound) -> None:
        match message:
            case protocol.Ping():
                self._connection.push(frames.PONG)
            case protocol.Subscribe():
                self._subscribe(message.table)
            case protocol.Unsubscribe():
                self._unsubscribe(message.table)
            case protocol.WatchTournament():
                self._subscribe(watched(message.tournament))
            case protocol.UnwatchTournament():
                self._unsubscribe(watched(message.tournament))
            case protocol.Hello():
                raise Problem(409, "already-welcome", "This connection has a session.")
            case protocol.Sent():
                self._command(message)

    def _unsubscribe(self, table: str) -> None:
        self._gateway.fan_out.unwatch(table, self._connection)
        if table in self._connection.tables:
            self._connection.tables.discard(table)
            self._gateway.presence.went(table, self._session.player)

    def _subscribe(self, table: str) -> None:
        tables = self._connection.tables
        again = table in tables
        if len(tables) >= MAX_TABLES and table not in tables:
            raise Problem(
                429, "too-many-subscriptions", f"One connection watches at most {MAX_TABLES} tables and tournaments."
            )
        if tournament_in(table) is None:
            self._gateway.floors.check(table)
        self._gateway.doorkeeper.subscriptions.take(f"{table} {self._session.player}", table=table)
        if not self._connection.show(table):
            if (tournament := tournament_in(table)) is not None:
                raise Problem(404, "unknown-tournament", "There is no such tournament.", tournament=tournament)
            raise Problem(404, "unknown-table", "There is no such table.", table=table)
        self._gateway.fan_out.watch(table, self._connection)
        if not again:
            self._gateway.presence.came(table, self._session.player)

    def _command(self, wish: protocol.Sent) -> None:
        if self._open >= MAX_OPEN_COMMANDS:
            raise Problem(
                429, "too-many-commands", f"{MAX_OPEN_COMMANDS} commands are still without a reply.", id=wish.id
            )
        # A trace of its own: a connection lasts for hours and is nobody's parent.
        begun = begin(f"ws {wish.door.name}", "", SpanKind.SERVER, **{"croupier.stream": wish.table})
        try:
            asked = Asked(self._gateway, self._player, {"table": wish.table}, self._session, where=())
            order = wish.door.order(asked, wish.id, wish.fields)
            answer = self._gateway.doorkeeper.ask(order, unrecorded() if begun is None else traceparent_of(begun))
        except Problem as problem:
            self._answered(wish, begun, problem)
        except Exception as error:  # our own mistake; the connection stays up
            _log.error("a command failed", command=wish.door.name, exc_info=error)
            self._answered(wish, begun, Problem(500, "internal-error", "Something broke on our side."))
        else:
            self._open += 1
            answer.add_done_callback(partial(self._told, wish, begun))

    def _told(self, wish: protocol.Sent, begun: Span | None, answer: "asyncio.Future[Reply]") -> None:
        self._open -= 1
        self._answered(wish, begun, cast(Problem | None, answer.exception()) or answer.result())
        if self._moves and not self._open:
            self.end(MOVED)

    def _answered(self, wish: protocol.Sent, begun: Span | None, said: Reply | Problem) -> None:
        if begun is not None:
            begun.end()
        if isinstance(said, Problem):
            self._problem(said, wish.id)
        else:
            self._connection.push(frames.reply_frame(wish.id, said))

    def _render(self, table: str, player: str) -> bytes | None:
        if (tournament := tournament_in(table)) is not None:
            return self._render_tournament(tournament, player)
        view = self._gateway.floor.view(table, player, self._gateway.now())
        return frames.view_frame(view) if view is not None else None

    def _render_tournament(self, tournament: str, player: str) -> bytes | None:
        found = self._gateway.tournaments.view(tournament)
        if found is None or found.status in UNPUBLISHED:
            return None
        page = self._gateway.tournaments.page(found, partial(written_page, self._gateway))
        entry = entry_of(self._gateway, found, player).model_dump_json().encode()
        return frames.tournament_frame(tournament, found.version, page, entry)

    def _problem(self, problem: Problem, key: str | None = None) -> None:
        metrics.REFUSED.labels(problem.slug).inc()
        self._connection.push(frames.problem_frame(problem, key))


async def _receive(websocket: WebSocket) -> str | bytes:
    message = await websocket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    return message.get("text") or message.get("bytes") or b""


def _key_in(text: str | bytes) -> str | None:
    """The idempotency key of a message that is not read further, so that its sender knows which one was refused."""
    try:
        return read(_KEYED, text.encode() if isinstance(text, str) else text).id
    except msgspec.MsgspecError:
        return None


class _Keyed(msgspec.Struct):
    id: Annotated[str, msgspec.Meta(max_length=128)] | None = None


_KEYED = msgspec.json.Decoder(_Keyed)


def _bounded(text: str | bytes) -> str | bytes:
    if 4 * len(text) > protocol.MAX_MESSAGE < len(text.encode() if isinstance(text, str) else text):
        raise Problem(413, "message-too-large", f"A message has at most {protocol.MAX_MESSAGE} bytes.")
    return text


async def _refuse(websocket: WebSocket, problem: Problem, code: int) -> None:
    metrics.REFUSED.labels(problem.slug).inc()
    wire_of(websocket).put(frames.problem_frame(problem))
    await _close(websocket, code if problem.status == 401 else TOO_LARGE if problem.status == 413 else 1008)


async def _close(websocket: WebSocket, code: int) -> None:
    with suppress(RuntimeError, WebSocketDisconnect):  # the peer was faster
        await websocket.close(code)
