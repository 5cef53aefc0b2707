"""The whole wallet on the real broker and database: commands in, events out, policies answer, books follow."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from time import time
from typing import Any, TypeVar

import asyncpg
import httpx
import pytest
import pytest_asyncio
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from uuid6 import uuid7

from libs.broker import Broker
from libs.contracts import table_events as table
from libs.contracts.bank_events import BankToppedUp
from libs.contracts.cloudevents_kafka import from_record, to_record
from libs.contracts.commands import Command, message_of
from libs.contracts.escrow_events import HomeCovered, HomeHeld, ReserveNoted
from libs.contracts.facts import Fact, TableEvent
from libs.contracts.messages import Principal, PublicEvent, Reply
from libs.contracts.registry import encode_fact, parse_event, wire_name
from libs.contracts.table_commands import TakeSeat
from libs.contracts.topics import REPLIES, topic
from libs.contracts.wallet_commands import DepositFunds, OpenAccount, WithdrawFunds
from libs.contracts.wallet_events import FundsReserved, SittingSettled
from libs.journal.log import LogRewritten
from libs.journal.observer import Observer
from libs.projecting import open_pool
from libs.stack import Stack
from services.wallet import wiring
from services.wallet.projections import ROLE
from services.wallet.settings import WalletSettings
from services.wallet.wiring import running
from tests.conftest import login_at
from tests.testkit.logins import AS_PLATFORM, operators_file
from tests.testkit.marks import GATEWAY, mark_file, seal_file, written_by
from tests.testkit.marks import TABLE as TABLE_MARKS
from tests.testkit.partitions import partition_of
from tests.wallet.script import configuration

pytestmark = [pytest.mark.stack, pytest.mark.usefixtures("created")]
ACCOUNT = "account-ann-EUR"

SaidT = TypeVar("SaidT", bound=Fact)


class House:
    """What stands around the wallet in this test: an operator who commands, a table that publishes, a reader."""

    def __init__(self, broker: Broker, prefix: str, url: str, inner: str) -> None:
        self.prefix, self.inner = prefix, inner
        self.producer = AIOKafkaProducer(**broker.options(), acks="all")
        self.replies = self._reader(broker, REPLIES.name)
        self.events = self._reader(broker, topic("wallet", "events").name)
        self.http = httpx.AsyncClient(base_url=url, headers=AS_PLATFORM, timeout=60.0)  # its loop is the service's, too
        self._versions: dict[str, int] = {}
        self._seen: list[tuple[PublicEvent, Fact]] = []

    def _reader(self, broker: Broker, name: str) -> AIOKafkaConsumer:
        return AIOKafkaConsumer(self.prefix + name, **broker.options(), auto_offset_reset="earliest")

    async def start(self) -> None:
        for part in (self.producer, self.replies, self.events):
            await part.start()

    async def stop(self) -> None:
        await self.http.aclose()
        for part in (self.producer, self.replies, self.events):
            await part.stop()

    async def command(self, body: Command, kind: str = "operator") -> Reply:
        by = Principal(kind, "acme")  # type: ignore[arg-type]
        message = message_of(body, id=uuid7(), stream=ACCOUNT, by=by)
        await self.send(topic("wallet", "commands").name, ACCOUNT, message.encoded())
        async with asyncio.timeout(60):
            async for record in self.replies:
                reply = Reply.decoded(record.value)
                if reply.command_id == message.id:
                    return reply
        raise AssertionError

    async def wishes(self, player: str, amount: int) -> str:
        """What a gateway makes of a wish for a seat, which no table of this test decides; the sitting's id."""
        wish = message_of(
            TakeSeat(reservation="r", amount=amount), id=uuid7(), stream="table-7", by=Principal("player", player)
        )
        await self.send(topic("table", "commands").name, "table-7", wish.encoded())
        return f"reservation-{wish.id}"

    async def happens(self, body: TableEvent) -> None:
        version = self._versions[body.table] = self._versions.get(body.table, 0) + 1
        event = PublicEvent(
            stream=body.table, version=version, type=wire_name(type(body)), time=int(time() * 1000),
            causation="c", data=encode_fact(body)[1])  # fmt: skip
        key, value, headers = to_record(event)
        await self.send(topic("table", "events").name, body.table, value, key=key, headers=list(headers))

    async def send(self, name: str, stream: str, value: bytes, **more: Any) -> None:
        marks = TABLE_MARKS if name == topic("table", "events").name else GATEWAY
        key = more.get("key", stream.encode())
        record = written_by(marks, self.prefix + name, partition_of(stream), key, value, more.get("headers", ()))
        await self.producer.send_and_wait(**record)

    async def wallet_says(self, wanted: type[SaidT]) -> SaidT:
        async with asyncio.timeout(60):
            async for record in self.events:
                body = parse_event(from_record(record.key, record.value, record.headers))
                if isinstance(body, wanted):
                    return body
        raise AssertionError

    async def until_refused(self, begins: str = "transaction", patience_s: float = 30) -> str:
        """Why the books are not gone on with."""
        async with asyncio.timeout(patience_s):
            while True:
                answer = await self.http.get(f"{self.inner}/health/ready")
                said: str = answer.json()["missing"].get("books", "")
                if said.startswith(begins):
                    assert answer.status_code == 503
                    return said
                await asyncio.sleep(0.1)

    async def until(self, path: str, done: Any) -> Any:
        async with asyncio.timeout(60):
            while True:
                answer = await self.http.get(path)
                if answer.status_code == 200 and done(answer.json()):
                    return answer.json()
                await asyncio.sleep(0.05)


@pytest_asyncio.fixture
async def house(stack: Stack, kafka: Broker, topics: str, house_database: str, tmp_path: Path) -> AsyncIterator[House]:
    own, file = stack.broker("wallet").settings(), operators_file(tmp_path)
    settings = WalletSettings(
        **own,
        database_url=login_at(stack, house_database, "wallet"),
        topic_prefix=topics,
        http_port=0,
        inner_port=0,
        operators_file=file,
        marks_file=mark_file(tmp_path, "wallet"),
        seal_file=seal_file(tmp_path, "wallet"),
    )
    async with running(settings, Observer()) as ports:
        around = House(kafka, topics, f"http://127.0.0.1:{ports.public}", f"http://127.0.0.1:{ports.inner}")
        await around.start()
        await around.until(f"{around.inner}/health/ready", lambda answer: True)
        yield around
        await around.stop()


async def test_from_a_deposit_over_a_sitting_to_the_statement(house: House) -> None:
    assert (await house.command(DepositFunds(reference="r1", amount=50_000))).reason == "unknown_account"
    assert (await house.command(OpenAccount(player="ann", currency="EUR"))).version == 1
    first = await house.command(DepositFunds(reference="r1", amount=50_000))
    again = await house.command(DepositFunds(reference="r1", amount=50_000))
    other = await house.command(DepositFunds(reference="r1", amount=60_000))
    assert [(r.verdict, r.version, r.reason) for r in (first, again, other)] == [
        ("accepted", 2, None),
        ("accepted", 2, None),
        ("rejected", 2, "reference_conflict"),
    ]
    assert (await house.command(WithdrawFunds(reference="w1", amount=1), kind="player")).reason == "not_allowed"

    opened = table.TableOpened(
        table="table-7", name="t", configuration=configuration("pt-811-2015-omaha", "real"), rulebook_hash="00"
    )
    await house.happens(opened)
    s1 = await house.wishes("ann", 10_000)
    for sitting, amount in (("reservation-of-nobody", 50_000), (s1, 50_000), (s1, 10_000)):  # one is what ann wants
        await house.happens(table.SeatReserved(
            table="table-7", reservation=sitting, player="ann", seat=3, amount=amount, currency="EUR",
            until=0))  # fmt: skip
    reserved = await house.wallet_says(FundsReserved)
    assert (reserved.reserve, reserved.sitting, reserved.table, reserved.available, reserved.reserved) == (
        s1,
        s1,
        "table-7",
        40_000,
        10_000,
    )

    # A record that is no event lies in between: it is set aside and the stream goes on.
    await house.send(topic("table", "events").name, "table-7", b"\xff\x00 nonsense", headers=[("x", b"\xff")])
    await house.happens(table.PlayerSeated(
        table="table-7", reservation=s1, player="ann", seat=3, amount=10_000, commission=0, stack=10_000,
        currency="EUR", kind="real", rulebook="pt-811-2015-omaha"))  # fmt: skip
    seated = await house.until("/v1/players/ann/accounts", lambda found: found[0]["at_tables"] == 10_000)
    assert seated[0]["available"] == 40_000

    await house.happens(table.PlayerLeft(
        table="table-7", reservation=s1, player="ann", seat=3, stack=10_000, currency="EUR",
        reason="player"))  # fmt: skip
    settled = await house.wallet_says(SittingSettled)
    assert (settled.brought, settled.returned, settled.available, settled.reserved) == (10_000, 10_000, 50_000, 0)

    final = await house.until("/v1/trial-balance", lambda found: found["transfers"] == 5)
    assert (final["balanced"], final["difference"], final["disagreements"]) == (True, {"EUR": 0}, 0)
    assert (await house.http.get("/v1/totals")).json() == {"EUR": 0}
    statements = await house.until("/v1/players/ann/statements", lambda found: found)
    assert (statements[0]["totals"][0]["result"], statements[0]["parts"][0]["table"]) == (0, "table-7")
    assert (await house.http.get("/v1/gaps")).json() == {"open": [], "parked": 1}
    missing = await house.http.get("/v1/players/nobody/accounts")
    assert (missing.status_code, missing.headers["content-type"]) == (404, "application/problem+json")
    metrics = (await house.http.get(f"{house.inner}/metrics")).text
    assert "croupier_projected_events_total" in metrics
    assert 'type="SettleSitting"} 1.0' in metrics


async def test_no_more_leaves_a_table_than_was_brought_there(house: House) -> None:
    """With the table service's own marks: a stack of millions became money of who had sat down with the least."""
    await house.command(OpenAccount(player="ann", currency="EUR"))
    await house.command(DepositFunds(reference="r1", amount=50_000))
    sitting = await house.wishes("ann", 10_000)
    of: dict[str, Any] = {"table": "table-7", "reservation": sitting, "player": "ann", "seat": 3, "currency": "EUR"}
    await house.happens(table.SeatReserved(**of, amount=10_000, until=0))
    await house.wallet_says(ReserveNoted)
    await house.happens(BankToppedUp(
        table="table-7", currency="EUR", kind="real", change="c", amount=9_000_000, bank=9_000_000, requested_by="bo",
        by="eve"))  # fmt: skip
    await house.happens(table.PlayerLeft(**{**of, "reservation": "of-nobody"}, stack=10_000, reason="player"))
    await house.happens(table.PlayerLeft(**of, stack=5_000_000, reason="player"))
    held = await house.wallet_says(HomeHeld)
    assert (held.left, held.claim.amount) == (10_000, 5_000_000)
    await house.happens(table.SeatReleased(
        table="table-7", reservation=sitting, player="ann", seat=3, currency="EUR", reason="lapsed"))  # fmt: skip
    await house.happens(table.RefundSent(**of, amount=10_000))
    covered = await house.wallet_says(HomeCovered)
    assert (covered.claim.amount, covered.left) == (10_000, 0)
    assert (await house.wallet_says(HomeHeld)).claim.amount == 10_000, "as chips or as a seat's reserve: not as both"
    mine = "/v1/players/ann/accounts"
    await house.until(mine, lambda found: found[0]["available"] == 50_000)
    assert (await house.command(WithdrawFunds(reference="w1", amount=50_001))).reason == "insufficient_funds"


async def test_who_moves_the_position_withholds_nothing_unseen(house: House, stack: Stack, house_database: str) -> None:
    """With the wallet's database login: a withdrawal was paid out, never booked, and nothing told."""
    await house.command(OpenAccount(player="ann", currency="EUR"))
    await house.command(DepositFunds(reference="r1", amount=50_000))
    mine = "/v1/players/ann/accounts"
    await house.until(mine, lambda found: found[0]["available"] == 50_000)
    forward = f"""update streams set version = version + 1, seen = seen + 1 where stream = '{ACCOUNT}';
                  update positions set position = position + 1, accepted = accepted + 1
                   where topic like '%wallet.events%' and partition = {partition_of(ACCOUNT)}"""
    async with await open_pool(login_at(stack, house_database, "wallet"), "wallet", role=ROLE) as thief:
        await thief.execute(forward)
        await thief.execute("update rake_accounts set rake = 0")
    await house.command(WithdrawFunds(reference="w1", amount=40_000))

    said = await house.until_refused()
    assert re.search(r"^transaction \d+ wrote to positions, streams: no mark$", said)
    assert (await house.http.get("/v1/rake-accounts")).json()["type"] == "urn:croupier:problem:record-not-true"
    async with await open_pool(house_database, "wallet") as owner:
        await owner.execute(forward.replace("+ 1", "- 1"))
        await owner.execute("delete from writings")
    await house.until(mine, lambda found: found[0]["available"] == 10_000)
    await house.until(f"{house.inner}/health/ready", lambda answer: True)


@pytest.mark.parametrize("held", ["positions", "balances"])
@pytest.mark.timeout(180)
async def test_rows_that_somebody_holds_are_told_and_booked_from(
    house: House, stack: Stack, house_database: str, held: str
) -> None:
    """With the wallet's database login: a deposit was answered, and the books lacked it for as long as he liked."""
    await house.command(OpenAccount(player="ann", currency="EUR"))
    await house.command(DepositFunds(reference="r1", amount=50_000))
    mine, lag = "/v1/players/ann/accounts", re.compile(r"^croupier_projection_lag_records{.*} [1-9]", re.MULTILINE)
    await house.until(mine, lambda found: found[0]["available"] == 50_000)
    thief = await asyncpg.connect(login_at(stack, house_database, "wallet"))
    try:
        await thief.execute(f"set role {ROLE}; set idle_in_transaction_session_timeout = 0")
        async with thief.transaction():
            await thief.execute(f"select * from wallet.{held} for update")
            assert (await house.command(DepositFunds(reference="r2", amount=1_000))).verdict == "accepted"
            assert (
                await house.until_refused("wallet-books is held up by", 20)
                == "wallet-books is held up by LockNotAvailableError"
            )
            for _ in range(40):  # nor is it ready between two tries
                assert (await house.http.get(f"{house.inner}/health/ready")).status_code == 503
                await asyncio.sleep(0.1)
            assert lag.search((await house.http.get(f"{house.inner}/metrics")).text)
            assert (await house.http.get(mine)).json()[0]["available"] == 50_000
    finally:
        await thief.close()
    await house.until(mine, lambda found: found[0]["available"] == 51_000)
    await house.until(f"{house.inner}/health/ready", lambda answer: True)
    assert (await house.http.get("/v1/totals")).json() == {"EUR": 0}


class _Fails:
    """A decider that ends as soon as it runs, as one does that finds its journal cut (journal 21)."""

    def why_not_ready(self) -> str | None:
        return None

    async def run(self) -> None:
        raise LogRewritten("cut")


async def test_a_wallet_whose_decider_fails_ends(
    stack: Stack, topics: str, house_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wiring, "decider", lambda *_: _Fails())
    own = stack.broker("wallet").settings()
    marks, url = mark_file(tmp_path, "wallet"), login_at(stack, house_database, "wallet")
    settings = WalletSettings(
        **own,
        database_url=url,
        topic_prefix=topics,
        http_port=0,
        inner_port=0,
        marks_file=marks,
        seal_file=seal_file(tmp_path, "wallet"),
    )
    with pytest.raises(ExceptionGroup) as failed:
        async with asyncio.timeout(60) as patience, running(settings, Observer()):
            await asyncio.Event().wait()
    assert not patience.expired(), "it stayed, deciding nothing"
    assert failed.value.subgroup(LogRewritten)
