"""The whole gateway on the real broker.

`Responder` stands for the table service: it answers every command and publishes what a test tells it to, on the real
topics. What the rules say to a command is tested with the real table service.
"""

import asyncio
import base64
import time
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from msgspec.structs import replace

from libs.broker import Broker
from libs.client import ConnectionLost, Operator, Player, ProblemReply
from libs.client.http import new_key
from libs.contracts.cloudevents_kafka import to_record
from libs.contracts.facts import Fact
from libs.contracts.messages import CommandMessage, PublicEvent, Reply
from libs.contracts.private_deals import PrivateDeal
from libs.contracts.registry import encode_fact, wire_name
from libs.contracts.topics import REPLIES, TABLE_PRIVATE, Topic, topic
from libs.sealing.sealed import seal
from libs.stack import Stack
from libs.telemetry.traces import configure_traces
from services.gateway.kafka import hears
from services.gateway.settings import Settings
from services.gateway.wiring import running
from tests.gateway.hands import TABLE, awaited, blind, dealt, everybody, opened, started, to_the_end
from tests.testkit.logins import OPERATOR_TOKEN, operators_file
from tests.testkit.marks import TABLE as TABLE_MARKS
from tests.testkit.marks import mark_file, written_by
from tests.testkit.partitions import partition_of

pytestmark = [pytest.mark.stack, pytest.mark.usefixtures("created")]
configure_traces("gateway")
KEY = bytes.fromhex("11" * 32)
HOLE = {1: "As Ad 7h 4c", 2: "Th Td 6h 6c", 3: "Ks Kd 8h 5c"}


class Responder:
    """Accepts every command of the table, once per id, and keeps what it got."""

    def __init__(self, kafka: Broker, prefix: str) -> None:
        self.prefix = prefix
        self.got: list[tuple[CommandMessage, int, bytes, dict[str, bytes]]] = []
        self.version = 0
        self.silent = False
        self._producer = AIOKafkaProducer(**kafka.options(), acks="all", enable_idempotence=True)
        self._consumer = AIOKafkaConsumer(
            prefix + topic("table", "commands").name, **kafka.options(), auto_offset_reset="earliest"
        )

    async def __aenter__(self) -> "Responder":
        await self._producer.start()
        await self._consumer.start()
        self._task = asyncio.create_task(self._answer())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self._consumer.stop()
        await self._producer.stop()

    async def write(self, where: Topic, key: bytes, value: bytes, headers=()) -> None:
        name = self.prefix + where.name
        place = name, partition_of(key.decode())
        await self._producer.send_and_wait(**written_by(TABLE_MARKS, *place, key, value, headers))

    async def publish(self, *facts: Fact) -> None:
        for fact in facts:
            self.version += 1
            event = PublicEvent(
                stream=TABLE, version=self.version, type=wire_name(type(fact)), time=1_000 * self.version,
                causation="c", data=encode_fact(fact)[1],
            )  # fmt: skip
            key, value, headers = to_record(event)
            await self.write(topic("table", "events"), key, value, headers)

    async def deal(self, hand: int, version: int, key: bytes = KEY) -> None:
        for seat, player in {1: "alice", 2: "bob", 3: "carol"}.items():
            deal = PrivateDeal(table=TABLE, hand=hand, seat=seat, player=player, version=version, sealed="x")
            box = base64.b64encode(seal(key, HOLE[seat].encode(), deal.associated_data)).decode()
            sealed = replace(deal, sealed=box)
            await self.write(TABLE_PRIVATE, TABLE.encode(), sealed.encoded())

    async def _answer(self) -> None:
        async for record in self._consumer:
            message = CommandMessage.decoded(record.value)
            if message.type == "ReportConnection":
                continue  # that a seated player's line has ended: nobody waits for an answer
            self.got.append((message, record.partition, record.key, dict(record.headers)))
            if self.silent:
                continue
            reply = Reply(command_id=message.id, stream=message.stream, verdict="accepted", version=self.version)
            await self.write(REPLIES, message.stream.encode(), reply.encoded())


@pytest.fixture
def house(stack: Stack, topics: str, tmp_path: Path):
    """Starts a gateway, as often as a test likes, beside one responder."""
    for name, text in (("gateway", "11" * 32), ("session", "22" * 32), ("wallet", "a-token-for-the-wallet")):
        (tmp_path / name).write_text(text)
    settings = Settings(
        **stack.broker("gateway").settings(),
        topic_prefix=topics,
        http_port=0,
        inner_port=0,
        gateway_key_file=tmp_path / "gateway",
        session_key_file=tmp_path / "session",
        wallet_token_file=tmp_path / "wallet",
        operators_file=operators_file(tmp_path),
        marks_file=mark_file(tmp_path, "gateway"),
        reply_timeout_ms=1_500,
    )

    @asynccontextmanager
    async def gateway():
        async with running(settings) as ports:
            url = f"http://127.0.0.1:{ports.public}"
            inner = f"http://127.0.0.1:{ports.inner}"
            async with Operator(url, OPERATOR_TOKEN) as operator:
                for _ in range(200):
                    if (await operator._client.get(f"{inner}/health/ready")).status_code == 200:
                        break
                    await asyncio.sleep(0.05)
                yield url, operator

    return gateway


async def in_the_lobby(operator: Operator) -> None:
    for _ in range(500):
        if await operator.tables():
            return
        await asyncio.sleep(0.02)
    pytest.fail("the table is not in the lobby after 10 seconds")


async def test_a_command_a_view_and_own_cards_over_the_real_broker(house, kafka, topics):
    async with Responder(kafka, topics) as table, house() as (url, operator):
        await table.publish(opened(), *everybody())
        await in_the_lobby(operator)
        token = (await operator.open_session("alice")).token
        other = (await operator.open_session("bob")).token
        async with Player(url, token) as alice, Player(url, other) as bob:
            mine, his = await alice.subscribe(TABLE), await bob.subscribe(TABLE)
            await table.deal(41, version=8)
            await table.publish(
                started(), blind(2, "small", 50, 9_950), blind(3, "big", 100, 9_900), dealt(), awaited(1)
            )
            turn = await alice.next_turn(TABLE, 60)
            await alice.until(lambda: bool(mine.hole_cards), 60)
            await bob.until(lambda: bool(his.hole_cards), 60)
            assert (" ".join(mine.hole_cards), " ".join(his.hole_cards)) == (HOLE[1], HOLE[2])
            assert (await alice.act(turn, "call")).accepted

        [(message, partition, key, headers)] = table.got
        assert (message.type, message.body["act"], message.principal.id) == ("Act", "call", "alice")
        assert (partition, key) == (partition_of(TABLE), TABLE.encode())
        assert headers["traceparent"].startswith(b"00-")


async def test_a_restarted_gateway_knows_views_sessions_keys_and_the_last_hand(house, kafka, topics):
    key = new_key()
    async with Responder(kafka, topics) as table:
        await table.publish(opened(), *everybody(), *to_the_end(41))
        await table.deal(41, version=8)
        async with house() as (url, operator):
            token = (await operator.open_session("bob")).token
            async with Player(url, token) as bob:
                assert (await bob.leave(TABLE, key)).accepted
        async with house() as (url, operator), Player(url, token) as bob:
            assert (await bob.subscribe(TABLE)).view.hands_played == 1
            assert (await bob.leave(TABLE, key)).accepted
            recalled = await bob.last_hand(TABLE)
            assert (recalled["replay"], recalled["hand"]) == (True, 41)
            assert " ".join(recalled["own"]["cards"]) == HOLE[2]
            seats = {seat["seat"]: " ".join(seat["cards"]) for seat in recalled["seats"]}
            assert (seats[1], seats[2]) == (HOLE[1], "")  # alice showed hers, bob's folded ones stay his own
        assert len({message.id for message, *_ in table.got}) == 1


async def test_a_start_reads_cards_from_where_somebody_may_ask_for_them(house, kafka, topics, monkeypatch):
    """It read each private deal of the day: 130 to 200 s of processor at 1,000 tables, as computed."""
    hear, heard = hears.hear_private_deal, []

    def counted(value, *rest):
        heard.append(value)
        hear(value, *rest)

    monkeypatch.setattr(hears, "EARLIER_MS", 200)
    monkeypatch.setattr(hears, "hear_private_deal", counted)

    async def play(hand: int) -> None:
        now = time.time_ns() // 1_000_000
        await table.publish(*(replace(fact, at=now) for fact in to_the_end(hand)))
        await table.deal(hand, version=table.version)
        await asyncio.sleep(1)

    async with Responder(kafka, topics) as table:
        await table.publish(opened(), *everybody())
        for hand in (41, 42):
            await play(hand)
        async with house() as (url, operator):
            token = (await operator.open_session("bob")).token
            async with Player(url, token) as bob:
                recalled = await bob.last_hand(TABLE)
                assert (recalled["hand"], " ".join(recalled["own"]["cards"])) == (42, HOLE[2])
        assert len(heard) == 3, "a card of each seat in the last hand"


async def test_what_becomes_of_sessions_is_known_at_every_gateway_and_after_a_restart(house, kafka, topics):
    async with Responder(kafka, topics) as table, house() as (_, at_one), house() as (there, at_another):
        await table.publish(opened(), *everybody())
        await in_the_lobby(at_one)
        await in_the_lobby(at_another)
        token, other = [(await at_one.open_session(name)).token for name in ("alice", "bob")]
        async with Player(there, token) as alice, Player(there, other) as bob:
            await alice.subscribe(TABLE)
            assert (await at_one._client.put("/players/alice/block", json={"reason": "fraud"})).is_success
            with pytest.raises(ConnectionLost):
                await alice.until(lambda: False, 30)
            assert (await bob.subscribe(TABLE)).version == 4
            assert (await bob.http._client.delete("/session")).is_success
            with pytest.raises(ConnectionLost):
                await bob.until(lambda: False, 30)
    async with house() as (_, again):
        with pytest.raises(ProblemReply, match="player-blocked"):
            await again.open_session("alice")
        for dead in (token, other):
            answer = await again._client.get("/session", headers={"authorization": f"Bearer {dead}"})
            assert answer.status_code in (401, 403)
        assert (await again._client.delete("/players/alice/block")).is_success
        assert (await again.open_session("alice")).token


async def test_no_answer_then_an_answer_under_the_same_key(house, kafka, topics):
    async with Responder(kafka, topics) as table, house() as (url, operator):
        await table.publish(opened(), *everybody())
        await in_the_lobby(operator)
        table.silent = True
        hasty = Player(url, (await operator.open_session("alice")).token, patience=0.5)
        async with hasty:
            seats = await hasty.subscribe(TABLE)
            await hasty.until(lambda: seats.version == 4, 30)
            key = new_key()
            with pytest.raises(Exception, match="no final answer"):
                await hasty.leave(TABLE, key)
            table.silent = False
            hasty._patience = 10
            assert (await hasty.leave(TABLE, key)).accepted
            with pytest.raises(ProblemReply, match="idempotency-key-reused"):
                await hasty.sit_out(TABLE, key=key)
        assert len({message.id for message, *_ in table.got}) == 1


async def test_poison_on_every_topic_it_reads_leaves_the_gateway_up(house, kafka, topics):
    async with Responder(kafka, topics) as table, house() as (url, operator):
        for where in (REPLIES, TABLE_PRIVATE, topic("table", "events")):
            for value in (b"", b"\xff\xfe", b"{", b"[1]", b"null", b'{"command_id": 5}', b"x" * 100_000):
                await table.write(where, TABLE.encode(), value)
        await table.deal(7, version=1, key=b"\x00" * 32)  # sealed under somebody else's key
        await table.publish(opened(), *everybody())
        await in_the_lobby(operator)
        async with Player(url, (await operator.open_session("alice")).token) as alice:
            assert (await alice.subscribe(TABLE)).version == 4
            assert (await alice.leave(TABLE)).accepted
            assert (await alice.view(TABLE))["own"]["cards"] == []
