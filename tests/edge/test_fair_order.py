"""Many sit behind one address: who floods waits for what they owe, and nobody beside them does."""

import asyncio
import heapq
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import cast

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect

from libs.edge.connections import Connections, Line
from libs.edge.limits import DEFAULTS
from libs.edge.serve import serving
from libs.edge.shares import Share
from libs.edge.wire import SLICE, Wire
from tests.edge.rude import HEAD, POST
from tests.edge.server import app

HALL = "203.0.113.7"
PER_SECOND, AT_ONCE = DEFAULTS.address_bytes
PART = AT_ONCE / DEFAULTS.address_connections
BEFORE_LONG = 5.0
"""Seconds within which it is answered that waits for nothing; a debt of these tests is a thousand seconds."""


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def lines(connections: Connections, many: int, address: str = HALL) -> list[Line]:
    """That have just come in."""
    made = [cast(Line, object()) for _ in range(many)]
    for line in made:
        connections.enter(line, address)
    return made


def test_who_floods_waits_and_who_says_little_at_the_same_address_does_not(clock: Clock) -> None:
    connections = Connections(DEFAULTS, clock)
    *floods, player = lines(connections, 5)
    assert connections.spend(player, 500) == 0
    waits = [connections.spend(line, 256_000) for _ in range(40) for line in floods]
    assert waits[-4:] == [AT_ONCE / PER_SECOND] * 4
    assert connections.spend(player, 500) == 0
    assert [connections.spend(line, 2_000) for line in lines(connections, 3)] == [0] * 3, "who comes in now"
    assert connections.spend(floods[0], 0) > 0
    [elsewhere] = lines(connections, 1, "203.0.113.8")
    assert connections.spend(elsewhere, 256_000) == 0


def test_nobody_waits_for_more_than_they_have_sent_themselves(clock: Clock) -> None:
    connections = Connections(DEFAULTS, clock)
    flood, some, little = lines(connections, 3)
    connections.spend(flood, 10 * int(AT_ONCE))
    per_second = PER_SECOND / DEFAULTS.address_connections
    assert connections.spend(some, int(PART + 2 * per_second)) == pytest.approx(2)
    assert connections.spend(little, int(PART)) == 0
    clock.now += 2
    assert connections.spend(some, 0) == pytest.approx(0)
    clock.now += 8
    assert [connections.spend(line, 0) for line in (flood, some)] == pytest.approx([0, 0])
    assert connections.spend(some, 10 * int(PART)) <= AT_ONCE / PER_SECOND, "as long as it was for all of them"


def test_all_connections_of_an_address_together_send_no_more_than_its_share(clock: Clock) -> None:
    connections = Connections(DEFAULTS, clock)
    began, seconds, sent = clock.now, 60.0, 0
    ready = [(clock.now, number, line) for number, line in enumerate(lines(connections, 500))]
    while ready[0][0] < began + seconds:
        clock.now, number, line = heapq.heappop(ready)
        sent += SLICE
        heapq.heappush(ready, (clock.now + max(0.001, connections.spend(line, SLICE)), number, line))
    assert sent <= AT_ONCE + PER_SECOND * seconds + 2 * 500 * SLICE


def test_of_who_has_gone_nothing_is_kept(clock: Clock) -> None:
    connections = Connections(DEFAULTS, clock)
    for line in lines(connections, 100):
        connections.spend(line, 1_000)
        connections.leave(line)
        assert connections.spend(line, 1_000) == 0
    assert not connections._parts._held


@asynccontextmanager
async def house(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[str, Connections]]:
    """The edge where a hall owes for a thousand seconds; a connection's part is 10 kB."""
    connections = Connections(DEFAULTS._replace(address_bytes=Share(100, 100_000), address_connections=10))
    monkeypatch.setattr("libs.edge.serve.Connections", lambda _: connections)
    async with serving(app(), 0, limits=connections.limits) as port:
        connections._bytes.spend("127.0.0.1", 10**9)
        yield f"127.0.0.1:{port}", connections


def socket(at: str) -> connect:
    return connect(f"ws://{at}/ws", proxy=None, ping_interval=None, open_timeout=BEFORE_LONG)


async def echoed(client: ClientConnection, said: str) -> bool:
    await client.send(said)
    return await asyncio.wait_for(client.recv(), BEFORE_LONG) == said


async def test_who_comes_to_an_address_that_owes_is_let_in_and_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    async with house(monkeypatch) as (at, _), socket(at) as client:
        assert await echoed(client, "hello")
        assert await echoed(client, "and more")
        async with httpx.AsyncClient(timeout=BEFORE_LONG) as web:  # one connection
            assert [(await web.get(f"http://{at}/")).status_code for _ in range(5)] == [200] * 5


async def test_whose_sender_is_known_waits_for_nothing_of_before(monkeypatch: pytest.MonkeyPatch) -> None:
    async with house(monkeypatch) as (at, connections), socket(at) as client:
        [wire] = [line for line in connections._held if isinstance(line, Wire)]
        await client.send("x" * 50_000)
        while wire._next is None or connections.spend(wire, 0) < 100:
            await asyncio.sleep(0.01)
        paid: list[int] = []

        def pays(size: int) -> float:
            paid.append(size)
            return 0.0

        wire.charge(pays)
        assert len(await asyncio.wait_for(client.recv(), BEFORE_LONG)) == 50_000
        assert await echoed(client, "hello")
        assert sum(paid) > 30_000
        assert connections.spend(wire, 0) > 100, "what came before stays where it was charged"


async def test_who_owes_is_not_read_because_an_answer_has_gone_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """uvicorn reads on after requests that were sent ahead; that was a way round every share of bytes."""
    async with house(monkeypatch) as (at, _):
        host, _, port = at.partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        asked = HEAD.replace(b"/", b"/slow", 1) + b"\r\n"
        writer.write(POST + b"content-length: 20000\r\n\r\n" + b"x" * 20_000 + asked + asked)
        heard = b""
        while heard.count(b"at last") < 2:
            heard += await asyncio.wait_for(reader.read(65536), BEFORE_LONG)
        writer.write(asked)
        with suppress(TimeoutError):
            assert not await asyncio.wait_for(reader.read(65536), 0.5)
        writer.close()
