"""An HTTP server inside a service's own event loop, stopped by the service and not by a signal of its own."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from libs.edge.wire import Wire

LARGEST_FRAME = 1024 * 1024
"""Bytes of a WebSocket message that the server still hands to the application, which refuses above its own bound."""


class _Server(uvicorn.Server):
    """uvicorn without signal handlers: the process decides when to stop."""

    @contextmanager
    def capture_signals(self):  # type: ignore[no-untyped-def]
        yield


@asynccontextmanager
async def serving(app: ASGIApp, port: int, host: str = "127.0.0.1", **options: Any) -> AsyncIterator[int]:
    """Serves `app` until the block is left; yields the port (a free one was chosen for port 0)."""
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws=Wire,
        ws_max_size=LARGEST_FRAME,
        ws_per_message_deflate=False,  # small frames: compressing costs more than it saves
        timeout_graceful_shutdown=5,
        **options,
    )
    # A line for every connection that opens and closes says nothing that the metrics don't.
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    server = _Server(config)
    task = asyncio.create_task(server.serve(), name="http")
    while not server.started:
        if task.done():
            task.result()
            raise RuntimeError(f"the HTTP server did not start on port {port}")
        await asyncio.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        await task
