"""The platforms' door, one of its own beside the stack's, which Prometheus watches."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from aiokafka.errors import KafkaError

from libs.broker import Broker
from libs.door.frames import MOST_WAITING
from libs.stack.home import Home
from libs.stack.platforms import add_platform
from libs.stack.ports import free_port
from tests.door.asking import logged_in, request

if TYPE_CHECKING:
    from tests.watching.drill import Drill

_PLATFORM = "drill"
_MANY = 40
"""Connections; sixteen of one address find a place."""


class Door:
    """A process; nothing else of the house minds it."""

    def __init__(self, it: "Drill") -> None:
        ports = Home(it.at.stack.home).ports()
        assert ports is not None
        self.port, self.inner_port = free_port(), free_port()
        routes = {f"127.0.0.1:{self.port}": f"127.0.0.1:{ports.behind[0]}"}
        self._environment = {
            **os.environ,
            "CROUPIER_DOOR_ROUTES": json.dumps(routes),
            "CROUPIER_INNER_PORT": str(self.inner_port),
            "CROUPIER_LOG_FILE": str(it.at.house.home / "logs" / "drill-door.jsonl"),
        }
        self._process: subprocess.Popen[bytes] | None = None

    async def open(self) -> None:
        self._process = await asyncio.to_thread(self._started)
        while True:
            with suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.close()
                return
            await asyncio.sleep(0.1)

    def _started(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-m", "libs.door"], env=self._environment)

    def close(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(20)


async def opened(it: "Drill") -> None:
    if it.door is None:
        await add_platform(it.at.stack, _PLATFORM)
        door = Door(it)
        await door.open()
        it.door = door
        it.prometheus.aim(door=door.inner_port)
        await asyncio.sleep(3)


def _broker(it: "Drill") -> Broker:
    assert it.door is not None
    return replace(it.at.stack.platform(f"platform-{_PLATFORM}"), bootstrap=f"127.0.0.1:{it.door.port}")


async def unasked(it: "Drill") -> None:
    """A record is brought before anybody has logged in."""
    await opened(it)
    await _came(it, request(0, 8, b""))


async def full(it: "Drill") -> None:
    """One platform comes again and again, and keeps what it has."""
    await opened(it)
    lines = []
    try:
        for _ in range(_MANY):
            with suppress(OSError, KafkaError):
                lines.append(await logged_in(_broker(it)))
            await asyncio.sleep(0.4)
    finally:
        for line in lines:
            line.close()


async def crowded(it: "Drill") -> None:
    """Connections that say nothing, more than may wait for a login."""
    await opened(it)
    lines = []
    try:
        for number in range(MOST_WAITING + _MANY):
            lines.append((await asyncio.open_connection("127.0.0.1", it.door.port))[1])  # type: ignore[union-attr]
            if number >= MOST_WAITING:
                await asyncio.sleep(0.4)
    finally:
        for writer in lines:
            writer.transport.abort()


async def gone(it: "Drill") -> None:
    await opened(it)
    assert it.door is not None
    await asyncio.to_thread(it.door.close)


async def back(it: "Drill") -> None:
    assert it.door is not None
    await it.door.open()


async def _came(it: "Drill", said: bytes) -> None:
    assert it.door is not None
    _, writer = await asyncio.open_connection("127.0.0.1", it.door.port)
    writer.write(said)
    await writer.drain()
    await asyncio.sleep(1)
    writer.close()
