"""Until the past has been read the gateway shows nothing and takes nothing."""

from collections.abc import AsyncIterator

import httpx
import pytest
import pytest_asyncio
from fastapi import FastAPI
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from libs.edge.serve import serving
from services.gateway.http.application import ShutUntil


class Door:
    open = False


async def _hello(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text("hello")
    await socket.close()


@pytest_asyncio.fixture
async def door() -> AsyncIterator[tuple[Door, int]]:
    door = Door()
    app = FastAPI()
    app.add_middleware(ShutUntil, is_open=lambda: door.open)
    app.get("/v1/tables")(lambda: {"tables": []})
    app.router.routes.append(WebSocketRoute("/v1/ws", _hello))
    async with serving(app, 0) as port:
        yield door, port


async def test_shut_it_answers_503_and_refuses_sockets(door: tuple[Door, int]) -> None:
    _, port = door
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        refused = await client.get("/v1/tables")
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        assert refused.json()["type"] == "urn:croupier:problem:restoring"
    with pytest.raises(InvalidStatus) as shut:
        await connect(f"ws://127.0.0.1:{port}/v1/ws")
    assert shut.value.response.status_code == 503


async def test_open_it_lets_everybody_in(door: tuple[Door, int]) -> None:
    opened, port = door
    opened.open = True
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        assert (await client.get("/v1/tables")).status_code == httpx.codes.OK
    async with connect(f"ws://127.0.0.1:{port}/v1/ws") as socket:
        assert await socket.recv() == "hello"
