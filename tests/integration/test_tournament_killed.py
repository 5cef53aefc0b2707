"""Tournament and wallet as processes of their own on the real broker, each killed with SIGKILL while players register:
every entry is paid once, and a cancelled tournament gives back every cent."""

import asyncio
from pathlib import Path
from time import time
from typing import Any

import httpx
import msgspec
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from uuid6 import uuid7

from libs.broker import Broker
from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.contracts.cloudevents_kafka import from_record
from libs.contracts.commands import Command, message_of
from libs.contracts.facts import Fact
from libs.contracts.messages import Principal
from libs.contracts.registry import parse_event
from libs.contracts.topics import topic
from libs.contracts.tournaments import digest_of
from libs.contracts.wallet_commands import DepositFunds, OpenAccount, account_id
from libs.stack import Stack
from services.audit.verifying.facts import FactChecks
from services.cli.processes import ServiceProcess
from tests.conftest import login_at
from tests.testkit.logins import AS_PLATFORM, operators_file
from tests.testkit.marks import GATEWAY, mark_file, seal_file, written_by
from tests.testkit.partitions import partition_of
from tests.tournament.course import FLOOR, SUPERVISOR, definition

pytestmark = [pytest.mark.stack, pytest.mark.usefixtures("created")]
OPERATOR = Principal("operator", "acme")
PLAYERS = [f"p{number}" for number in range(40)]
TOURNAMENT = "sunday-1"


async def test_killed_while_players_register_and_every_cent_comes_home(
    stack: Stack, kafka: Broker, topics: str, house_database: str, tmp_path: Path
) -> None:
    def environment(service: str) -> dict[str, str]:
        own = {"CROUPIER_TOPIC_PREFIX": topics, "CROUPIER_MARKS_FILE": str(mark_file(tmp_path, service)),
               "CROUPIER_SEAL_FILE": str(seal_file(tmp_path, service))}  # fmt: skip
        return stack.broker(service).environment() | own

    books = {
        "DATABASE_URL": login_at(stack, house_database, "wallet"),
        "CROUPIER_OPERATORS_FILE": str(operators_file(tmp_path)),
    }
    processes = {
        "wallet": ServiceProcess("wallet", environment("wallet") | books, tmp_path / "wallet.out"),
        "tournament": ServiceProcess("tournament", environment("tournament"), tmp_path / "tournament.out"),
    }
    names = [topics + topic(service, "events").name for service in processes]
    checks = FactChecks()
    findings: list[Any] = []
    seen: list[Fact] = []
    async with (
        AIOKafkaProducer(**kafka.options(), acks="all") as producer,
        AIOKafkaConsumer(*names, **kafka.options(), auto_offset_reset="earliest") as consumer,
        httpx.AsyncClient(headers=AS_PLATFORM) as http,
    ):

        async def send(stream: str, by: Principal, body: Command) -> None:
            name = topics + topic(body.service, "commands").name
            wish = uuid7()
            if isinstance(body, asked.RegisterPlayer):  # as the gateway names it, at the tournament's price
                body = msgspec.structs.replace(body, entry=f"entry-{wish}", price=2_200)
            message = message_of(body, id=wish, stream=stream, by=by)
            record = written_by(GATEWAY, name, partition_of(stream), stream.encode(), message.encoded())
            await producer.send_and_wait(**record)

        async def until(kind: type[Fact], count: int) -> None:
            async with asyncio.timeout(90):
                while sum(isinstance(each, kind) for each in seen) < count:
                    record = await consumer.getone()
                    event = from_record(record.key, record.value, record.headers)
                    if (
                        checks.versions.get((event.service, event.stream), 0) < event.version
                    ):  # after a kill some are told again
                        seen.append(parse_event(event))
                        findings.extend(checks.take(event, seen[-1]))

        async def again(service: str) -> None:
            await processes[service].kill()
            await processes[service].start()

        try:
            for process in processes.values():
                await process.start()
            for process in processes.values():
                await process.ready()
            for player in PLAYERS:
                await send(account_id(player, "EUR"), OPERATOR, OpenAccount(player=player, currency="EUR"))
                await send(account_id(player, "EUR"), OPERATOR, DepositFunds(reference="d", amount=3_000))
            rules = definition(starts_at=int(time() * 1000) + 3_600_000)
            await send(TOURNAMENT, FLOOR, asked.ProposeTournament(name="Sunday", definition=rules))
            await send(TOURNAMENT, SUPERVISOR, asked.ApproveTournament(digest=digest_of(rules)))
            for number, player in enumerate(PLAYERS):
                await send(TOURNAMENT, Principal("player", player), asked.RegisterPlayer(entry=f"entry-{player}"))
                if number == 15:
                    await again("tournament")
                if number == 30:
                    await again("wallet")
            await until(told.PlayerRegistered, len(PLAYERS))
            fault = asked.ProposeCancellation(cause="technical", reason="the hall is dark")
            await send(TOURNAMENT, FLOOR, fault)
            await send(TOURNAMENT, SUPERVISOR, asked.ConfirmCancellation(sheet=1))
            await again("tournament")
            async with asyncio.timeout(90):
                while True:
                    await processes["wallet"].ready()
                    balance = (await http.get(f"{processes['wallet'].url}/v1/trial-balance")).json()
                    groups = {group["group"]: group["balance"] for group in balance["groups"]}
                    if groups.get("player") == 3_000 * len(PLAYERS) and "tournament-prize" in groups:
                        break
                    await asyncio.sleep(0.2)
        finally:
            for process in processes.values():
                await process.stop()

    assert [processes[name].starts for name in ("tournament", "wallet")] == [3, 2]
    assert groups == {
        "operator-cash": -3_000 * len(PLAYERS), "player": 3_000 * len(PLAYERS), "in-transit": 0,
        "tournament-prize": 0, "tournament-fee": 0,
    }  # fmt: skip
    assert (balance["balanced"], balance["disagreements"], findings) == (True, 0, [])
