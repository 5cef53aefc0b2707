"""A server that vanishes without a word and is there again under another address, as a deleted pod is.

Each address is in a network namespace of its own, at the end of a pair of virtual cables: when the far end is taken
down, nothing answers any more, not even the system. Wants root and `ip`.
"""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

_numbers = count(1)
MISSING = None if shutil.which("ip") and os.geteuid() == 0 else "wants root and ip(8)"
PORT = 7000
_PIPE = """
import asyncio, sys
async def carry(source, sink):
    while chunk := await source.read(65536):
        sink.write(chunk)
        await sink.drain()
    sink.close()
async def let_in(reader, writer):
    there_reader, there_writer = await asyncio.open_unix_connection(sys.argv[1])
    await asyncio.gather(carry(reader, there_writer), carry(there_reader, writer), return_exceptions=True)
async def main():
    server = await asyncio.start_server(let_in, sys.argv[2], int(sys.argv[3]))
    print("there", flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


@dataclass(slots=True)
class Elsewhere:
    """`host` is where the server is now, on `PORT`; `move` has it vanish there and come back under another address."""

    folder: Path
    target: int
    """Port of the server on this machine."""
    host: str = ""
    _spaces: list[str] = field(default_factory=list)
    _pipes: list[asyncio.subprocess.Process] = field(default_factory=list)

    async def move(self) -> None:
        if self._spaces:
            _ip("-n", self._spaces[-1], "link", "set", "far", "down")
        number = next(_numbers)
        subnet, base = f"10.213.{os.getpid() % 250}", number % 60 * 4
        near, space = f"cr{os.getpid()}n{number}"[:15], f"cr{os.getpid()}-{number}"
        _ip("netns", "add", space)
        self._spaces.append(space)
        _ip("link", "add", near, "type", "veth", "peer", "name", "far", "netns", space)
        _ip("addr", "add", f"{subnet}.{base + 1}/30", "dev", near)
        _ip("link", "set", near, "up")
        self.host = f"{subnet}.{base + 2}"
        _ip("-n", space, "addr", "add", f"{self.host}/30", "dev", "far")
        _ip("-n", space, "link", "set", "far", "up")
        pipe = await asyncio.create_subprocess_exec(
            *("ip", "netns", "exec", space, sys.executable, "-c", _PIPE),
            *(str(self.folder / "door"), self.host, str(PORT)),
            stdout=subprocess.PIPE,
        )
        self._pipes.append(pipe)
        assert pipe.stdout is not None
        await pipe.stdout.readline()

    async def let_in(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self.target)
        with suppress(OSError):
            await asyncio.gather(_carry(reader, there_writer), _carry(there_reader, writer))

    async def end(self) -> None:
        for pipe in self._pipes:
            pipe.kill()
            await pipe.wait()
        for space in self._spaces:
            _ip("-n", space, "link", "del", "far")
            _ip("netns", "del", space)


@asynccontextmanager
async def elsewhere(folder: Path, target: int) -> AsyncIterator[Elsewhere]:
    there = Elsewhere(folder, target)
    server = await asyncio.start_unix_server(there.let_in, folder / "door")
    try:
        await there.move()
        yield there
    finally:
        await there.end()
        server.close()


async def _carry(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while chunk := await source.read(65536):
        sink.write(chunk)
        await sink.drain()
    sink.close()


def _ip(*what: str) -> None:
    subprocess.run(["ip", *what], check=True)
