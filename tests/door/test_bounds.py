"""A door before a broker that is only a port: what one connection may cost, and when it ends."""

import asyncio
import contextlib
from contextlib import suppress
from struct import pack

import httpx
import pytest
from prometheus_client import REGISTRY

from libs.door import door, frames
from libs.door.__main__ import running
from libs.door.door import Door, Doorway
from libs.door.frames import COMMIT, MOST_WAITING
from libs.door.settings import DoorSettings
from libs.door.waiting import Waiting
from libs.stack.ports import free_port
from tests.door.asking import compact, framed, metadata, request, versions
from tests.door.behind import BAD, GOOD, LOGIN, SAID, Behind, inside, login_of, opened, refused

HALF = metadata()[:9]


async def ended(port: int, sent: bytes) -> float:
    """Seconds until the connection is over, without an answer but the login's."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    try:
        assert (3 * GOOD).startswith(await asyncio.wait_for(reader.read(), 10))
    except ConnectionResetError:
        pass
    finally:
        writer.close()
    return loop.time() - began


def standing(what: str) -> float:
    return REGISTRY.get_sample_value(f"croupier_door_{what}") or 0.0


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in (("LOGIN_S", 2.0), ("FRAME_S", 0.7), ("IDLE_S", 1.0)):
        monkeypatch.setattr(frames, name, seconds)
    monkeypatch.setattr(door, "IDLE_S", 1.0)


@pytest.mark.parametrize(
    ("come", "out"),
    [
        # Found by an attacker: a hundred silent addresses, and no platform came in.
        ([("platform", True), ("a", False), ("b", False), ("c", False), ("d", False)], ["a", "b"]),
        ([("a", True), ("a", True), ("a", True), ("platform", False)], ["a"]),
        ([("a", True), ("b", True), ("c", True), ("platform", False)], ["a"]),
        ([("a", True), ("a", True), ("b", False), ("platform", False)], ["a"]),
    ],
    ids=["silent addresses", "one address that speaks", "many that speak", "the busiest one first"],
)
async def test_who_is_out_where_all_places_are_taken(come: list[tuple[str, bool]], out: list[str]) -> None:
    waiting, gone = Waiting(most=3), list[str]()

    async def waits(address: str, speaks: bool) -> None:
        try:
            async with waiting.place(address) as came_to:
                if speaks:
                    came_to(1)
                await asyncio.sleep(0.3)
        except frames.Refused:
            gone.append(address)

    async with asyncio.TaskGroup() as group:
        for address, speaks in come:
            group.create_task(waits(address, speaks))
            await asyncio.sleep(0.01)
    assert gone == out


@pytest.mark.parametrize("known_step", [1, 3])
async def test_a_login_is_done_while_strangers_come_by_hundreds(known_step: int) -> None:
    """Found by an attacker: all that had said fourteen bytes were equal, and the oldest, a platform's login, was out. A
    round trip of 30 ms lets 30 in at a thousand a second."""
    waiting, done = Waiting(), list[str]()

    async def strange(number: int) -> None:
        with suppress(frames.Refused):
            async with waiting.place(f"stranger-{number}") as came_to:
                await asyncio.sleep(0)
                came_to(known_step)
                await asyncio.sleep(30)

    async def logs_in() -> None:
        async with waiting.place("platform") as came_to:
            for step in range(1, 5):
                await turns[step].wait()
                came_to(min(step, 3))
            done.append("platform")

    turns = {step: asyncio.Event() for step in range(1, 5)}
    strangers = [asyncio.create_task(strange(number)) for number in range(MOST_WAITING)]
    await asyncio.sleep(0.01)
    platform = asyncio.create_task(logs_in())
    for number in range(200):
        strangers.append(asyncio.create_task(strange(MOST_WAITING + number)))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        per_trip = 30 if known_step == 1 else 15
        if (step := number // per_trip + 1) in turns and number % per_trip == per_trip - 1:
            turns[step].set()
            await asyncio.sleep(0.001)
    await platform
    for each in strangers:
        each.cancel()
    await asyncio.gather(*strangers, return_exceptions=True)
    assert sum(each.done() and not each.cancelled() for each in strangers) >= 190, "each newcomer puts one out"
    assert done == ["platform"]


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (b"", "slow_login"),
        (versions()[:5], "slow_login"),
        (versions(), "slow_login"),
        (LOGIN + HALF, "slow_request"),
        (LOGIN, "idle"),
        (metadata(), "before_login"),
        (request(17, 1, b"\0\0") + request(36, 1, framed(SAID)) + metadata(), "before_login"),
        (request(17, 1, b"\0\0") + request(17, 1, b"\0\0"), "before_login"),
        (LOGIN + request(17, 1, b"\0\0") + request(36, 1, framed(b"n,,n=wallet,r=x")), "login"),
        (LOGIN + request(17, 1, b"\0\0") + request(36, 1, framed(b"n,,n=platform-other,r=x")), "login"),
        (b"GET / HTTP/1.1\r\nHost: kafka\r\n\r\n", "kind"),
        (b"\xff" * 100, "kind"),
        (b"\xff\xff\xff\xff\0\x12\0\0", "size"),
        (b"\x01\x00\x00\x00\0\x12\0\0", "size"),
        (LOGIN + b"\x01\x04\x00\x00\0\x0b\0\3", "size"),
        (LOGIN + request(11, 3, bytes(16 * 1024)), "size"),
        (LOGIN + request(1, 11, bytes(16 * 1024)), "size"),
        (LOGIN + request(8, 2, bytes(8 * 1024)), "size"),
        (LOGIN + request(0, 8, b""), "kind"),
    ],
)
async def test_who_is_slow_or_asks_something_else_is_thrown_out(sent: bytes, reason: str) -> None:
    before, behind = refused(reason), Behind()
    async with opened(behind) as port:
        assert await ended(port, sent) < 5
    assert refused(reason) == before + 1
    assert sent.startswith(behind.got)
    again = len(request(17, 1, b"\0\0")) if reason == "login" else 0
    assert len(behind.got) <= len(LOGIN) + again, "what is refused does not reach the broker"


async def test_who_says_nothing_or_nonsense_first_never_comes_to_the_broker() -> None:
    behind = Behind()
    async with opened(behind) as port:
        for sent in (b"", b"\xff" * 100, metadata()):
            await ended(port, sent)
    assert behind.visits == 0


async def test_what_passes_is_passed_byte_for_byte() -> None:
    behind = Behind()
    large = request(1, 11, bytes(16 * 1024 - 15))
    assert len(large) == 16 * 1024
    async with opened(behind) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        for byte in LOGIN:
            writer.write(bytes([byte]))
        writer.write(50 * large + metadata())
        async with asyncio.timeout(20):
            while len(behind.got) < len(LOGIN) + 50 * len(large) + len(metadata()):
                await asyncio.sleep(0.01)
        assert behind.got == LOGIN + 50 * large + metadata()
        writer.close()


def test_a_commit_of_all_partitions_of_the_public_topics_fits() -> None:
    """128 each, in version 8, as librdkafka and Java send it: no later one is larger."""
    of_partition = pack(">iqi", 0, 0, -1) + compact("") + b"\0"
    of_topic = compact("a.prefix.croupier.tournament.events.v1") + b"\x81\1" + 128 * of_partition + b"\0"
    member = compact("platform-acme-1") + pack(">i", 1) + compact("consumer-" + 60 * "x") + compact(40 * "x")
    commit = request(COMMIT, 8, member + b"\4" + 3 * of_topic + b"\0", flexible=True)
    assert 7_000 < len(commit) <= frames.MOST_BYTES[COMMIT]


async def test_who_does_not_read_answers_is_not_read_from_and_ends() -> None:
    behind, before = Behind(), refused("idle")
    async with opened(behind) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(LOGIN)
        behind.says = bytes(64 * 1024)
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        for _ in range(400):
            writer.write(request(1, 11, bytes(16_000)))
        async with asyncio.timeout(20):
            while refused("idle") == before:
                await asyncio.sleep(0.05)
        # 6 MB were sent, and more was to be said than fits; the rest is what the system's buffers hold.
        assert behind.said < 20_000_000
        assert len(behind.got) < 200_000
        writer.close()


async def test_so_many_come_in_together_and_so_many_of_one_address() -> None:
    for most, of_address, reason in ((2, 4, "full"), (4, 2, "full_for_address")):
        before = refused(reason)
        async with opened(Behind(), most, of_address) as port:
            there = [await inside(port) for _ in range(2)]
            assert standing("connections") == 2
            with pytest.raises((asyncio.IncompleteReadError, OSError)):
                await inside(port)
            assert refused(reason) == before + 1
            for _, writer in there:
                writer.close()
            await asyncio.sleep(0.1)
            _, writer = await inside(port)
            writer.close()


async def test_one_login_leaves_places_to_others_from_however_many_addresses_it_comes() -> None:
    """Found by an attacker: sixteen idle connections of one platform, four by address, and no other one came in."""
    before, other = refused("full_for_login"), login_of(SAID.replace(b"acme", b"beta"))
    async with opened(Behind(), 4, 4, 2) as port:
        there = [await inside(port, f"127.0.0.{2 + number}") for number in range(2)]
        with pytest.raises((asyncio.IncompleteReadError, OSError)):
            await inside(port, "127.0.0.9")
        assert refused("full_for_login") == before + 1
        there += [await inside(port, "127.0.0.2", other) for _ in range(2)]
        there[0][1].close()
        await asyncio.sleep(0.1)
        with pytest.raises((asyncio.IncompleteReadError, OSError)):
            await inside(port, "127.0.0.9", other)
        there.append(await inside(port, "127.0.0.9"))
        for _, writer in there:
            writer.close()


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2"])
@pytest.mark.parametrize("sent", [b"\0", LOGIN[: len(LOGIN) // 2]])
async def test_who_proves_no_login_takes_nobody_s_place(address: str, sent: bytes) -> None:
    async def stranger(port: int) -> None:
        while True:
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.2", 0))
                writer.write(sent)
                await reader.read()
                writer.close()
            await asyncio.sleep(0.02)

    async with opened(Behind(), 4, 4) as port:
        strangers = [asyncio.create_task(stranger(port)) for _ in range(24)]
        await asyncio.sleep(0.2)
        assert standing("waiting") >= 20
        for _ in range(10):
            there = [await inside(port, address) for _ in range(4)]
            for _, writer in there:
                writer.close()
            await asyncio.sleep(0.05)
        for each in strangers:
            each.cancel()
        await asyncio.gather(*strangers, return_exceptions=True)


async def test_where_too_many_wait_the_oldest_of_the_address_with_most_is_out() -> None:
    before = refused("crowded_out")
    async with opened(Behind()) as port:
        one = await asyncio.open_connection("127.0.0.1", port)
        others = [
            await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.2", 0)) for _ in range(MOST_WAITING)
        ]
        async with asyncio.timeout(1.5):
            assert await others[0][0].read() == b""
        assert refused("crowded_out") == before + 1
        assert standing("waiting") == MOST_WAITING
        assert not any(reader.at_eof() for reader, _ in (one, *others[1:]))
        one[1].write(LOGIN)
        assert await one[0].readexactly(3 * len(GOOD)) == 3 * GOOD
        for _, writer in (one, *others):
            writer.close()


@pytest.mark.parametrize("answers", [(BAD,), (GOOD, BAD), (GOOD, GOOD, BAD), (GOOD, GOOD, framed(bytes(5)))])
async def test_who_is_told_no_by_the_broker_reads_why_and_is_not_inside(answers: tuple[bytes, ...]) -> None:
    behind, before = Behind(*answers), refused("login")
    async with opened(behind) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(LOGIN + metadata())
        assert await asyncio.wait_for(reader.read(), 5) == b"".join(answers)
        assert LOGIN.startswith(behind.got)
        assert refused("login") == before + 1
        writer.close()


async def test_a_login_is_eight_requests_at_most() -> None:
    before, behind = refused("before_login"), Behind(*20 * [GOOD])
    async with opened(behind) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(20 * versions())
        with contextlib.suppress(ConnectionResetError):
            await asyncio.wait_for(reader.read(), 5)
        writer.close()
    assert refused("before_login") == before + 1
    assert behind.got == 8 * versions()


async def test_newer_answers_have_a_tag_before_the_code() -> None:
    good, bad = framed(pack(">ibh", 7, 0, 0)), framed(pack(">ibh", 7, 0, 58))
    login = request(17, 1, b"\0\0") + 2 * request(36, 2, compact(SAID.decode()) + b"\0", flexible=True)
    for last in (good, bad):
        behind = Behind(GOOD, good, last)
        async with opened(behind) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(login + metadata())
            await asyncio.wait_for(reader.readexactly(len(GOOD + good + last)), 5)
            await asyncio.sleep(0.1)
            assert behind.got == login + (metadata() if last is good else b"")
            writer.close()


async def test_a_broker_that_is_away_is_told_and_ends_the_connection() -> None:
    before, behind = refused("no_broker"), Behind()
    server = await asyncio.start_server(behind.let_in, "127.0.0.1", 0)
    nobody = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    async with Door(4, 4, 4).open(Doorway("127.0.0.1", 0, f"127.0.0.1:{nobody}")) as port:
        await ended(port, versions())
    assert refused("no_broker") == before + 1


async def test_who_is_left_by_the_broker_reads_what_it_said_last() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(BAD)
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        way = Doorway("127.0.0.1", 0, f"127.0.0.1:{server.sockets[0].getsockname()[1]}")
        async with Door(4, 4, 4).open(way) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(LOGIN)
            assert await asyncio.wait_for(reader.read(), 5) == BAD
            writer.close()


async def test_it_says_which_brokers_are_away_and_asks_none_that_somebody_is_through_to() -> None:
    """A connection of its own for the question could be the one that a broker takes no more."""
    behind, at = Behind(), Door(4, 4, 4)
    server = await asyncio.start_server(behind.let_in, "127.0.0.1", 0)
    host = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with at.open(Doorway("127.0.0.1", 0, host)) as port:
        assert await at.away() == []
        asked = behind.visits
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(LOGIN)
        async with asyncio.timeout(5):
            while behind.got != LOGIN:
                await asyncio.sleep(0.01)
        through = behind.visits
        assert await at.away() == []
        assert (asked, through, behind.visits) == (1, 2, 2)
        writer.close()
        server.close()
        async with asyncio.timeout(5):
            while await at.away() != [host]:
                await asyncio.sleep(0.01)


async def test_it_is_ready_where_one_broker_is_there_and_tells_of_the_others() -> None:
    behind, ports = Behind(), [free_port() for _ in range(2)]
    server = await asyncio.start_server(behind.let_in, "127.0.0.1", 0)
    there = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    routes = {"127.0.0.1:0": there, f"127.0.0.1:{ports[0]}": f"127.0.0.1:{ports[1]}"}
    inner = free_port()
    async with running(DoorSettings(door_routes=routes, inner_port=inner)), httpx.AsyncClient() as client:
        answer = await client.get(f"http://127.0.0.1:{inner}/health/ready")
        away = f"can't be reached: 127.0.0.1:{ports[1]}"
        assert (answer.status_code, answer.json()["missing"], answer.json()["told"]) == (200, {}, {"brokers": away})
        server.close()
        answer = await client.get(f"http://127.0.0.1:{inner}/health/ready")
        assert (answer.status_code, list(answer.json()["missing"])) == (503, ["broker"])
        assert (await client.get(f"http://127.0.0.1:{inner}/health/live")).status_code == 200
