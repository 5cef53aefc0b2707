"""Tournament and tables as processes of their own on the real broker, each killed with SIGKILL while a tournament is
played to its last prize: nobody sits at two tables, no chip is made or lost, every place is taken once."""

import asyncio
import secrets
from pathlib import Path
from time import time
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from uuid6 import uuid7

from libs.broker import Broker
from libs.contracts import tournament_play_events as play
from libs.contracts import tournaments_commands as asked
from libs.contracts.cloudevents_kafka import from_record
from libs.contracts.commands import Command, message_of
from libs.contracts.messages import Principal
from libs.contracts.poker_commands import Act
from libs.contracts.poker_events import DecisionAwaited, HandStarted
from libs.contracts.registry import parse_event
from libs.contracts.topics import topic
from libs.contracts.tournament_events import EntrantEliminated, EntrantFinished, EntrantMoved, EntrantSeated
from libs.contracts.tournaments import digest_of
from libs.stack import Stack
from services.audit.verifying.facts import FactChecks
from services.cli.processes import ServiceProcess
from tests.testkit.marks import GATEWAY, mark_file, seal_file, written_by
from tests.testkit.partitions import partition_of
from tests.tournament.course import FLOOR, SUPERVISOR, definition
from tests.tournament.hall import FREEZE_OUT

pytestmark = [pytest.mark.stack, pytest.mark.usefixtures("created")]
PLAYERS = [f"p{number}" for number in range(1, 13)]
TOURNAMENT = "friday-1"
KILLS = {2: "tournament", 4: "table", 5: "tournament", 7: "table"}
"""By the number of hands begun, at all tables: early enough to come about however the cards fall."""


def _act(asked_for: DecisionAwaited) -> Act:
    """All in now and then, but in nobody's first hand, else check or call."""
    legal, hand, seat = asked_for.legal, asked_for.hand, asked_for.seat
    if legal.max_to is not None and (hand + 3 * seat) % 14 == 0:
        first = legal.check and asked_for.street != "preflop"
        return Act(hand=hand, seat=seat, act="bet" if first else "raise", to=legal.max_to)
    return Act(hand=hand, seat=seat, act="check" if legal.check else "call")


async def test_played_to_the_last_prize_whoever_is_killed(
    stack: Stack, kafka: Broker, topics: str, tmp_path: Path
) -> None:
    def environment(service: str) -> dict[str, str]:
        own = {"CROUPIER_TOPIC_PREFIX": topics, "CROUPIER_MARKS_FILE": str(mark_file(tmp_path, service)),
               "CROUPIER_SEAL_FILE": str(seal_file(tmp_path, service))}  # fmt: skip
        return stack.broker(service).environment() | own

    for name in ("kek", "gateway"):
        (tmp_path / name).write_text(secrets.token_hex(32))
    keys = {"CROUPIER_KEK_FILE": str(tmp_path / "kek"), "CROUPIER_GATEWAY_KEY_FILE": str(tmp_path / "gateway")}
    processes = {
        "table": ServiceProcess("table", environment("table") | keys, tmp_path / "table.out"),
        "tournament": ServiceProcess("tournament", environment("tournament"), tmp_path / "tournament.out"),
    }
    names = [topics + topic(service, "events").name for service in processes]
    checks, findings, at = FactChecks(), list[Any](), dict[str, str]()
    hands, completed = 0, list[play.TournamentCompleted]()
    async with (
        AIOKafkaProducer(**kafka.options(), acks="all") as producer,
        AIOKafkaConsumer(*names, **kafka.options(), auto_offset_reset="earliest") as consumer,
    ):

        async def send(stream: str, by: Principal, body: Command) -> None:
            name = topics + topic(body.service, "commands").name
            message = message_of(body, id=uuid7(), stream=stream, by=by)
            record = written_by(GATEWAY, name, partition_of(stream), stream.encode(), message.encoded())
            await producer.send_and_wait(**record)

        async def hear(fact: Any) -> None:
            nonlocal hands
            match fact:
                case EntrantSeated():
                    assert fact.player not in at, f"{fact.player} sits at two tables"
                    at[fact.player] = fact.table
                case EntrantMoved() | EntrantEliminated() | EntrantFinished():
                    assert at.pop(fact.player) == fact.table
                case DecisionAwaited():
                    await send(fact.table, Principal("player", fact.player), _act(fact))
                case HandStarted():
                    hands += 1
                    if (victim := KILLS.get(hands)) is not None:
                        await processes[victim].kill()
                        await processes[victim].start()
                case play.TournamentCompleted():
                    completed.append(fact)

        try:
            for process in processes.values():
                await process.start()
            for process in processes.values():
                await process.ready()
            rules = definition(
                **{
                    **FREEZE_OUT, "table": {"structure": "no_limit", "decision_ms": 3_000, "between_hands_ms": 0},
                    "currency": "FUN", "buy_in": {"amount": 0, "prize": 0}, "guarantee": 10_000, "seats": 4,
                    "min_players": 6, "starts_at": int(time() * 1000) + 6_000,
                    "levels": [
                        {"small_blind": 50 * 3**n, "big_blind": 100 * 3**n, "lasts_ms": 8_000} for n in range(6)
                    ],
                }
            )  # fmt: skip
            await send(TOURNAMENT, FLOOR, asked.ProposeTournament(name="Friday", definition=rules))
            await send(TOURNAMENT, SUPERVISOR, asked.ApproveTournament(digest=digest_of(rules)))
            for player in PLAYERS:
                await send(TOURNAMENT, Principal("player", player), asked.RegisterPlayer(entry=f"entry-{player}"))
            async with asyncio.timeout(150):
                while not completed or at:
                    record = await consumer.getone()
                    event = from_record(record.key, record.value, record.headers)
                    if (
                        checks.versions.get((event.service, event.stream), 0) < event.version
                    ):  # after a kill some are told again
                        fact = parse_event(event)
                        findings.extend(checks.take(event, fact, None))
                        await hear(fact)
        finally:
            for process in processes.values():
                await process.stop()

    [result] = completed
    tied = {(each.first, each.last) for each in result.results}
    assert sorted(p for first, last in tied for p in range(first, last + 1)) == list(range(1, len(PLAYERS) + 1))
    assert sum(each.prize for each in result.results) == 10_000
    assert {each.player for each in result.results} == set(PLAYERS)
    assert hands >= max(KILLS), "they were all killed"
    assert findings == []
