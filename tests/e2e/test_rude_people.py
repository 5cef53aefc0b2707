"""H1, H3 and slow clients against the running house: what a flood costs the gateway, and what others notice of it."""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import count

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from libs.client import Operator, Player
from libs.client.http import new_key
from services.cli.demo.tables import demo_tables
from services.cli.house import House
from tests.edge import rude
from tests.edge.rude import HEAD, POST, Cost, again_and_again, crowds, saying

pytestmark = [pytest.mark.stack, pytest.mark.asyncio(loop_scope="module")]
LINE = b"a: b\r\n"
PATIENCE_S = 3.0
"""Of others. A quiet machine answers them in a tenth; `make test` shares it with three processes."""
CHUNK = b"400\r\n" + b" " * 1024 + b"\r\n"


def told(what: str, cost: Cost, said: object) -> None:
    waits = sorted(cost.waits)
    print(
        f"{what}: {cost.grown / 1e6:.1f} MB and {cost.cpu_s:.1f} s of CPU more; "
        f"{len(waits)} others answered {dict(cost.said)}, "
        f"median {1e3 * waits[len(waits) // 2]:.0f} ms, worst {1e3 * waits[-1]:.0f} ms; {said}"
    )
    assert set(cost.said) == {200}
    assert waits[-1] < PATIENCE_S, "others had to wait"


async def test_who_has_no_login_costs_no_memory_and_no_time(shared_house: House) -> None:
    gateway = shared_house.processes["gateway"]
    assert gateway.process is not None
    pid, ask = gateway.process.pid, f"{gateway.url}/v1/tables"
    post = POST.replace(b"/", b"/v1/sessions", 1)
    chunked = post + b"transfer-encoding: chunked\r\n\r\n"
    for what, speaks, many, for_s in (
        ("60 MB of header fields on one connection", again_and_again(HEAD, LINE * 1000, 60_000_000), 1, 3),
        ("the same on twenty", again_and_again(HEAD, LINE * 1000, 3_000_000), 20, 3),
        ("one endless header field on twenty", again_and_again(HEAD + b"a: ", b"x" * 6_000, 3_000_000), 20, 3),
        ("endless bodies on twenty", again_and_again(chunked, CHUNK, 3_000_000), 20, 3),
        ("three hundred that say a field a second", saying(HEAD, *[LINE] * 60, pause_s=1), 300, 0.1),
    ):
        async with rude.watched(pid, ask) as cost:
            said = await crowds(gateway.url, speaks, many, for_s)
        told(what, cost, dict(said))
        assert "left open" not in said
        assert cost.grown < 30e6


def _wish(tables: Sequence[str], number: int) -> dict[str, str]:
    table = tables[number % 3]
    return (
        {"type": "subscribe", "table": table},
        {"type": "leave_table", "table": table, "id": f"m{number}"},
        {"type": "ping"},
        {"type": "nonsense" * 20},
    )[number // 3 % 4]


@pytest.mark.parametrize("sockets", [pytest.param(20, marks=pytest.mark.long), 200])
async def test_many_sockets_of_one_player_hold_nobody_up(shared_house: House, sockets: int) -> None:
    gateway = shared_house.processes["gateway"]
    chosen = demo_tables()[0]
    async with Operator(shared_house.gateway_url, shared_house.operator_token) as operator:
        tables = [f"t{sockets}-{number}" for number in range(3)]
        for table in tables:
            opened = await operator.open_table(table, chosen.name, chosen.rulebook, chosen.configuration)
            assert opened.accepted, opened
        mallory = (await operator.open_session(f"mallory-{sockets}")).token
        bob = (await operator.open_session(f"bob-{sockets}")).token
    wishes, said = map(partial(_wish, tables), count()), Counter[str]()
    waits = []

    async def flood(until: asyncio.Event) -> None:
        headers = {"authorization": f"Bearer {mallory}"}
        address = gateway.url.replace("http", "ws") + "/v1/ws"
        while not until.is_set():
            try:
                async with connect(address, additional_headers=headers, proxy=None, compression=None) as socket:
                    hearing = asyncio.create_task(hear(socket))
                    while not until.is_set():
                        await socket.send(json.dumps(next(wishes)))
                        await asyncio.sleep(0)
                    hearing.cancel()
                    socket.transport.abort()
            except ConnectionClosed as closed:
                said[f"closed {closed.rcvd.code if closed.rcvd else ''}"] += 1
            except (InvalidHandshake, OSError, TimeoutError) as wrong:
                said[type(wrong).__name__] += 1

    async def hear(socket: ClientConnection) -> None:
        with suppress(ConnectionClosed):
            async for frame in socket:
                kind = json.loads(frame)
                said[kind["type"] if kind["type"] != "problem" else kind["problem"]["type"].rpartition(":")[2]] += 1

    assert gateway.process is not None
    async with Player(shared_house.gateway_url, bob) as player:
        over = asyncio.Event()
        async with rude.watched(gateway.process.pid, f"{gateway.url}/v1/tables") as cost:
            floods = [asyncio.create_task(flood(over)) for _ in range(sockets)]
            for _ in range(20):
                await asyncio.sleep(0.25)
                began = asyncio.get_running_loop().time()
                answer = await player.leave(tables[0])
                waits.append(asyncio.get_running_loop().time() - began)
                assert answer.reason == "not_seated"
            over.set()
            await asyncio.wait(floods, timeout=20)
    told(f"{sockets} sockets of one player", cost, dict(said))
    print(f"another player's commands: worst {1e3 * max(waits):.0f} ms")
    assert cost.grown < 60e6


async def test_who_floods_from_a_hall_stops_nobody_else_there(shared_house: House) -> None:
    """Refused bodies of four to forty connections were a debt for which all players of that address waited."""
    gateway = shared_house.processes["gateway"]
    chosen = demo_tables()[0]
    async with Operator(shared_house.gateway_url, shared_house.operator_token) as operator:
        assert (await operator.open_table("hall", chosen.name, chosen.rulebook, chosen.configuration)).accepted
        bob = (await operator.open_session("bob-of-the-hall")).token
    body = POST.replace(b"/", b"/v1/sessions", 1) + b"content-length: 60000\r\n\r\n" + b"x" * 60_000
    loop, waits = asyncio.get_running_loop(), []
    async with Player(shared_house.gateway_url, bob) as seated:
        flood = asyncio.create_task(rude.crowd(gateway.url, again_and_again(body, body, 20_000_000), 40, patience_s=8))
        while not flood.done():
            await asyncio.sleep(0.1)
            began = loop.time()
            assert (await seated.leave("hall")).reason == "not_seated"
            async with Player(shared_house.gateway_url, bob) as newcomer:
                assert (await newcomer.leave("hall")).reason == "not_seated"
            waits.append(loop.time() - began)
    print(f"{len(waits)} times beside {dict(await flood)}, worst {1e3 * max(waits):.0f} ms")
    assert max(waits) < PATIENCE_S


async def test_who_has_no_money_gets_no_seat_for_a_moment(shared_house: House) -> None:
    """Neither over HTTP nor over the WebSocket, and the table hears nothing of it."""
    chosen = demo_tables()[0]
    async with Operator(shared_house.gateway_url, shared_house.operator_token) as operator:
        assert (await operator.open_table("t0", chosen.name, chosen.rulebook, chosen.configuration)).accepted
        await operator.open_account("poor")
        await operator.open_account("abroad", "USD")
        await operator.deposit("abroad", "a-1", 10 * chosen.buy_in, "USD")
        for name in ("nobody", "poor", "abroad"):
            token = (await operator.open_session(name)).token
            async with Player(shared_house.gateway_url, token) as player:
                await player.subscribe("t0")
                began = asyncio.get_running_loop().time()
                answer = await player.take_seat("t0", chosen.buy_in)
                assert answer.reason == "insufficient_funds", (name, answer)
                assert asyncio.get_running_loop().time() - began < 5
                async with httpx.AsyncClient(base_url=shared_house.gateway_url) as client:
                    refused = await client.post(
                        "/v1/tables/t0/seats",
                        json={"amount": chosen.buy_in},
                        headers={"authorization": f"Bearer {token}", "idempotency-key": new_key()},
                    )
                assert (refused.status_code, refused.json()["reason"]) == (409, "insufficient_funds"), name
                assert player.tables["t0"].view.seats == {}
                assert player.tables["t0"].view.version == 1
