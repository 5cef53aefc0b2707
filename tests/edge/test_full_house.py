"""Where all connections are taken, idle ones of who has most give way to who has few; nobody keeps the others out."""

import asyncio
import socket
from contextlib import suppress
from typing import Any, cast

import psutil
import pytest

from libs.edge.connections import LINGERING, Connections, Line, neighbourhood_of
from libs.edge.limits import DEFAULTS
from tests.edge.test_http_line import HEAD, edge, hear, problem, saying

FULL = 40


class Transport:
    closed = False

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True


class Open:
    """A connection that is idle unless told otherwise."""

    def __init__(self, idle: bool = True) -> None:
        self.transport = cast(asyncio.Transport, Transport())
        self.idle = idle

    def look(self, now: float) -> None:
        pass

    def is_idle(self) -> bool:
        return self.idle


class House:
    def __init__(self) -> None:
        self.now = 0.0
        self.connections = Connections(DEFAULTS._replace(connections=FULL), lambda: self.now)

    def enters(self, peer: str, line: Line | None = None) -> bool:
        """Whoever is refused leaves, and so does what was closed for it."""
        line = line or Open()
        refused = self.connections.enter(line, peer)
        for each in list(self.connections._held):
            if each.transport.is_closing() or (each is line and refused):
                self.connections.leave(each)
        return refused is None

    def of(self, peer: str) -> int:
        return len(self.connections._around.get(neighbourhood_of(peer), ()))


def test_a_few_addresses_with_all_that_they_may_hold_keep_nobody_out() -> None:
    """Found by an attacker: 21 addresses with 500 connections each."""
    house = House()
    for _ in range(FULL // 2):
        assert house.enters("198.51.100.1")
        assert house.enters("203.0.113.9")
    for number in range(8):
        house.now += 1
        assert house.enters(f"192.0.2.{number}")
    assert (house.of("192.0.2.0"), house.of("198.51.100.1"), house.of("203.0.113.9")) == (8, 16, 16)
    assert not house.enters("192.0.2.8"), "who comes has half of what others have at most"
    assert not house.enters("198.51.100.1"), "who has most gets no more"
    assert not house.enters("198.51.100.77"), "nor by another address of the same neighbourhood"


def test_as_many_networks_as_a_prefix_of_ipv6_has_are_one_neighbourhood() -> None:
    house = House()
    for number in range(FULL):
        assert house.enters(f"2001:db8:1:{number:x}::1")
    assert not house.enters("2001:db8:1:ffff::1")
    assert house.enters("2001:db8:2::1")


def test_who_found_nobody_to_give_way_is_not_followed_by_a_thousand_that_look_again() -> None:
    """Found by an attacker: nine milliseconds of the loop for each connection that is refused."""

    class Busy(Open):
        looked = 0

        def is_idle(self) -> bool:
            Busy.looked += 1
            return False

    house = House()
    for _ in range(FULL):
        assert house.enters("198.51.100.1", Busy())
    house.now += 10
    for number in range(100):
        assert not house.enters(f"192.0.2.{number}")
    assert Busy.looked == FULL
    house.now += 1
    assert not house.enters("192.0.2.1")
    assert Busy.looked == 2 * FULL


def test_nobody_at_work_and_no_player_gives_way() -> None:
    house = House()
    at_work = [Open(idle=False) for _ in range(FULL - 1)]
    for each in at_work:
        assert house.enters("198.51.100.1", each)
    idle = Open()
    assert house.enters("198.51.100.1", idle)
    assert house.enters("192.0.2.1")
    assert idle.transport.is_closing()
    assert not house.enters("192.0.2.2"), "there is none that is idle"
    assert not any(each.transport.is_closing() for each in at_work)


def test_where_nobody_has_many_the_house_is_full() -> None:
    house = House()
    for number in range(FULL):
        assert house.enters(f"10.0.{number // 2}.1")
    assert not house.enters("192.0.2.1")


def test_who_has_most_is_looked_for_once_a_second() -> None:
    house = House()
    for _ in range(FULL):
        assert house.enters("198.51.100.1")
    looks: list[Any] = []
    around = house.connections._around

    class Counted(dict[str, Any]):
        def __iter__(self) -> Any:
            looks.append(1)
            return super().__iter__()

    house.connections._around = Counted(around)
    for number in range(10):
        assert house.enters(f"192.0.{number}.1")
    assert len(looks) == 1
    house.now += 1
    assert house.enters("192.0.99.1")
    assert len(looks) == 2


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: "])
async def test_on_real_sockets(said: bytes) -> None:
    async with edge(connections=5, head_s=5.0, idle_s=5.0) as at:
        port = int(at.url.rpartition(":")[2])
        crowd = [await asyncio.open_connection("127.0.0.1", port) for _ in range(5)]
        for _, writer in crowd:
            writer.write(said)
        await asyncio.sleep(0.2)
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.9.1", 0))
        writer.write(b"GET / HTTP/1.1\r\nHost: house\r\n\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        assert await asyncio.wait_for(crowd[0][0].read(), 2) == b"", "the oldest one was ended"
        assert problem(await hear(at.url, saying(HEAD))) == (503, "too-many-connections")
        for _, each in [*crowd, (reader, writer)]:
            each.close()


async def test_who_is_refused_takes_no_descriptor_that_the_house_needs() -> None:
    """Found by an attacker: refused connections lingered without a bound, and the process could open no file."""
    async with edge(connections=FULL, address_connections=FULL, linger_s=60.0) as at:
        process, (host, port) = psutil.Process(at.pid), at.url.removeprefix("http://").split(":")
        before, lines = process.num_fds(), []
        for _ in range(300):
            with suppress(OSError):
                lines.append(socket.create_connection((host, int(port)), timeout=5))
        await asyncio.sleep(1)
        assert process.num_fds() - before <= FULL + LINGERING + 10
        for line in lines:
            line.close()
