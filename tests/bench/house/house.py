"""The services of a checkout as processes on a stack, and the processes of the bench itself."""

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from libs.broker import Broker
from libs.stack import Stack, postgres
from libs.stack.home import Home
from services.cli.house import House, build_house
from tests.bench.house.meters import Reading, cpu, sizes

_PATIENCE_S = 1_800.0
"""Thousands of players take their seats in minutes."""
_LINE = 512 * 2**20
"""Bytes of the longest line that a process of the bench may say."""


class BenchFailed(RuntimeError):
    """A process of the bench ended before its work; one sentence."""


@dataclass(slots=True)
class Code:
    """A checkout and the interpreter of its own environment."""

    folder: Path

    @property
    def python(self) -> str:
        own = self.folder / ".venv" / "bin" / "python"
        return str(own) if own.exists() else sys.executable

    async def run(self, *arguments: str, broker: Broker | None = None) -> "asyncio.subprocess.Process":
        """`broker`: what it is to come to, told as services are."""
        told = broker.environment() if broker else {}
        return await asyncio.create_subprocess_exec(
            self.python, *arguments, cwd=self.folder, env={"PYTHONPATH": str(self.folder), "PATH": "", **told},
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=_LINE,
        )  # fmt: skip


@asynccontextmanager
async def opened(stack: Stack, code: Code, prefix: str, **gateway: str) -> AsyncIterator[House]:
    """A house of that checkout's services, each ready. `gateway`: what its gateway is told beside the usual."""
    house = build_house(stack, stack.home / f"house-{prefix}", prefix)
    for process in house.processes.values():
        process.python, process.folder = code.python, code.folder
    house.processes["gateway"].environment |= gateway
    try:
        await house.start()
        yield house
    finally:
        await house.stop()


class Script:
    """A process of the bench that says one line for each thing it is told."""

    def __init__(self, process: "asyncio.subprocess.Process") -> None:
        self._process = process

    def tell(self, what: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(what).encode() + b"\n")

    async def hear(self) -> str:
        assert self._process.stdout is not None
        line = await asyncio.wait_for(self._process.stdout.readline(), _PATIENCE_S)
        if not line:
            raise BenchFailed("a process of the bench ended early")
        return line.decode().strip()

    async def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), 20)
        except TimeoutError:
            self._process.kill()

    def finish(self) -> None:
        """No more to tell; it says its last line."""
        assert self._process.stdin is not None
        self._process.stdin.write_eof()

    @property
    def pid(self) -> int:
        return self._process.pid


class Meter:
    """Reads processor and bytes of a house, its stack and whoever plays."""

    def __init__(self, stack: Stack, named: Mapping[str, int | list[int]]) -> None:
        """`named`: a process, or several that count as one."""
        where = Home(stack.home)
        database = postgres.pid(where)
        self._data = where.kafka(1) / "data"
        self._processes = {name: pid if isinstance(pid, list) else [pid] for name, pid in named.items()}
        self._processes["Kafka"] = list(stack.kafka_pids)
        self._processes["PostgreSQL"] = [database] if database else []

    def read(self) -> Reading:
        return Reading(time.monotonic(), cpu(self._processes), sizes(self._data))

    async def over(self, seconds: float) -> tuple[Reading, Reading]:
        """From now on, for so long."""
        before = self.read()
        await asyncio.sleep(seconds)
        return before, self.read()


def pids(house: House) -> dict[str, int]:
    return {name: each.process.pid for name, each in house.processes.items() if each.process is not None}


def written(before: Reading, after: Reading, prefix: str) -> dict[str, int]:
    """Bytes by topic of this house, and of the broker's own topics; one that was compacted meanwhile is left out."""
    grown = {topic: size - before.sizes.get(topic, 0) for topic, size in after.sizes.items()}
    return {
        topic.removeprefix(prefix): size
        for topic, size in sorted(grown.items())
        if size > 0 and (topic.startswith((prefix, "__")))
    }


def spent(before: Reading, after: Reading, of: Sequence[str]) -> dict[str, float]:
    return {name: after.seconds[name] - before.seconds[name] for name in of}
