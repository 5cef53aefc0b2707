"""Nonsense at every door of the running house: refused or parked as the design says, nothing appended, service up."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import product
from typing import Any

import httpx
import pytest
from aiokafka import AIOKafkaProducer
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from libs.client import Operator, Player, Turn
from libs.client.http import new_key
from libs.contracts.topics import topic
from libs.journal.mark_keys import marks_in
from services.cli.demo.tables import demo_tables
from services.cli.house import House
from tests.conftest import TESTS
from tests.e2e.evening import all_records, croupier
from tests.testkit.marks import written_by
from tests.testkit.partitions import PARTITIONS, partition_of

pytestmark = [pytest.mark.stack, pytest.mark.asyncio(loop_scope="module")]
HUGE = 10**30


@dataclass(slots=True)
class Duel:
    """Alice and Bob heads-up, a decision awaited; `actor` is to act, `other` is not."""

    house: House
    table: str
    actor: Player
    other: Player
    actor_token: str
    turn: Turn

    async def post(self, body: bytes, key: str | None = None, token: str | None = None) -> httpx.Response:
        headers = {
            "authorization": f"Bearer {token or self.actor_token}",
            "idempotency-key": key or new_key(),
            "content-type": "application/json",
        }
        async with httpx.AsyncClient(base_url=self.house.gateway_url, timeout=15) as client:
            return await client.post(f"/v1/tables/{self.table}/acts", content=body, headers=headers)

    def call(self, **changes: Any) -> dict[str, Any]:
        """The legal call of this turn, with changes."""
        return {"hand": self.turn.hand, "seat": self.turn.seat, "turn": self.turn.turn, "act": "call"} | changes


@asynccontextmanager
async def duel(house: House, suffix: str = "") -> AsyncIterator[Duel]:
    """`suffix`: of the names of table and players, where one house has several duels."""
    table = demo_tables()[0]
    name, names = table.table + suffix, ("alice" + suffix, "bob" + suffix)
    async with Operator(house.gateway_url, house.operator_token) as operator:
        answer = await operator.open_table(name, table.name, table.rulebook, table.configuration)
        assert answer.accepted, answer
        tokens = {}
        for each in names:
            await operator.open_account(each)
            await operator.deposit(each, f"{each}-1", 50_000)
            tokens[each] = (await operator.open_session(each)).token
    first, second = (Player(house.gateway_url, tokens[each]) for each in names)
    async with first as alice, second as bob:
        for player in (alice, bob):
            await player.subscribe(name)
            assert (await player.take_seat(name, 10_000)).accepted
        state = alice.tables[name]
        await alice.until(lambda: state.turn is not None, 60)
        turn = state.turn
        assert turn is not None
        actor, other = (alice, bob) if turn.player == names[0] else (bob, alice)
        yield Duel(house, name, actor, other, tokens[turn.player], turn)


def problem(answer: httpx.Response) -> tuple[int, str, str | None]:
    assert answer.headers["content-type"].startswith("application/problem+json"), answer.text
    document = answer.json()
    return answer.status_code, document["type"].rpartition(":")[2], document.get("reason")


@pytest.mark.timeout(120)
async def test_nonsense_is_refused_or_parked_and_the_house_stays_up(shared_house: House) -> None:
    async with duel(shared_house) as it:
        version = it.turn.turn
        await _malformed_over_http(it)
        await _against_the_rules(it)
        await _same_key_other_body(it)
        await _over_the_websocket(it)
        await _straight_into_the_commands_topic(it)

        # Nothing was appended: the table stands at the version at which it awaited the decision.
        assert it.actor.tables[it.table].version == version
        view = await it.actor.view(it.table)
        assert view["version"] == version
        # And the house goes on: the legal act still counts.
        assert (await it.actor.act(it.turn, "call")).accepted
    async with httpx.AsyncClient() as client:
        for process in shared_house.processes.values():
            assert (await client.get(f"{process.inner_url}/health/ready")).status_code == httpx.codes.OK, process.name
    status, report = await croupier(shared_house, "verify")
    assert (status, report["findings"]) == (0, [])


async def _malformed_over_http(it: Duel) -> None:
    broken = await it.post(b'{"hand": 1, "seat": ')
    assert problem(broken)[:2] == (400, "malformed-json")
    assert "column" in broken.json()["detail"]

    for name, change in (
        ("/body/bribe", {"bribe": 100}),
        ("/body/to", {"act": "raise", "to": -5}),
        ("/body/to", {"act": "raise", "to": HUGE}),
        ("/body/to", {"act": "raise", "to": 1.5}),
        ("/body/seat", {"seat": "three"}),
        ("/body/hand", {"hand": 0}),
        ("/body/act", {"act": "steal"}),
    ):
        answer = await it.post(json.dumps(it.call(**change)).encode())
        assert problem(answer)[:2] == (422, "invalid-input"), change
        assert [error["field"] for error in answer.json()["errors"]] == [name]

    large = await it.post(json.dumps(it.call(note="x" * 500_000)).encode())
    assert problem(large)[:2] == (413, "body-too-large")
    nobody = await it.post(json.dumps(it.call()).encode(), token="made.up.token")
    assert problem(nobody)[0] == 401


async def _against_the_rules(it: Duel) -> None:
    assert it.turn.legal.max_to is not None
    for reason, change in (
        ("wrong_hand", {"hand": it.turn.hand + 7}),
        ("stale_turn", {"turn": it.turn.turn - 1}),
        ("above_max", {"act": "raise", "to": it.turn.legal.max_to + 1}),
        ("cannot_check", {"act": "check"}),
    ):
        assert problem(await it.post(json.dumps(it.call(**change)).encode())) == (409, "rejected", reason)
    others_seat = next(seat for seat in it.actor.tables[it.table].view.seats if seat != it.turn.seat)
    answer = await it.actor.act_as(it.table, it.turn.hand, others_seat, "fold")
    assert answer.reason == "not_your_seat"
    answer = await it.other.act_as(it.table, it.turn.hand, it.turn.seat, "fold")
    assert answer.reason == "not_your_seat"
    answer = await it.other.act_as(it.table, it.turn.hand, others_seat, "fold")
    assert answer.reason == "not_your_turn"


async def _same_key_other_body(it: Duel) -> None:
    key = new_key()
    wrong = json.dumps(it.call(hand=it.turn.hand + 1)).encode()
    first, again = await it.post(wrong, key), await it.post(wrong, key)
    assert problem(first) == problem(again) == (409, "rejected", "wrong_hand")
    assert first.json()["version"] == again.json()["version"]
    other = await it.post(json.dumps(it.call(hand=it.turn.hand + 2)).encode(), key)
    assert problem(other)[:2] == (422, "idempotency-key-reused")


async def _over_the_websocket(it: Duel) -> None:
    url = it.house.gateway_url.replace("http", "ws") + "/v1/ws"
    headers = {"authorization": f"Bearer {it.actor_token}"}
    async with connect(url, additional_headers=headers, max_size=2**21) as socket:
        assert json.loads(await socket.recv())["type"] == "welcome"
        for nonsense in (
            "{",
            "[]",
            '{"type": "rob"}',
            json.dumps({"type": "act", "id": new_key(), "table": it.table, **it.call(), "extra": 1}),
            json.dumps({"type": "act", "id": new_key(), "table": it.table, **it.call(to=-1)}),
            json.dumps({"type": "act", "id": new_key(), "table": it.table, **it.call(to=HUGE)}),
        ):
            await socket.send(nonsense)
            told = json.loads(await asyncio.wait_for(socket.recv(), 60))
            assert told["type"] == "problem", nonsense
        await socket.send('{"type": "ping"}')
        assert json.loads(await socket.recv())["type"] == "pong"
        await socket.send(json.dumps({"type": "act", "id": "x" * 500_000}))
        with pytest.raises(ConnectionClosed) as closed:
            await asyncio.wait_for(_to_the_end(socket), 60)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009


async def _to_the_end(socket: ClientConnection) -> None:
    while True:
        await socket.recv()


async def _straight_into_the_commands_topic(it: Duel) -> None:
    """Another build of the gateway with bad manners: set aside untouched, with the reason, and the stream goes on."""
    commands = topic("table", "commands")
    prefix = it.house.topic_prefix
    place = partition_of(it.table)
    values = [b"\xff\xfe not json", b"{}", json.dumps({"id": "no", "stream": it.table}).encode(), b""]
    marks = marks_in(it.house.marks_file("gateway"))
    producer = AIOKafkaProducer(**it.house.stack.broker(TESTS).options())
    await producer.start()
    try:
        for value in values:
            record = written_by(marks, prefix + commands.name, place, it.table.encode(), value)
            await producer.send_and_wait(**record)
    finally:
        await producer.stop()
    parked = topic("table", "parked")
    async with asyncio.timeout(60):
        while (
            len(
                found := await all_records(
                    it.house.stack.broker(TESTS), prefix + parked.name, parked.partitions(PARTITIONS)
                )
            )
            < 4
        ):
            await asyncio.sleep(0.2)
    assert sorted(record.value or b"" for record in found) == sorted(values)
    assert all(dict(record.headers)["parked-reason"] for record in found)


ADDRESSES = (
    "%00", "a%00b", "%ff", "%ed%a0%80", "%c0%af", "%E2%80%AE", "%0d%0aset-cookie:x", "..%2f..%2fetc", "'%20or%201=1--",
    "9" * 40, "-1", "1e999", "NaN", "%F0%9F%82%A1", "a" * 3_000, "%25%30%30", "null", "[]", "",
)  # fmt: skip
"""In the place of whatever a path or query names."""


async def test_no_address_is_a_fault_of_ours(shared_house: House) -> None:
    """Every read of every public port, with nonsense in every place of its path and query: at worst a problem."""
    told: dict[int, int] = {}
    for service in ("gateway", "wallet", "audit"):
        async with shared_house.reader(service) as client:
            document = (await client.get("/openapi.json")).json()
            reads = [(path, found["get"]) for path, found in document["paths"].items() if "get" in found]
            for (path, read), nonsense in product(reads, ADDRESSES):
                address = "/".join(nonsense if part.startswith("{") else part for part in path.split("/"))
                asked = [each["name"] for each in read.get("parameters", ()) if each["in"] == "query"]
                for query in ("", *(f"?{name}={nonsense}" for name in (*asked, "unknown", nonsense))):
                    answer = await client.get(address + query)
                    told[answer.status_code] = told.get(answer.status_code, 0) + 1
                    assert answer.status_code < 500, (service, address, query, answer.text)
                    if answer.status_code != httpx.codes.OK:
                        assert problem(answer)[0] == answer.status_code
    assert told.keys() >= {200, 400, 404, 422}, told
