"""Two gateways, each with a floor: players come by either door, and each gateway reads its share alone."""

import asyncio
import json
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from uuid6 import uuid7
from websockets.asyncio.client import connect

from libs.client import ConnectionLost, Player, ProblemReply
from libs.contracts.topics import REPLIES, topic
from services.cli.house import House
from services.cli.processes import ServiceProcess
from tests.conftest import TESTS
from tests.e2e.evening import Evening, all_records, croupier, evening
from tests.testkit.partitions import PARTITIONS, partition_of

pytestmark = pytest.mark.stack
FLOORS = {"gateway": (0, 1), "gateway-2": (2, 3)}


@pytest_asyncio.fixture
async def house(house_at: House, tmp_path: Path) -> House:
    """Its gateways' floors are halves of the house."""
    house_at.add("gateway", "gateway-2")
    file = str(tmp_path / "floors.json")
    write(file, {f"{own[0]}-{own[1]}": house_at.processes[name].url for name, own in FLOORS.items()})
    for name, own in FLOORS.items():
        house_at.processes[name].environment |= {
            "CROUPIER_FLOOR": f"{own[0]}-{own[1]}",
            "CROUPIER_FLOORS_FILE": file,
        }
    await house_at.start()
    return house_at


def write(file: str, floors: dict[str, str]) -> None:
    new = Path(f"{file}.new")
    new.write_text(json.dumps(floors))
    new.replace(file)


async def figures(gateway: ServiceProcess, name: str) -> dict[str, float]:
    """Of a counter, by its one label."""
    async with httpx.AsyncClient() as asks:
        text = (await asks.get(f"{gateway.inner_url}/metrics")).text
    lines = [line for line in text.splitlines() if line.startswith(f"{name}_total{{")]
    return {line.split('"')[1]: float(line.rpartition(" ")[2]) for line in lines}


async def records(house: House, name: str) -> list[Any]:
    return await all_records(house.stack.broker(TESTS), house.topic_prefix + name, PARTITIONS)


def replies_partition(house: House, name: str) -> int:
    lines = (house.home / "logs" / f"{name}.jsonl").read_text().splitlines()
    return next(int(said["replies"]) for said in map(json.loads, lines) if "serves a floor" in said["event"])


@pytest.mark.timeout(400)
async def test_players_come_by_either_door_and_each_gateway_reads_its_share(house: House) -> None:
    one, two = (house.processes[name] for name in FLOORS)
    doors = cycle([one.url, two.url])
    async with evening(house, tables=6, bots=3, client=lambda url, token: Player(next(doors), token)) as it:
        of_floor = {name: [t for t in it.tables if partition_of(t.table) in own] for name, own in FLOORS.items()}
        assert all(of_floor.values()), "tables of both floors"
        await _a_wrong_door_says_where_and_nothing_is_asked(house, it)
        await it.hands(12, 180)
        for gateway in (one, two):
            async with asyncio.timeout(20), httpx.AsyncClient(base_url=gateway.url) as anybody:
                while len(rows := (await anybody.get("/v1/tables")).json()["tables"]) < len(it.tables):
                    await asyncio.sleep(0.5)
            at = {row["table"]: row["gateway"] for row in rows}
            assert at == {
                each.table: house.processes[name].url.replace("http", "ws") + "/v1/ws"
                for name, tables in of_floor.items() for each in tables
            }  # fmt: skip
        await it.close()
        assert (it.statistics.unanswered, it.statistics.voided) == (0, 0)
        assert all(bot.acts for bot in it.bots), "everybody played"

    events = [record.partition for record in await records(house, topic("table", "events").name)]
    replies = [record.partition for record in await records(house, REPLIES.name)]
    heard = {name: replies_partition(house, name) for name in FLOORS}
    awaited = 0.0
    for name, own in FLOORS.items():
        gateway = house.processes[name]
        read = await figures(gateway, "croupier_gateway_events")
        share = sum(partition in own for partition in events)
        print(f"{name}: {read} of {len(events)} events, {share} of its floor")
        assert sum(read.values()) == read["yes"] == share, "each event of its own tables once, and none of the others"
        assert heard[name] in own
        told = await figures(gateway, "croupier_gateway_replies")
        print(f"{name}: {told} of {len(replies)} replies, partition {heard[name]}")
        assert sum(told.values()) == replies.count(heard[name])
        awaited += told["awaited"]
    commands = [r for kind in ("table", "wallet") for r in await records(house, topic(kind, "commands").name)]
    asked = [dict(each.headers).get("reply-to") for each in commands]
    assert {each for each in asked if each is not None} == {str(each).encode() for each in heard.values()}
    assert awaited <= len(asked) - asked.count(None)
    status, report = await croupier(house, "verify")
    assert (status, report["findings"]) == (0, [])


@pytest.mark.timeout(300)
async def test_the_other_gateway_of_a_floor_goes_on_and_with_none_left_players_are_told(house: House) -> None:
    """What a Service of Kubernetes does behind one address the file does here."""
    async with evening(house, tables=2, bots=2) as it:
        await it.hands(2, 120)
        there = next(t for t in it.tables if partition_of(t.table) in FLOORS["gateway-2"])
        table, key = there.table, str(uuid7())
        await it.operator.open_account("dora", there.currency)
        await it.operator.deposit("dora", "dora-1", 2 * there.buy_in, there.currency)
        token = (await it.operator.open_session("dora")).token
        async with Player(house.gateway_url, token, patience=4.0) as dora:
            await dora.subscribe(table)
            first = await dora.take_seat(table, there.buy_in, key=key)
            assert first.accepted
            gateway = house.processes["gateway-2"]
            await gateway.kill()
            with pytest.raises(ConnectionLost, match="no final answer"):
                await dora.sit_out(table)
            file = gateway.environment["CROUPIER_FLOORS_FILE"]
            write(file, {"0-1": house.gateway_url})
            await asyncio.sleep(1.2)
            with pytest.raises(ProblemReply, match="no-gateway"):
                await dora.sit_out(table)
            assert (await it.operator.account("dora"))[0]["currency"] == there.currency, "the other floor goes on"
            other = house.add("gateway", "gateway-3", CROUPIER_FLOOR="2-3", CROUPIER_FLOORS_FILE=file)
            write(file, {"0-1": house.gateway_url, "2-3": other.url})
            await other.start()
            await other.ready()
            again = await dora.take_seat(table, there.buy_in, key=key)
            assert again == first, "the same key has the same answer, at another gateway of the floor"
            await dora.until(lambda: dora.tables[table].version > first.version, 30)
        await it.hands(4, 120)


async def _a_wrong_door_says_where_and_nothing_is_asked(house: House, it: Evening) -> None:
    table = it.tables[0].table
    wrong = next(n for n, own in FLOORS.items() if partition_of(table) not in own)
    right = next(n for n in FLOORS if n != wrong)
    away, there = house.processes[wrong].url, house.processes[right].url
    session = await it.operator.open_session("carla")
    header = {"authorization": f"Bearer {session.token}"}
    key, keys = str(uuid7()), header | {"idempotency-key": str(uuid7())}
    async with httpx.AsyncClient(base_url=away) as http:
        said = (await http.post(f"/v1/tables/{table}/sit-out", headers=keys)).json()
        assert (said["status"], said["location"]) == (421, f"{there}/v1/tables/{table}/sit-out")
    url = away.replace("http", "ws") + "/v1/ws"
    async with connect(url, additional_headers=header, proxy=None) as socket:
        await socket.recv()
        await socket.send(json.dumps({"type": "sit_out", "id": key, "table": table}))
        frame = json.loads(await socket.recv())
        assert (frame["id"], frame["problem"]["status"]) == (key, 421)
        assert frame["problem"]["gateway"] == there.replace("http", "ws") + "/v1/ws"
        await socket.send(json.dumps({"type": "ping"}))
        assert json.loads(await socket.recv())["type"] == "pong"
    commands = await records(house, topic("table", "commands").name)
    assert not [each for each in commands if b'"carla"' in (each.value or b"")]
