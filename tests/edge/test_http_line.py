"""Every bound of a public port, broken on real sockets against the edge in a process of its own."""

import asyncio
import json
import re
import socket
import struct
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.edge import rude
from tests.edge.rude import GONE, HEAD, POST, again_and_again, crowd, hear, saying
from tests.edge.server import LARGE

LOGIN = b"authorization: bearer ann\r\n"
CHUNK = b"400\r\n" + b" " * 1024 + b"\r\n"
CHUNKED = b"transfer-encoding: chunked\r\n\r\n"
SHORT = {"head_s": 0.5, "body_s": 0.5, "idle_s": 0.5, "linger_s": 0.5, "standstill_s": 0.5, "sweep_s": 0.1}


@dataclass(frozen=True, slots=True)
class Edge:
    url: str
    pid: int


@asynccontextmanager
async def edge(**limits: object) -> AsyncIterator[Edge]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.edge.server", json.dumps(SHORT | limits), stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        port = int(await process.stdout.readline())
        yield Edge(f"http://127.0.0.1:{port}", process.pid)
    finally:
        process.kill()
        await process.wait()


def problem(heard: rude.Heard) -> tuple[int | str, str]:
    found = re.search(r"urn:croupier:problem:([a-z-]+)", heard.text)
    return heard.status, found.group(1) if found else ""


def said_slowly(first: bytes, part: bytes) -> rude.Speaks:
    return again_and_again(first, part, 1000 * len(part), 0.05)


async def test_each_bound_is_answered_by_its_problem() -> None:
    async with edge() as at:
        for speaks, expected in (
            (again_and_again(HEAD, b"a: b\r\n", 10**6), (431, "head-too-large")),
            (again_and_again(HEAD + b"cookie: ", b"x" * 1000, 10**6), (431, "head-too-large")),
            (saying(b"GET /" + b"x" * 5_000 + b" HTTP/1.1\r\nhost: x\r\n\r\n"), (414, "target-too-long")),
            (again_and_again(b"GET /", b"x" * 1000, 10**6), (414, "target-too-long")),
            (saying(b"\x16\x03\x01\x02 nonsense\r\n\r\n"), (400, "malformed-request")),
            (saying(POST + b"connection: upgrade\r\nupgrade: websocket\r\n\r\n"), (400, "malformed-request")),
            (saying(POST + b"content-length: 3\r\n" + CHUNKED), (400, "malformed-request")),
            (saying(HEAD + b"host: other\r\n\r\n"), (400, "unknown-host")),
            (saying(HEAD.replace(b"/", b"/%00", 1) + b"\r\n"), (400, "malformed-address")),
            (saying(POST + LOGIN + b"content-length: 70000000\r\n\r\n", b"x" * 70_000), (413, "body-too-large")),
            (again_and_again(POST + LOGIN + CHUNKED, CHUNK, 9 * 10**6), (413, "body-too-large")),
        ):  # fmt: skip
            heard = await hear(at.url, speaks)
            assert problem(heard) == expected, heard
            assert heard.seconds < 5


async def test_who_goes_away_in_the_middle_is_no_fault_of_ours(capfd: pytest.CaptureFixture[str]) -> None:
    """Anybody can ask and reset; a traceback each would fill the disk that Kafka lies on."""
    async with edge(pipelined=8) as at:
        host, port = at.url.removeprefix("http://").split(":")
        for depth in (8, 12, 40):
            for path in (b"/slow", b"/", b"/large"):
                asked = HEAD.replace(b"/ ", path + b" ", 1) + b"\r\n"
                for read in (0, 1):
                    with socket.create_connection((host, int(port))) as line:
                        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                        line.sendall(asked * depth)
                        if read and path != b"/slow":
                            await asyncio.to_thread(line.recv, 1)
        for _ in range(10):  # without a reset, and over eight
            with socket.create_connection((host, int(port))) as line:
                line.sendall((HEAD.replace(b"/ ", b"/slow ", 1) + b"\r\n") * 12)
                await asyncio.sleep(0.3)
        heard = await hear(at.url, saying(HEAD + b"\r\n"))
        assert heard.status == 200
    assert capfd.readouterr().err == ""


async def test_the_kernel_holds_little_for_who_does_not_read() -> None:
    """It took four megabytes of each: five hundred connections of one address filled what a machine has for all."""
    async with edge(standstill_s=60, idle_s=60) as at:
        host, port = at.url.removeprefix("http://").split(":")
        with socket.socket() as line:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            line.connect((host, int(port)))
            line.sendall(HEAD.replace(b"/ ", b"/large ", 1) + b"\r\n")
            held, before = 0, -1
            while held != before or not held:
                before = held
                await asyncio.sleep(0.5)
                held = _unsent_by(int(port), line.getsockname()[1])
        assert held < 200 * 1024 < LARGE


def _unsent_by(port: int, peer: int) -> int:
    """Bytes that the kernel holds of this server's answers to that peer (Linux, `proc_net_tcp`)."""
    ends = f":{port:04X}", f":{peer:04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    [row] = [row for row in rows if row[1].endswith(ends[0]) and row[2].endswith(ends[1])]
    return int(row[4].partition(":")[0], 16)


async def test_who_is_slow_is_told_so_and_cut() -> None:
    async with edge() as at:
        post = POST + LOGIN
        for speaks, expected in (
            (saying(b"GET / HT"), (408, "request-timeout")),
            (said_slowly(HEAD, b"a: b\r\n"), (408, "request-timeout")),
            (said_slowly(post + b"content-length: 1000\r\n\r\n", b"x"), (408, "request-timeout")),
            (said_slowly(post + CHUNKED, b"1\r\nx\r\n"), (408, "request-timeout")),
            (said_slowly(post + CHUNKED + b"0\r\n", b"a: b\r\n"), (408, "request-timeout")),
            (said_slowly(b"", b"\r\n"), (GONE, "")),
            (saying(b""), (GONE, "")),
        ):
            heard = await hear(at.url, speaks)
            assert problem(heard) == expected, heard
            assert 0.4 < heard.seconds < 4


async def test_an_idle_connection_is_closed_and_a_used_one_lives_on() -> None:
    async with edge() as at:
        ask = HEAD + b"\r\n"
        heard = await hear(at.url, saying(*[ask] * 4, pause_s=0.3))
        assert heard.text.count("HTTP/1.1 200 OK") == 4
        assert heard.seconds < 4


async def test_no_body_is_read_before_the_login() -> None:
    async with edge() as at, rude.watched(at.pid, at.url) as cost:
        began = time.monotonic()
        heard = await hear(at.url, saying(POST + b"content-length: 60000\r\n\r\n"))
        assert heard.status == 401
        assert time.monotonic() - began < 4
        told = await crowd(at.url, again_and_again(POST + CHUNKED, CHUNK, 20 * 2**20), 20)
    assert set(told) <= {401, GONE}
    assert cost.grown < 20e6


async def test_who_reads_nothing_is_cut() -> None:
    async with edge() as at:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(at.url.rpartition(":")[2]), limit=1024)
        writer.write(HEAD.replace(b"/", b"/large", 1) + b"\r\n")
        await asyncio.sleep(2)
        got = 0
        async with asyncio.timeout(5):
            with suppress(ConnectionResetError):
                while part := await reader.read(65536):
                    got += len(part)
        assert got < LARGE
        writer.close()


async def test_a_flood_of_heads_is_forgotten_as_it_comes() -> None:
    """H1 in short: at 8199c68 one connection's 60 MB of heads took 1.2 GB."""
    async with edge(linger_s=2.0) as at, rude.watched(at.pid, at.url) as cost:
        told = await crowd(at.url, again_and_again(HEAD, b"a: b\r\n" * 1000, 60_000_000), 1)
        told += await crowd(at.url, again_and_again(HEAD, b"a: b\r\n" * 1000, 3_000_000), 20)
        told += await crowd(at.url, said_slowly(HEAD, b"a: b\r\n"), 200)
    print(f"grown by {cost.grown / 1e6:.1f} MB, others waited {1e3 * max(cost.waits):.0f} ms at most", dict(told))
    assert set(told) <= {431, 408, GONE}
    assert cost.grown < 30e6
    assert max(cost.waits) < 1
    assert set(cost.said) == {200}


async def test_connections_of_one_address_and_in_all() -> None:
    for limits, status in (({"address_connections": 5}, 429), ({"connections": 5}, 503)):
        async with edge(**limits, head_s=5.0, idle_s=5.0) as at:
            waiting = [await asyncio.open_connection("127.0.0.1", int(at.url.rpartition(":")[2])) for _ in range(5)]
            await asyncio.sleep(0.2)
            assert problem(await hear(at.url, saying(HEAD))) == (status, "too-many-connections")
            waiting.pop()[1].close()
            await asyncio.sleep(0.2)
            async with httpx.AsyncClient() as client:
                assert (await client.get(at.url)).status_code == 200
            for _, writer in waiting:
                writer.close()


async def test_requests_of_one_address_and_who_it_is_behind_a_proxy() -> None:
    limits = {"address_requests": [0.1, 3], "trusted_proxies": ["127.0.0.1", "10.0.0.0/8"]}
    async with edge(**limits) as at, httpx.AsyncClient() as client:

        async def ask(told: str) -> httpx.Response:
            return await client.get(at.url, headers={"x-forwarded-for": told})

        assert (await ask("6.6.6.6, 203.0.113.7, 10.1.2.3")).text == "hello 203.0.113.7"
        said = [(await ask("203.0.113.7")).status_code for _ in range(3)]
        assert said == [200, 200, 429]
        assert (await ask("203.0.113.8")).status_code == 200
        of_a_network = [(await ask(f"2001:db8::{n}")).status_code for n in range(1, 5)]
        assert of_a_network == [200, 200, 200, 429]
        twice = [("x-forwarded-for", "203.0.113.9"), ("authorization", "a"), ("authorization", "b")]
        refused = [(await client.get(at.url, headers=twice)).status_code for _ in range(4)]
        assert refused == [400, 400, 400, 429]  # what is refused counts, too
    async with edge() as at, httpx.AsyncClient() as client:
        assert (await client.get(at.url, headers={"x-forwarded-for": "203.0.113.7"})).text == "hello 127.0.0.1"


async def test_sockets_behind_a_proxy_count_by_their_own_address() -> None:
    async with edge(address_connections=2, trusted_proxies=["127.0.0.1"]) as at:

        def socket(told: str) -> connect:
            headers = {"x-forwarded-for": told}
            return connect(at.url.replace("http", "ws") + "/ws", additional_headers=headers, proxy=None)

        async with socket("203.0.113.7"), socket("203.0.113.8"), socket("203.0.113.7"):
            with pytest.raises(InvalidStatus) as full:
                await socket("203.0.113.7")
            assert full.value.response.status_code == 429
        await asyncio.sleep(0.2)
        async with socket("203.0.113.7") as again:
            await again.send("there")
            assert await again.recv() == "there"


async def test_every_answer_carries_what_keeps_browsers_away_and_none_redirects() -> None:
    async with edge(hosts=["house.example"], hsts_s=600) as at, httpx.AsyncClient() as client:
        for path, status in (("/", 200), ("/folder", 404), ("/nowhere", 404), ("/%00", 400)):
            answer = await client.get(at.url + path, headers={"host": "house.example:8443"})
            assert answer.status_code == status
            for name, value in (
                ("cache-control", "no-store"),
                ("x-content-type-options", "nosniff"),
                ("x-frame-options", "DENY"),
                ("referrer-policy", "no-referrer"),
                ("strict-transport-security", "max-age=600"),
            ):
                assert answer.headers[name] == value, (path, name)
            assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        evil = await client.get(at.url, headers={"host": "evil.example"})
        assert (evil.status_code, "evil" in str(evil.headers) + evil.text) == (400, False)


async def test_a_websocket_is_read_no_faster_than_its_share_and_others_have_theirs() -> None:
    """H3 in short: what 200 sockets say waits in the kernel, not in turns of the loop."""
    async with edge(address_bytes=[200_000, 400_000]) as at, rude.watched(at.pid, at.url) as cost:
        heard = 0

        async def flood() -> None:
            async with connect(at.url.replace("http", "ws") + "/ws", proxy=None, open_timeout=30) as socket:
                listening = asyncio.create_task(listen(socket))
                with suppress(TimeoutError):
                    async with asyncio.timeout(3):
                        while True:
                            await socket.send("x" * 20)
                            await asyncio.sleep(0)
                listening.cancel()
                socket.transport.abort()

        async def listen(socket: ClientConnection) -> None:
            nonlocal heard
            async for _ in socket:
                heard += 1

        await asyncio.gather(*(flood() for _ in range(20)))
    print(f"{heard} messages heard, grown by {cost.grown / 1e6:.1f} MB, others {1e3 * max(cost.waits):.0f} ms at most")
    assert heard < 12_000
    assert max(cost.waits) < 1


@pytest.mark.parametrize("fragment", [b"", b"x"])
async def test_a_message_of_endless_fragments_ends_its_connection(fragment: bytes) -> None:
    async with edge() as at, connect(at.url.replace("http", "ws") + "/ws", proxy=None) as socket:
        with pytest.raises(ConnectionClosed):
            await socket.send(fragment.decode() for _ in range(100_000))
