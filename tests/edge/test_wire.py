"""The wire against the uvicorn that is installed: open, fill, close and stop, on both event loops."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from unittest.mock import Mock

import pytest
import uvloop
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from libs.edge.serve import serving
from libs.edge.wire import HIGH, LOW, Wire, text_frame, wire_of

Talk = Callable[["Server", ClientConnection], Awaitable[None]]
FRAME = text_frame(b"x" * 1_000)


class Server:
    """One endpoint that hands its wire over, and closes when it hears a code."""

    def __init__(self) -> None:
        self.wires: list[Wire] = []
        self.over: list[int] = []

    async def talk(self, websocket: WebSocket) -> None:
        await websocket.accept()
        self.wires.append(wire_of(websocket))
        try:
            while True:
                await websocket.close(int(await websocket.receive_text()))
        except WebSocketDisconnect as gone:
            self.over.append(gone.code)


@pytest.fixture(params=[asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def talking(request: pytest.FixtureRequest) -> Callable[[Talk], Server]:
    """Runs a talk between a server and a client, then stops the server; it must have stopped within two seconds."""

    async def run(talk: Talk, server: Server) -> None:
        app = Starlette(routes=[WebSocketRoute("/", server.talk)])
        serve = serving(app, 0)
        port = await serve.__aenter__()
        client = await connect(f"ws://127.0.0.1:{port}", proxy=None, ping_interval=None)
        try:
            await talk(server, client)
        finally:
            began = time.monotonic()
            await serve.__aexit__(None, None, None)
            client.transport.abort()
        assert time.monotonic() - began < 2

    def play(talk: Talk) -> Server:
        server = Server()
        with asyncio.Runner(loop_factory=request.param) as runner:
            runner.run(asyncio.wait_for(run(talk, server), 30))
        return server

    return play


async def filled(wire: Wire) -> int:
    """Bytes written until the wire was full and stayed so: the kernel still moves some to the other side."""
    written = 0
    while not wire.full:
        while not wire.full:
            wire.put(FRAME)
            written += len(FRAME)
            await asyncio.sleep(0)
        assert written < 16 * 2**20
        await asyncio.sleep(0.05)
    return written


SIZES = [0, 1, 125, 126, 65_535, 65_536, 300_000]


@pytest.mark.parametrize("size", SIZES)
def test_a_frame_is_the_one_that_the_library_makes(size: int) -> None:
    assert text_frame(b"y" * size) == Frame(Opcode.TEXT, b"y" * size).serialize(mask=False)


@pytest.mark.parametrize("size", SIZES)
def test_ready_frames_of_every_length_stand_between_those_of_the_library(talking, size: int) -> None:
    async def talk(server: Server, client: ClientConnection) -> None:
        [wire] = server.wires
        wire.put(text_frame(b"a") + text_frame(b"y" * size))
        wire.send_keepalive_ping()
        wire.put(text_frame(b"b"))
        assert [len(await client.recv()) for _ in range(3)] == [1, size, 1]
        await client.ping("still in step")

    talking(talk)


def test_messages_are_heard_in_their_order_and_wait_while_the_wire_is_full(talking) -> None:
    async def talk(server: Server, client: ClientConnection) -> None:
        [wire] = server.wires
        heard: list[str | bytes] = []
        wire.hear(heard.append)
        await client.send("one")
        await client.send(["t", "w", "o"])
        await client.send(b"three")
        await asyncio.sleep(0.1)
        assert heard == ["one", "two", b"three"]
        client.transport.pause_reading()
        await filled(wire)
        for number in range(100):
            await client.send(str(number))
        await asyncio.sleep(0.1)
        assert heard == ["one", "two", b"three"], "nothing is taken of who does not read"
        client.transport.resume_reading()
        while len(heard) < 103:
            await asyncio.wait_for(client.recv(), 5)
        assert heard[3:] == [str(number) for number in range(100)]

    assert talking(talk).over, "ASGI still hears of the end"


def test_a_message_that_came_before_somebody_heard_is_not_lost(talking) -> None:
    async def talk(server: Server, client: ClientConnection) -> None:
        [wire] = server.wires
        heard: list[str | bytes] = []
        wire.queue.put_nowait({"type": "websocket.receive", "text": "early"})
        wire.hear(heard.append)
        await client.send("later")
        await asyncio.sleep(0.1)
        assert heard == ["early", "later"]

    talking(talk)


def test_who_does_not_read_fills_the_wire_and_room_is_told(talking) -> None:
    async def talk(server: Server, client: ClientConnection) -> None:
        [wire] = server.wires
        told: list[int] = []
        wire.on_room = lambda: told.append(wire.transport.get_write_buffer_size())
        client.transport.pause_reading()
        assert await filled(wire) < 2**20, "the kernel takes little ahead"
        told.clear()
        assert wire.transport.get_write_buffer_size() <= HIGH + len(FRAME)
        waiting = asyncio.create_task(wire.writable.wait())
        await asyncio.sleep(0.05)
        assert not waiting.done()
        client.transport.resume_reading()
        while not waiting.done():
            await asyncio.wait_for(client.recv(), 5)
        assert not wire.full
        assert [size <= LOW for size in told] == [True]

    talking(talk)


def test_who_stands_still_is_put_out_and_the_application_hears_of_it(talking, monkeypatch) -> None:
    monkeypatch.setattr("libs.edge.wire.STANDSTILL_S", 0.1)

    async def talk(server: Server, client: ClientConnection) -> None:
        client.transport.pause_reading()
        await filled(server.wires[0])
        while not server.over:
            await asyncio.sleep(0.01)

    assert len(talking(talk).over) == 1


def test_a_close_comes_after_what_was_put_and_nothing_after_a_close(talking) -> None:
    async def talk(server: Server, client: ClientConnection) -> None:
        [wire] = server.wires
        for _ in range(40):
            wire.put(FRAME)
        await client.send("4401")
        while not wire.close_sent:
            await asyncio.sleep(0)
        real, wire.transport = wire.transport, Mock(is_closing=lambda: False)
        wire.put(FRAME)
        assert not wire.transport.write.called
        wire.transport = real
        assert len([await client.recv() for _ in range(40)]) == 40
        with pytest.raises(ConnectionClosed) as closed:
            await client.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4401

    talking(talk)


@pytest.mark.parametrize("full", [False, True])
def test_a_stop_tells_whoever_reads_and_waits_for_nobody(talking, full: bool) -> None:
    async def talk(server: Server, client: ClientConnection) -> None:
        if full:
            client.transport.pause_reading()
            await filled(server.wires[0])

    assert talking(talk).over == [1012]


def test_a_refused_handshake_has_no_wire(talking) -> None:
    async def talk(server: Server, client: ClientConnection) -> None:
        host, port = client.remote_address[:2]
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n")
        assert b" 400 " in await reader.readline()
        writer.close()
        assert len(server.wires) == 1

    talking(talk)
