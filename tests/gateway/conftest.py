"""The real application around an in-memory stand-in for Kafka's side, for unit tests only.

`House` answers commands as a test tells it to and publishes the events a test gives it, through the same functions that
read the real topics. The integration tests (`test_stack.py`) use the real broker instead.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx
import msgspec
import pytest
import pytest_asyncio
from fastapi import FastAPI

from libs.contracts import table_events as e
from libs.contracts.cloudevents_kafka import to_record
from libs.contracts.facts import TableEvent, TournamentEvent
from libs.contracts.messages import CommandMessage, PublicEvent, Reply
from libs.contracts.registry import encode_fact
from libs.contracts.roles import Role
from libs.edge.serve import serving
from libs.identity.access import Caller
from libs.identity.purpose import Read
from libs.journal.log import LogRecord
from libs.journal.marks import HEADER
from services.gateway.app.doors import Door
from services.gateway.app.gateway import Gateway
from services.gateway.http.application import application
from services.gateway.kafka.hears import hear_records, hear_reply
from services.gateway.settings import Settings
from services.gateway.wiring import gateway_with
from tests.gateway.hands import TABLE, opened
from tests.table.play import TableUnderTest
from tests.testkit.keys import key_of
from tests.testkit.logins import ISSUER, OPERATOR_TOKEN, operators_file, provider_client, staff_token
from tests.tournament.samples import tournament_samples
from tests.wallet.conftest import books_pool, database

Answering = Callable[[CommandMessage], Reply | None]


def accept(message: CommandMessage) -> Reply:
    return Reply(command_id=message.id, stream=message.stream, verdict="accepted", version=7)


@dataclass
class House:
    """Stands for Kafka and the deciding services behind it. Not real: unit tests only."""

    gateway: Gateway | None = None
    answer: Answering = accept
    sent: list[tuple[str, CommandMessage, str]] = field(default_factory=list)
    claims: list[CommandMessage] = field(default_factory=list)
    """Of operators' references and of a person's cash, each before the command that goes on with it."""
    versions: dict[str, int] = field(default_factory=dict)
    reads: list[dict[str, Any]] = field(default_factory=list)
    """What the auditor was asked to keep on record."""
    audit_answers: int = 204

    def keep_read(self, request: httpx.Request) -> httpx.Response:
        assert (request.method, request.url.path) == ("POST", "/v1/reads")
        self.reads.append(json.loads(request.content))
        return httpx.Response(self.audit_answers)

    def send(self, service: str, message: CommandMessage, traceparent: str) -> None:
        message = CommandMessage.decoded(message.encoded())
        if message.type in ("ClaimReference", "CountCash"):
            self.claims.append(message)
        else:
            self.sent.append((service, message, traceparent))
        reply = self.answer(message)
        if reply is not None and self.gateway is not None:
            hear_reply(_replied(service, reply), self.gateway.desk)

    def publish(self, *facts: TableEvent, table: str = TABLE, together: bool = False) -> None:
        """Each fact as a commit of its own, or all as one."""
        commits = [facts] if together and facts else [(fact,) for fact in facts]
        for commit in commits:
            self.publish_at(self.versions.get(table, 0) + 1, *commit, table=table)
            self.versions[table] = self.versions.get(table, 0) + len(commit)

    def publish_tournament(self, *facts: TournamentEvent, tournament: str = "t-1") -> None:
        """Each fact as a commit of its own."""
        assert self.gateway is not None
        for fact in facts:
            version = self.versions[tournament] = self.versions.get(tournament, 0) + 1
            hear_records([_record(version, fact, tournament, f"c{version}")], self.gateway.tournaments)

    def publish_at(self, version: int, *facts: TableEvent, table: str = TABLE) -> None:
        """One commit whose first event has this version."""
        assert self.gateway is not None
        hear_records(
            [_record(number, fact, table, f"c{version}") for number, fact in enumerate(facts, version)],
            self.gateway.floor,
        )

    @property
    def commands(self) -> list[CommandMessage]:
        return [message for _, message, _ in self.sent]


def _replied(service: str, reply: Reply) -> LogRecord:
    return LogRecord(0, b"", reply.encoded(), ((HEADER, bytes(34) + service.encode()),))


def _record(version: int, fact: TableEvent | TournamentEvent, table: str, causation: str) -> Any:
    name, data = encode_fact(msgspec.structs.replace(fact, at=fact.at or 1_000 * version))
    event = PublicEvent(
        stream=table, version=version, type=name, time=1_000 * version, causation=causation, data=data
    )  # fmt: skip
    key, value, headers = to_record(event)
    return SimpleNamespace(key=key, value=value, headers=headers, partition=0, offset=version)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    for name, text in (("gateway", "11" * 32), ("session", "22" * 32), ("wallet", "a-token-for-the-wallet")):
        (tmp_path / name).write_text(text + "\n")
    return Settings(
        bootstrap="nowhere:0",
        http_port=0,
        inner_port=0,
        gateway_key_file=tmp_path / "gateway",
        session_key_file=tmp_path / "session",
        wallet_token_file=tmp_path / "wallet",
        operators_file=operators_file(tmp_path),
        oidc_issuer=ISSUER,
        marks_file=tmp_path / "marks",
        reply_timeout_ms=300,
    )


def regulars(gateway: Gateway, table: str, *players: str) -> None:
    """Players who are let through to a table, as if they had just asked for a seat there."""
    for player in players:
        gateway.doorkeeper._coming[table, player] = {"": 1 << 62}


@pytest.fixture
def house() -> House:
    return House()


def _wallet(request: httpx.Request) -> httpx.Response:
    """The wallet's read API as far as passing it on needs: it tells which path was asked."""
    return httpx.Response(200, json={"asked": request.url.path})


@pytest_asyncio.fixture
async def gateway(settings: Settings, house: House) -> Gateway:
    wallet = httpx.AsyncClient(base_url="http://wallet", transport=httpx.MockTransport(_wallet))
    audit = httpx.AsyncClient(base_url="http://audit", transport=httpx.MockTransport(house.keep_read))
    house.gateway = gateway_with(settings, house, wallet, audit, provider_client())
    house.publish(opened())
    house.publish_tournament(*tournament_samples()[0:1], *tournament_samples()[2:4])
    regulars(house.gateway, TABLE, "alice", "bob", "carol")
    return house.gateway


class CurrentGateway:
    """Stands for the gateway of the test that runs, in what the application asks of it."""

    @property
    def callers(self) -> "CurrentGateway":
        return self

    trail = callers

    @property
    def reads(self) -> Any:
        return _gateway().callers.reads

    def now(self) -> int:
        return _gateway().callers.now()

    async def caller(self, authorization: str, address: str) -> Caller:
        return await _gateway().callers.caller(authorization, address)

    async def knows(self, authorization: str, address: str) -> bool:
        return await _gateway().callers.knows(authorization, address)

    def admit(self, caller: Caller) -> None:
        _gateway().admit(caller)

    async def record(self, read: Read) -> None:
        await _gateway().trail.record(read)


@cache
def _application() -> FastAPI:
    """One for all tests: to build its routes takes half a second."""
    return application(cast(Gateway, CurrentGateway()))


def _gateway() -> Gateway:
    return cast(Gateway, _application().state.gateway)


def application_of(gateway: Gateway) -> FastAPI:
    """Of one gateway at a time."""
    app = _application()
    app.state.gateway = gateway
    return app


@pytest_asyncio.fixture
async def url(gateway: Gateway):
    """The real server on a real port, for the WebSocket."""
    async with serving(application_of(gateway), 0) as port:
        yield f"http://127.0.0.1:{port}"


@pytest_asyncio.fixture
async def http(gateway: Gateway):
    """The ASGI application, without a socket."""
    app = application_of(gateway)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://gateway") as client:
        yield client


@pytest.fixture(autouse=True)
def young_keys() -> None:
    key_of.cache_clear()


@pytest.fixture
def operator() -> dict[str, str]:
    return {"authorization": f"Bearer {OPERATOR_TOKEN}"}


@pytest.fixture
def through(as_player: Callable[..., dict[str, str]]) -> Callable[..., dict[str, str]]:
    """Headers of one for whom a door is: alice, or somebody with the roles that the command names."""

    def headers(door: Door, key: str = "k1", player: str = "alice") -> dict[str, str]:
        if door.who == "player":
            return as_player(player, key)
        return {"authorization": f"Bearer {staff_token(*door.command.roles)}", "idempotency-key": key_of(key)}

    return headers


@pytest.fixture
def as_staff() -> Callable[..., dict[str, str]]:
    def headers(role: Role = "supervisor", key: str = "key-1", subject: str = "ana") -> dict[str, str]:
        return {"authorization": f"Bearer {staff_token(role, subject=subject)}", "idempotency-key": key_of(key)}

    return headers


@pytest.fixture
def token_of(gateway: Gateway) -> Callable[[str], str]:
    return lambda player: gateway.sessions.open(player, gateway.now())[0]


@pytest.fixture
def as_player(token_of) -> Callable[..., dict[str, str]]:
    def headers(player: str = "alice", key: str = "key-1") -> dict[str, str]:
        return {"authorization": f"Bearer {token_of(player)}", "idempotency-key": key_of(key)}

    return headers


See = Callable[..., Any]


@pytest.fixture
def show(house: House, http: httpx.AsyncClient, as_player: Any) -> See:
    """Publishes what the table has told since the last time, by commits, and gets it as a player sees it."""

    async def shown(table: TableUnderTest, player: str = "p1", path: str = "") -> Any:
        for end in table.ends:
            house.publish(*table.told[house.versions.get("t1", 0) : end], table="t1", together=True)
        answer = await http.get(f"/v1/tables/t1{path}", headers=as_player(player))
        assert answer.status_code == 200, answer.text
        return answer.json()

    return shown


__all__ = ["House", "See", "accept", "books_pool", "database", "e"]
