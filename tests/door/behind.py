"""A broker that is only a port, the door before it, and who comes in by it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from struct import pack

from prometheus_client import REGISTRY

from libs.door.door import Door, Doorway
from tests.door.asking import framed, request

SAID = b"n,,n=platform-acme,r=x"


def login_of(said: bytes) -> bytes:
    return request(17, 1, b"\0\0") + 2 * request(36, 1, framed(said))


LOGIN = login_of(SAID)
GOOD, BAD = framed(pack(">ih", 7, 0)), framed(pack(">ih", 7, 58))


class Behind:
    """Takes what comes, calls each login good (or answers what it is given), and then says what it is told to."""

    def __init__(self, *answers: bytes) -> None:
        self.answers = answers or 3 * (GOOD,)
        self.got = bytearray()
        self.visits = 0
        self.says = b""
        self.said = 0

    async def let_in(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.visits += 1
        for answer in self.answers:
            try:
                head = await reader.readexactly(4)
                self.got += head + await reader.readexactly(int.from_bytes(head, "big"))
            except (asyncio.IncompleteReadError, ConnectionResetError):
                break
            writer.write(answer)
        while chunk := await reader.read(64 * 1024):
            self.got += chunk
            while self.says:
                writer.write(self.says)
                await writer.drain()
                self.said += len(self.says)
        writer.close()


@asynccontextmanager
async def opened(behind: Behind, most: int = 4, most_of_address: int = 4, most_of_login: int = 4) -> AsyncIterator[int]:
    server = await asyncio.start_server(behind.let_in, "127.0.0.1", 0)
    way = Doorway("127.0.0.1", 0, f"127.0.0.1:{server.sockets[0].getsockname()[1]}")
    async with Door(most, most_of_address, most_of_login).open(way) as port:
        yield port
    server.close()


def refused(reason: str) -> float:
    return REGISTRY.get_sample_value("croupier_door_refused_total", {"reason": reason}) or 0.0


async def inside(
    port: int, address: str = "127.0.0.1", login: bytes = LOGIN
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Raises `IncompleteReadError` and OSError where the login is not called good."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
    writer.write(login)
    try:
        assert await asyncio.wait_for(reader.readexactly(3 * len(GOOD)), 5) == 3 * GOOD
    except BaseException:
        writer.close()
        raise
    return reader, writer
