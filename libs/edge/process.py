"""A service's process: runs until SIGTERM or SIGINT asks it to stop, or until one of its parts fails."""

import asyncio
import gc
import signal
import sys
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any

import uvloop
from aiokafka import conn
from aiokafka.errors import KafkaConnectionError, KafkaError

from libs import integrity
from libs.broker import Broker, LoginRefused, check_login
from libs.journal.log import LogRewritten
from libs.projecting import DatabaseRefused, MigrationChanged
from libs.sealing.key_files import BadKey
from libs.telemetry import get_logger

_send = conn.AIOKafkaConnection.send


def take_broken_lines_as_such() -> None:
    """From now on, in this process, a write to a transport that is closed already is a `KafkaConnectionError`.

    aiokafka 0.14 (pinned) expects an OSError there, as asyncio has it; uvloop raises a RuntimeError (aiokafka issue
    1038), which passed every handler and ended the process when a broker stayed away.
    """
    conn.AIOKafkaConnection.send = _send_or_broken


def _send_or_broken(self: conn.AIOKafkaConnection, request: Any, expect_response: bool = True) -> Any:
    try:
        return _send(self, request, expect_response)
    except KafkaError:  # these are RuntimeErrors, too
        raise
    except RuntimeError as wrong:
        self.close(reason=conn.CloseReason.CONNECTION_BROKEN)
        raise KafkaConnectionError(f"Connection at {self.host}:{self.port} broken: {wrong}") from wrong


_YOUNG = 20_000
"""Objects made before the collector looks among them. Our own structs are frozen and never in a circle."""


def run_until_told(service: str, running: AbstractAsyncContextManager[Any], broker: Broker | None = None) -> None:
    """Enters `running` and waits. Where it yields a task, that task's end is the service's, loudly.

    What a person has to mend before it can start (files that were altered, a key, a login that `broker` refuses, a
    schema, a log that is not the one that was read before) is one line.
    """
    take_broken_lines_as_such()
    try:
        integrity.check(service=service)
        uvloop.run(_attend(service, running, broker))
    except (BadKey, DatabaseRefused, LoginRefused, MigrationChanged, integrity.ProgramAltered) as wrong:
        get_logger(service).critical("service can't start", reason=str(wrong))
        sys.exit(f"{service}: {wrong}")
    except Exception as wrong:
        if (rewritten := _rewritten(wrong)) is None:
            raise
        get_logger(service).critical("the log was rewritten: service ends", reason=str(rewritten))
        sys.exit(f"{service}: the log was rewritten: {rewritten}")


def _rewritten(wrong: BaseException) -> LogRewritten | None:
    """Among what parts that ran together have raised."""
    if isinstance(wrong, BaseExceptionGroup):
        return next(filter(None, map(_rewritten, wrong.exceptions)), None)
    return wrong if isinstance(wrong, LogRewritten) else None


async def _attend(service: str, running: AbstractAsyncContextManager[Any], broker: Broker | None) -> None:
    log = get_logger(service)
    if broker is not None:
        await check_login(broker)
    told = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, told.set)
    async with running as part:
        # What is there now stays: the collector would go through all of it, a tenth of a second each time.
        gc.collect()
        gc.freeze()
        gc.set_threshold(_YOUNG, 20, 20)
        log.info("service is up")
        checking = asyncio.create_task(_check_daily(service))
        waiting = asyncio.create_task(told.wait())
        watched = {waiting, part} if isinstance(part, asyncio.Task) else {waiting}
        await asyncio.wait(watched, return_when=asyncio.FIRST_COMPLETED)
        checking.cancel()
        if not waiting.done():
            waiting.cancel()
            log.critical("service failed", exc_info=part.exception())
            part.result()
            raise RuntimeError(f"{service} ended by itself")
    log.info("service stopped as told")


async def _check_daily(service: str) -> None:
    """Told, and no more: ending a house that plays is for people to decide."""
    while True:
        await asyncio.sleep(integrity.EVERY_S)
        with suppress(integrity.ProgramAltered):
            await asyncio.to_thread(integrity.check, service=service)
