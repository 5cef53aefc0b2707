"""People who mean no good, as bytes on sockets; and what it costs a process and everybody else meanwhile."""

import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import psutil

HEAD = b"GET / HTTP/1.1\r\nhost: house\r\n"
POST = b"POST / HTTP/1.1\r\nhost: house\r\n"
GONE = "gone"
"""A connection that was cut without an answer."""


@dataclass(slots=True)
class Cost:
    """Bytes of memory before and at worst, seconds of every answer that others got meanwhile, and their statuses."""

    before: int
    worst: int
    waits: list[float] = field(default_factory=list)
    said: Counter[int | str] = field(default_factory=Counter)
    cpu_s: float = 0.0
    """That the process used meanwhile."""

    @property
    def grown(self) -> int:
        return self.worst - self.before


@asynccontextmanager
async def watched(pid: int, url: str) -> AsyncIterator[Cost]:
    """Memory of a process, and how others are answered at `url` meanwhile: a process of their own asks."""
    process = psutil.Process(pid)
    rss = process.memory_info().rss
    cost, used = Cost(rss, rss), process.cpu_times()
    others = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _OTHERS, url, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )

    async def look() -> None:
        while True:
            cost.worst = max(cost.worst, process.memory_info().rss)
            await asyncio.sleep(0.01)

    looking = asyncio.create_task(look())
    try:
        assert others.stdout is not None
        await others.stdout.readline()
        yield cost
        await asyncio.sleep(0.2)
    finally:
        looking.cancel()
        now = process.cpu_times()
        cost.cpu_s = now.user + now.system - used.user - used.system
        out, _ = await others.communicate(b"")
    told = json.loads(out)
    cost.waits, cost.said = told["waits"], Counter(told["said"])


_OTHERS = """
import http.client, json, select, sys, time, urllib.parse
at = urllib.parse.urlsplit(sys.argv[1])
waits, said = [], []
while not select.select([sys.stdin], [], [], 0.02)[0]:
    began = time.perf_counter()
    try:
        line = http.client.HTTPConnection(at.hostname, at.port, timeout=60, source_address=("127.0.0.2", 0))
        line.request("GET", at.path or "/")
        answer = line.getresponse()
        answer.read()
        said.append(answer.status)
        line.close()
    except OSError as wrong:
        said.append(type(wrong).__name__)
    if not waits:
        print("asks", flush=True)
    waits.append(time.perf_counter() - began)
print(json.dumps({"waits": waits, "said": said}))
"""
"""Each question on a connection of its own, from another address than who floods: whoever has no session shares the
requests of the address, and `tests/e2e/test_rude_people.py` has what players there notice."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What a connection was told, and after how many seconds it was over."""

    status: int | str
    seconds: float
    text: str = ""


Speaks = Callable[[asyncio.StreamWriter], Awaitable[None]]


async def hear(url: str, speaks: Speaks, patience_s: float = 60.0) -> Heard:
    """Speaks on a connection of its own until it has nothing more to say or is cut; then waits for the end."""
    at = urlsplit(url)
    began = time.perf_counter()
    heard = b""
    try:
        reader, writer = await asyncio.open_connection(at.hostname, at.port)
    except OSError:
        return Heard(GONE, time.perf_counter() - began)
    speaking = asyncio.create_task(_spoken(speaks, writer))
    try:
        async with asyncio.timeout(patience_s):
            with suppress(ConnectionError):
                while more := await reader.read(65536):
                    heard += more
    except TimeoutError:
        return Heard("left open", time.perf_counter() - began, heard.decode("latin-1"))
    finally:
        speaking.cancel()
        writer.close()
    status = int(heard.split(b" ", 2)[1]) if heard.startswith(b"HTTP/1.1 ") else GONE
    return Heard(status, time.perf_counter() - began, heard.decode("latin-1"))


async def _spoken(speaks: Speaks, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        await speaks(writer)


def saying(*parts: bytes, pause_s: float = 0.0) -> Speaks:
    async def speaks(writer: asyncio.StreamWriter) -> None:
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(pause_s)

    return speaks


def again_and_again(first: bytes, part: bytes, most: int, pause_s: float = 0.0) -> Speaks:
    """`first`, then `part` until so many bytes are out."""
    return saying(first, *([part] * (most // len(part))), pause_s=pause_s)


async def crowd(url: str, speaks: Speaks, many: int, patience_s: float = 60.0) -> Counter[int | str]:
    """So many connections at once; what they were told."""
    heard = await asyncio.gather(*(hear(url, speaks, patience_s) for _ in range(many)))
    return Counter(each.status for each in heard)


async def crowds(url: str, speaks: Speaks, many: int, for_s: float) -> Counter[int | str]:
    """The same again and again for so many seconds."""
    until, told = time.monotonic() + for_s, Counter[int | str]()
    while time.monotonic() < until:
        told += await crowd(url, speaks, many)
    return told
