"""Table and wallet on the real broker, joined by nothing but their policies: buy-in, refusal, hands, leaving, books."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
import pytest_asyncio
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from uuid6 import uuid7

from libs.broker import Broker
from libs.contracts import poker_events as poker
from libs.contracts import table_commands as table
from libs.contracts import table_events as events
from libs.contracts import wallet_commands as wallet
from libs.contracts.cloudevents_kafka import from_record
from libs.contracts.commands import Command, message_of
from libs.contracts.messages import Message, Principal
from libs.contracts.poker_commands import Act
from libs.contracts.registry import parse_event
from libs.contracts.topics import topic
from libs.contracts.wallet_commands import account_id
from libs.journal.observer import Observer
from libs.stack import Stack
from services.table import wiring as table_wiring
from services.table.settings import TableSettings
from services.wallet import wiring as wallet_wiring
from services.wallet.settings import WalletSettings
from tests.conftest import login_at
from tests.table.play import PORTUGAL, configuration
from tests.testkit.logins import AS_PLATFORM, operators_file
from tests.testkit.marks import GATEWAY, mark_file, seal_file, written_by
from tests.testkit.partitions import partition_of

pytestmark = [pytest.mark.stack, pytest.mark.usefixtures("created")]
TABLE = "table-7"


class House:
    """Everybody outside: staff, operator, and players who check or call whatever comes."""

    def __init__(self, broker: Broker, prefix: str, url: str) -> None:
        self.prefix = prefix
        self.producer = AIOKafkaProducer(**broker.options(), acks="all")
        self.events = AIOKafkaConsumer(
            prefix + topic("table", "events").name, **broker.options(), auto_offset_reset="earliest"
        )
        self.http = httpx.AsyncClient(base_url=url, headers=AS_PLATFORM)
        self.seen: list[Message] = []

    async def send(self, service: str, stream: str, kind: str, who: str, body: Command) -> None:
        by = Principal(kind, who)  # type: ignore[arg-type]
        wish = uuid7()
        if isinstance(body, table.TakeSeat):  # as the gateway names it
            body = msgspec.structs.replace(body, reservation=f"reservation-{wish}")
        message = message_of(body, id=wish, stream=stream, by=by)
        name = self.prefix + topic(service, "commands").name
        record = written_by(GATEWAY, name, partition_of(stream), stream.encode(), message.encoded())
        await self.producer.send_and_wait(**record)

    async def player(self, name: str, body: Command) -> None:
        await self.send("table", TABLE, "player", name, body)

    async def until(self, wanted: Any, playing: bool = False) -> Message:
        """The first event from here on that `wanted` takes; meanwhile everybody checks or calls if `playing`."""
        async with asyncio.timeout(60):
            async for record in self.events:
                body = parse_event(from_record(record.key, record.value, record.headers))
                self.seen.append(body)
                if playing and isinstance(body, poker.DecisionAwaited):
                    act = Act(hand=body.hand, seat=body.seat, act="check" if body.legal.check else "call")
                    await self.player(body.player, act)
                if wanted(body):
                    return body
        raise AssertionError


@pytest_asyncio.fixture
async def house(stack: Stack, kafka: Broker, topics: str, house_database: str, tmp_path: Path) -> AsyncIterator[House]:
    for name in ("kek", "gateway"):
        (tmp_path / name).write_text(secrets.token_hex(32))
    of_table = TableSettings(
        **stack.broker("table").settings(), topic_prefix=topics, inner_port=0, kek_file=tmp_path / "kek",
        gateway_key_file=tmp_path / "gateway", marks_file=mark_file(tmp_path, "table"),
        seal_file=seal_file(tmp_path, "table"))  # fmt: skip
    of_wallet = WalletSettings(
        **stack.broker("wallet").settings(), database_url=login_at(stack, house_database, "wallet"),
        topic_prefix=topics, http_port=0, inner_port=0, operators_file=operators_file(tmp_path),
        marks_file=mark_file(tmp_path, "wallet"), seal_file=seal_file(tmp_path, "wallet"))  # fmt: skip
    async with table_wiring.running(of_table), wallet_wiring.running(of_wallet, Observer()) as ports:
        around = House(kafka, topics, f"http://127.0.0.1:{ports.public}")
        async with around.producer, around.events, around.http:
            yield around


async def settled_books(house: House) -> dict[str, Any]:
    async with asyncio.timeout(60):
        while True:
            balance = (await house.http.get("/v1/trial-balance")).json()
            groups = {group["group"]: group["balance"] for group in balance["groups"]}
            # Before the tables' events are read nobody has a stack, and the sums are right as well.
            home = groups.get("player", 0) + groups.get("rake", 0) == 100_000
            if home and "stack" in groups and not groups.get("in-transit"):
                return dict(balance) | {"by": groups}
            await asyncio.sleep(0.1)


@pytest.mark.rule("pt-811-2015", "8", "10", "13", "67")
async def test_from_the_buy_in_to_the_books(house: House) -> None:
    opened = table.OpenTable(name="Seven", rulebook=PORTUGAL, configuration=configuration(between_hands_ms=1))
    await house.send("table", TABLE, "staff", "bo", opened)
    for name in ("ann", "bob", "poor"):
        account = account_id(name, "EUR")
        amount = 0 if name == "poor" else 50_000
        await house.send("wallet", account, "operator", "acme", wallet.OpenAccount(player=name, currency="EUR"))
        if amount:
            await house.send("wallet", account, "operator", "acme", wallet.DepositFunds(reference="d", amount=amount))
    await house.until(lambda e: isinstance(e, events.TableOpened))

    await house.player("poor", table.TakeSeat(reservation="r-poor", amount=10_000))
    refused = await house.until(lambda e: isinstance(e, events.SeatReleased))
    for name in ("ann", "bob"):
        await house.player(name, table.TakeSeat(reservation=f"r-{name}", amount=10_000))
    await house.until(lambda e: isinstance(e, poker.HandEnded) and e.hand == 3, playing=True)
    for name in ("ann", "bob"):
        await house.player(name, table.LeaveTable())
    left: set[str] = set()

    def both_left(event: Message) -> bool:
        left.update([event.player] if isinstance(event, events.PlayerLeft) else [])
        return left == {"ann", "bob"}

    await house.until(both_left, playing=True)

    assert isinstance(refused, events.SeatReleased)
    assert (refused.player, refused.reason) == ("poor", "reserve_refused")
    books = await settled_books(house)
    assert (books["balanced"], books["disagreements"], books["open_pots"]) == (True, 0, 0)
    assert books["by"]["stack"] == 0
    raked = sum(event.rake for event in house.seen if isinstance(event, poker.HandEnded))
    assert books["by"]["rake"] == raked > 0
    results = 0
    for name in ("ann", "bob"):
        [session] = (await house.http.get(f"/v1/players/{name}/statements")).json()
        assert session["totals"][0]["hands"] >= 3
        results += session["totals"][0]["result"]
    assert results == -raked
