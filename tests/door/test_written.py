"""What a login may have the broker write down counts for all its connections together, and as long as it matters."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from prometheus_client import REGISTRY

from libs.door import frames, written
from libs.door.door import Door, Doorway
from libs.door.written import Written
from tests.door.asking import metadata, request
from tests.door.behind import LOGIN, Behind, inside, login_of, opened

SIZE = 8_000
OTHER = login_of(b"n,,n=platform-other,r=x")


def written_down(kind: int = frames.COMMIT) -> bytes:
    found = request(kind, 2, bytes(SIZE - 15))
    assert len(found) == SIZE
    return found


def slowed() -> float:
    return REGISTRY.get_sample_value("croupier_door_slowed_total") or 0.0


def here() -> bool:
    return False


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three requests at once, and then two a second."""
    monkeypatch.setattr(written, "BYTES_AT_ONCE", 3 * SIZE)
    monkeypatch.setattr(written, "BYTES_S", 2 * SIZE)


async def came(behind: Behind, size: int, since: float) -> float:
    """Seconds from then until the broker has got so much."""
    async with asyncio.timeout(10):
        while len(behind.got) < size:
            await asyncio.sleep(0.01)
    assert len(behind.got) == size
    return asyncio.get_running_loop().time() - since


@pytest.mark.parametrize("kind", frames.WRITTEN_DOWN)
async def test_commits_come_no_faster_than_a_reader_needs_them(kind: int) -> None:
    """For each of these bytes the broker writes seven; what is asked beside them waits behind them."""
    behind, before = Behind(), slowed()
    async with opened(behind) as port:
        _, writer = await inside(port)
        began = asyncio.get_running_loop().time()
        writer.write(5 * written_down(kind) + metadata())
        assert await came(behind, len(LOGIN) + 3 * SIZE, began) < 0.4
        assert 0.9 < await came(behind, len(LOGIN) + 5 * SIZE + len(metadata()), began) < 3
        assert slowed() == before + 2
        writer.close()


async def test_two_connections_of_a_login_have_no_more_than_one() -> None:
    """Found by an attacker: the bound was each connection's, so sixteen had sixteen times as much."""
    behind = Behind()
    async with opened(behind) as port:
        writers = [(await inside(port))[1] for _ in range(2)]
        began = asyncio.get_running_loop().time()
        for writer in writers:
            writer.write(3 * written_down())
        assert await came(behind, 2 * len(LOGIN) + 3 * SIZE, began) < 0.4
        assert 1.4 < await came(behind, 2 * len(LOGIN) + 6 * SIZE, began) < 4
        for writer in writers:
            writer.close()


async def test_who_leaves_and_comes_again_has_nothing_anew() -> None:
    behind = Behind()
    async with opened(behind) as port:
        began = asyncio.get_running_loop().time()
        for number in range(1, 6):
            _, writer = await inside(port)
            writer.write(written_down())
            await came(behind, number * (len(LOGIN) + SIZE), began)
            writer.close()
        assert asyncio.get_running_loop().time() - began > 0.9


@asynccontextmanager
async def two_brokers(*behinds: Behind) -> AsyncIterator[list[int]]:
    servers = [await asyncio.start_server(each.let_in, "127.0.0.1", 0) for each in behinds]
    ways = [Doorway("127.0.0.1", 0, f"127.0.0.1:{each.sockets[0].getsockname()[1]}") for each in servers]
    door = Door(4, 4, 4)
    async with door.open(ways[0]) as one, door.open(ways[1]) as two:
        yield [one, two]
    for each in servers:
        each.close()


async def test_the_ways_to_all_brokers_count_together() -> None:
    behinds = [Behind(), Behind()]
    async with two_brokers(*behinds) as ports:
        writers = [(await inside(port))[1] for port in ports]
        began = asyncio.get_running_loop().time()
        writers[0].write(3 * written_down())
        await came(behinds[0], len(LOGIN) + 3 * SIZE, began)
        writers[1].write(written_down())
        assert await came(behinds[1], len(LOGIN) + SIZE, began) > 0.4
        for writer in writers:
            writer.close()


async def test_another_login_does_not_wait_for_it() -> None:
    behind = Behind()
    async with opened(behind) as port:
        _, mine = await inside(port)
        mine.write(9 * written_down())
        await asyncio.sleep(0.1)
        _, other = await inside(port, login=OTHER)
        began, got = asyncio.get_running_loop().time(), len(behind.got)
        other.write(written_down())
        assert await came(behind, got + SIZE, began) < 0.4
        mine.close()
        other.close()


async def test_who_gives_up_waiting_is_passed_on_no_more_and_not_counted() -> None:
    """A client whose request takes too long closes, comes again and asks again: it would wait behind itself."""
    behind = Behind()
    async with opened(behind, most=8, most_of_address=8, most_of_login=8) as port:
        _, first = await inside(port)
        first.write(4 * written_down())
        began = asyncio.get_running_loop().time()
        await came(behind, len(LOGIN) + 3 * SIZE, began)
        for _ in range(4):
            _, gone = await inside(port)
            gone.write(written_down())
            await asyncio.sleep(0.02)
            gone.close()
        _, again = await inside(port)
        again.write(written_down())
        took = await came(behind, 6 * len(LOGIN) + 5 * SIZE, began)
        assert 0.8 < took < 2.4, "the fourth and the fifth, and nothing of the four between them"
        for writer in (first, again):
            writer.close()


async def test_of_a_login_that_has_all_of_its_share_again_nothing_is_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(written, "BYTES_S", 1_000 * SIZE)
    it = Written()
    for number in range(300):
        assert await it.turn(f"platform-{number}", SIZE, here)
        if not number % 50:
            await asyncio.sleep(0.01)
    assert len(it._shares) <= 51
    monkeypatch.setattr(written, "BYTES_S", SIZE)
    assert await it.turn("platform-slow", 3 * SIZE, here)
    assert await it.turn("platform-new", SIZE, here)
    assert {"platform-slow", "platform-new"} <= it._shares.keys(), "who has used it up is not forgotten"
