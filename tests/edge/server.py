"""The edge alone as a process of its own: `python -m tests.edge.server LIMITS`, which says its port.

`GET /` answers, `GET /large` at length, `POST /` reads a body after the login `bearer ann`, `/ws` says back what it
hears.
"""

import asyncio
import json
import sys
from typing import Any

import uvloop
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from libs.edge.handlers import add_edge
from libs.edge.limits import DEFAULTS, Limits
from libs.edge.problems import Problem
from libs.edge.serve import serving
from libs.edge.shares import Share
from libs.edge.wire import text_frame, wire_of

LARGE = 40_000_000


async def hello(request: Request) -> Response:
    return PlainTextResponse(f"hello {request.client.host if request.client else ''}")


async def large(_: Request) -> Response:
    return PlainTextResponse("x" * LARGE)


async def slow(_: Request) -> Response:
    await asyncio.sleep(0.1)
    return PlainTextResponse("at last")


async def read(request: Request) -> Response:
    if request.headers.get("authorization") != "bearer ann":
        raise Problem(401, "unauthorized")
    return PlainTextResponse(str(len(await request.body())))


async def echo(websocket: WebSocket) -> None:
    await websocket.accept()
    wire = wire_of(websocket)
    wire.hear(lambda said: wire.put(text_frame(said.encode() if isinstance(said, str) else said)))
    await websocket.receive()


def app() -> Starlette:
    made = Starlette(
        routes=[
            Route("/", hello),
            Route("/", read, methods=["POST"]),
            Route("/large", large),
            Route("/slow", slow),
            Route("/folder/", hello),
            WebSocketRoute("/ws", echo),
        ]
    )
    add_edge(made)
    return made


def limits(given: dict[str, Any]) -> Limits:
    shares: dict[str, Any] = {
        name: Share(*given.pop(name)) for name in ("address_requests", "address_bytes") if name in given
    }
    return DEFAULTS._replace(**given, **shares)


async def main(given: str) -> None:
    async with serving(app(), 0, limits=limits(json.loads(given))) as port:
        print(port, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1]))
