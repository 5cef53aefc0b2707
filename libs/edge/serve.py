"""HTTP servers inside a service's own event loop, stopped by the service and not by signals of their own."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, contextmanager
from typing import Any, NamedTuple

import uvicorn
from starlette.types import ASGIApp

from libs.edge.connections import Connections
from libs.edge.front import Front
from libs.edge.http_line import HttpLine
from libs.edge.limits import DEFAULTS, EdgeSettings, InnerSettings, Limits
from libs.edge.wire import Wire

LARGEST_FRAME = 128 * 1024
"""Bytes of a WebSocket message that the server still hands to the application, which refuses above its own bound."""


class Ports(NamedTuple):
    """Where a service listens."""

    public: int
    inner: int


class _Config(uvicorn.Config):
    """uvicorn's, by which its protocols find the connections of their port."""

    def __init__(self, app: ASGIApp, connections: Connections, **options: Any) -> None:
        super().__init__(Front(app, connections), **options)
        self.connections = connections


class _Server(uvicorn.Server):
    """uvicorn without signal handlers: the process decides when to stop."""

    @contextmanager
    def capture_signals(self):  # type: ignore[no-untyped-def]
        yield


async def _nothing() -> None:
    pass


@asynccontextmanager
async def serving(
    app: ASGIApp,
    port: int,
    host: str = "127.0.0.1",
    limits: Limits = DEFAULTS,
    leaving: Callable[[], Awaitable[None]] = _nothing,
    **options: Any,
) -> AsyncIterator[int]:
    """Serves `app` until the block is left; yields the port (a free one was chosen for port 0).

    `leaving` runs when nobody comes in any more and who is inside still is.
    """
    connections = Connections(limits)
    config = _Config(
        app,
        connections,
        host=host,
        port=port,
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(limits.trusted_proxies),
        forwarded_allow_ips=list(limits.trusted_proxies),
        http=HttpLine,
        ws=Wire,
        ws_max_size=LARGEST_FRAME,
        ws_per_message_deflate=False,  # small frames: compressing costs more than it saves
        timeout_keep_alive=limits.idle_s,
        timeout_graceful_shutdown=5,
        **options,
    )
    # A line for every connection that opens, closes or breaks a bound says nothing that the metrics don't.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    server = _Server(config)
    task = asyncio.create_task(server.serve(), name="http")
    while not server.started:
        if task.done():
            task.result()
            raise RuntimeError(f"the HTTP server did not start on port {port}")
        await asyncio.sleep(0.01)
    sweeping = asyncio.create_task(connections.sweep(), name="sweep")
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        for listening in server.servers:
            listening.close()
        await leaving()
        server.should_exit = True
        await task
        sweeping.cancel()


@asynccontextmanager
async def serving_inside(inner: ASGIApp, settings: InnerSettings) -> AsyncIterator[int]:
    """Health and metrics of a process; yields their port."""
    async with serving(inner, settings.inner_port, settings.inner_host) as port:
        yield port


@asynccontextmanager
async def serving_both(
    app: ASGIApp, inner: ASGIApp, settings: EdgeSettings, leaving: Callable[[], Awaitable[None]] = _nothing
) -> AsyncIterator[Ports]:
    """The public port beside it, which closes first: who is inside still gets an answer."""
    async with (
        serving_inside(inner, settings) as beside,
        serving(app, settings.http_port, settings.http_host, settings.limits(), leaving) as port,
    ):
        yield Ports(port, beside)
