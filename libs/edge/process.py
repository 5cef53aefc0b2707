"""A service's process: runs until SIGTERM or SIGINT asks it to stop, or until one of its parts fails."""

import asyncio
import signal
from contextlib import AbstractAsyncContextManager

import uvloop

from libs.telemetry import get_logger


def run_until_told(service: str, running: AbstractAsyncContextManager["asyncio.Task[None]"]) -> None:
    """Enters `running` and waits. A part that ends by itself ends the process, loudly, with what it raised."""
    uvloop.run(_attend(service, running))


async def _attend(service: str, running: AbstractAsyncContextManager["asyncio.Task[None]"]) -> None:
    log = get_logger(service)
    told = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, told.set)
    async with running as task:
        log.info("service is up")
        waiting = asyncio.create_task(told.wait())
        await asyncio.wait([task, waiting], return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if task.done():
            log.critical("service failed", exc_info=task.exception())
            task.result()
            raise RuntimeError(f"{service} ended by itself")
    log.info("service stopped as told")
