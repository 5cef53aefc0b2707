"""The wallet as a process of its own, killed with SIGKILL while it decides, reacts and keeps books: each thing once."""

import asyncio
from pathlib import Path
from time import time
from typing import Any

import httpx
import pytest
from aiokafka import AIOKafkaProducer
from uuid6 import uuid7

from libs.broker import Broker
from libs.contracts import table_events as table
from libs.contracts.cloudevents_kafka import to_record
from libs.contracts.commands import Command, message_of
from libs.contracts.facts import TableEvent
from libs.contracts.messages import CommandMessage, Principal, PublicEvent
from libs.contracts.registry import encode_fact, wire_name
from libs.contracts.table_commands import TakeSeat
from libs.contracts.topics import topic
from libs.contracts.wallet_commands import DepositFunds, OpenAccount, account_id
from libs.stack import Stack
from services.cli.processes import ServiceProcess
from tests.conftest import login_at
from tests.testkit.logins import AS_PLATFORM, operators_file
from tests.testkit.marks import GATEWAY, mark_file, seal_file, written_by
from tests.testkit.marks import TABLE as MARKS
from tests.testkit.partitions import partition_of
from tests.wallet.script import configuration

pytestmark = [pytest.mark.stack, pytest.mark.usefixtures("created")]
PLAYERS = ("ann", "bob", "cleo", "dora")
SITTINGS = 80
DEPOSIT = 2_000
"""Enough for all of a player's sittings at once: what one takes home comes by the table's escrow, a moment later."""
TABLE = "table-7"


def wishes() -> list[CommandMessage]:
    """What gateways make of players who ask for a seat; no table of this test decides it."""
    return [
        message_of(
            TakeSeat(reservation="r", amount=100), id=uuid7(), stream=TABLE,
            by=Principal("player", PLAYERS[number % 4]),
        )
        for number in range(SITTINGS)
    ]  # fmt: skip


def story(asked: list[CommandMessage]) -> list[TableEvent]:
    """Seats taken and left again, one after the other; everybody takes home what was brought."""
    opened = table.TableOpened(
        table=TABLE, name="t", configuration=configuration("pt-811-2015-omaha", "real"), rulebook_hash="00"
    )
    told: list[TableEvent] = [opened]
    for wish in asked:
        who: dict[str, Any] = {
            "table": TABLE,
            "reservation": f"reservation-{wish.id}",
            "player": wish.principal.id,
            "seat": 1,
            "currency": "EUR",
        }
        told.append(table.SeatReserved(**who, amount=100, until=0))
        told.append(
            table.PlayerSeated(**who, amount=100, commission=0, stack=100, kind="real", rulebook="pt-811-2015-omaha")
        )
        told.append(table.PlayerLeft(**who, stack=100, reason="player"))
    return told


def record(version: int, body: TableEvent) -> PublicEvent:
    return PublicEvent(
        stream=TABLE, version=version, type=wire_name(type(body)), time=int(time() * 1000), causation="c",
        data=encode_fact(body)[1])  # fmt: skip


@pytest.mark.rule("pt-811-2015", "72", "10")
async def test_killed_twice_and_nothing_lost_or_doubled(
    stack: Stack, kafka: Broker, topics: str, house_database: str, tmp_path: Path
) -> None:
    environment = stack.broker("wallet").environment() | {
        "DATABASE_URL": login_at(stack, house_database, "wallet"),
        "CROUPIER_TOPIC_PREFIX": topics,
        "CROUPIER_OPERATORS_FILE": str(operators_file(tmp_path)),
        "CROUPIER_MARKS_FILE": str(mark_file(tmp_path, "wallet")),
        "CROUPIER_SEAL_FILE": str(seal_file(tmp_path, "wallet")),
    }
    wallet = ServiceProcess("wallet", environment, tmp_path / "wallet.out")
    async with (
        AIOKafkaProducer(**kafka.options(), acks="all") as producer,
        httpx.AsyncClient(headers=AS_PLATFORM) as http,
    ):

        async def send(service: str, message: CommandMessage) -> None:
            name, stream = topics + topic(service, "commands").name, message.stream
            record = written_by(GATEWAY, name, partition_of(stream), stream.encode(), message.encoded())
            await producer.send_and_wait(**record)

        async def command(stream: str, body: Command) -> None:
            await send("wallet", message_of(body, id=uuid7(), stream=stream, by=Principal("operator", "acme")))

        for player in PLAYERS:
            await command(account_id(player, "EUR"), OpenAccount(player=player, currency="EUR"))
            await command(account_id(player, "EUR"), DepositFunds(reference="d", amount=DEPOSIT))
        await wallet.start()
        await wallet.ready()
        asked = wishes()
        for wish in asked:
            await send("table", wish)
        told = story(asked)
        for version, body in enumerate(told, start=1):
            key, value, headers = to_record(record(version, body))
            name = topics + topic("table", "events").name
            await producer.send_and_wait(**written_by(MARKS, name, partition_of(TABLE), key, value, headers))
            if version in (len(told) // 3, 2 * len(told) // 3):
                await wallet.kill()
                await wallet.start()
        try:
            async with asyncio.timeout(60):
                while True:
                    await wallet.ready()
                    balance = (await http.get(f"{wallet.url}/v1/trial-balance")).json()
                    if balance["transfers"] >= len(PLAYERS) + 4 * SITTINGS:
                        break
                    await asyncio.sleep(0.2)
            await asyncio.sleep(0.5)  # anything that was doubled would arrive now
            balance = (await http.get(f"{wallet.url}/v1/trial-balance")).json()
            gaps = (await http.get(f"{wallet.url}/v1/gaps")).json()
        finally:
            await wallet.stop()

    assert wallet.starts == 3
    assert balance["transfers"] == len(PLAYERS) + 4 * SITTINGS
    assert (balance["balanced"], balance["disagreements"]) == (True, 0)
    assert gaps == {"open": [], "parked": 0}
    assert {g["group"]: g["balance"] for g in balance["groups"]} == {
        "operator-cash": -4 * DEPOSIT, "player": 4 * DEPOSIT, "in-transit": 0, "stack": 0}  # fmt: skip
