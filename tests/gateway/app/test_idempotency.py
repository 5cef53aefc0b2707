"""The same key and body is the same command for ever (journal 13; compliance GAM-2)."""

import asyncio
from typing import Any
from uuid import UUID

import pytest
from uuid6 import uuid7

from libs.contracts.messages import Principal, Reply, command_id_at, time_of
from libs.contracts.table_commands import RequestTopUp, TakeSeat
from libs.edge.problems import Problem
from services.gateway.app.commands import SKEW_MS, CommandDesk, IdempotencyKeys, Order

ALICE, BOB = Principal(kind="player", id="alice"), Principal(kind="player", id="bob")
HOUR = 3_600_000
NOW = 1_800_000_000_000
HORIZON = 600_000


def keys(**changes: Any) -> IdempotencyKeys:
    return IdempotencyKeys(**{"keep_ms": 24 * HOUR, "max_records": 1_000, **changes})


def key_at(time_ms: int, randomness: str = "") -> str:
    return str(command_id_at(time_ms, "a client's own randomness", randomness))


K = key_at(NOW)


def test_same_key_and_body_is_the_same_command():
    held = keys()
    first = held.claim(order(K), NOW, HORIZON)
    again = held.claim(order(K), NOW + HOUR, HORIZON)
    assert again.command_id == first.command_id
    assert time_of(first.command_id) == NOW


def test_another_principal_is_another_command():
    held = keys()
    assert held.claim(order(K), NOW, HORIZON).command_id != held.claim(order(K, by=BOB), NOW, HORIZON).command_id


def test_same_key_and_another_body_is_refused():
    held = keys()
    held.claim(order(K), NOW, HORIZON)
    with pytest.raises(Problem) as refused:
        held.claim(order(K, 9_000), NOW, HORIZON)
    assert (refused.value.status, refused.value.slug) == (422, "idempotency-key-reused")


def test_a_uuid7_key_means_the_same_after_a_restart():
    key = key_at(NOW - 1_000)
    before = keys().claim(order(key), NOW, HORIZON).command_id
    after = keys().claim(order(key), NOW + 5_000, HORIZON).command_id
    assert before == after
    assert time_of(before) == NOW - 1_000


@pytest.mark.parametrize(("at", "refused"), [
    (NOW + SKEW_MS, False), (NOW + SKEW_MS + 1, True), (NOW - HORIZON, False), (NOW - HORIZON - 1, True),
])  # fmt: skip
def test_the_time_in_a_uuid7_key_is_bounded(at: int, refused: bool):
    if not refused:
        assert time_of(keys().claim(order(key_at(at)), NOW, HORIZON).command_id) == at
        return
    with pytest.raises(Problem) as problem:
        keys().claim(order(key_at(at)), NOW, HORIZON)
    assert problem.value.slug == "idempotency-key-time"


async def test_a_key_and_wish_mean_one_command_at_every_gateway() -> None:
    """With another wish it is another command: what was never done is not answered with what was."""
    key = key_at(NOW - 1_000)
    for amounts, commands in (((5_000, 5_000, 5_000), 1), ((5_000, 5_001, 5_002), 3)):
        tables = [Table() for _ in amounts]
        for table, amount in zip(tables, amounts, strict=True):
            desk = CommandDesk(table, keys(), {"table": HORIZON, "wallet": HORIZON}, now=lambda: NOW)
            desk.ask(order(key, amount))
        assert len({command for table in tables for command in table.sent}) == commands


async def test_a_key_at_another_table_is_another_command() -> None:
    """With one id for both, the sittings minted of it were one to the wallet: what one freed the other played with."""
    key = key_at(NOW - 1_000)
    sent = Table()
    for stream in ("table-1", "table-2"):
        desk = CommandDesk(sent, keys(), {"table": HORIZON, "wallet": HORIZON}, now=lambda: NOW)
        desk.ask(order(key, stream=stream))
    assert len(set(sent.sent)) == 2


def test_memory_is_bounded_and_forgets_after_a_day():
    held = keys(max_records=3)
    for number in range(10):
        held.claim(order(key_at(NOW, str(number))), NOW, HORIZON)
    assert len(held) == 3
    held.claim(order(key_at(NOW + 24 * HOUR)), NOW + 24 * HOUR, HORIZON)
    assert len(held) == 1


class Table:
    """Answers when told to; counts what it was sent."""

    def __init__(self) -> None:
        self.sent: list[UUID] = []

    def send(self, service: str, message, traceparent: str) -> None:
        self.sent.append(message.id)


def order(key: str, amount: int = 5_000, stream: str = "table-1", by: Principal = ALICE) -> Order:
    return Order(by, key, stream, TakeSeat(reservation="reservation", amount=amount), "reservation")


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def desk(table: Table) -> CommandDesk:
    return CommandDesk(table, keys(), {"table": HORIZON, "wallet": HORIZON}, timeout_ms=100, now=lambda: NOW)


def reply_to(command: UUID, verdict: str = "accepted") -> Reply:
    return Reply(command_id=command, stream="table-1", verdict=verdict, version=9)  # type: ignore[arg-type]


async def test_parallel_clicks_are_one_command_and_one_answer(desk: CommandDesk, table: Table):
    clicks = [asyncio.create_task(desk.submit(order(K))) for _ in range(20)]
    await asyncio.sleep(0)
    desk.hear(reply_to(table.sent[0]))
    answers = await asyncio.gather(*clicks)
    assert len(table.sent) == 1
    assert len({answer.encoded() for answer in answers}) == 1


async def test_a_final_answer_is_remembered(desk: CommandDesk, table: Table):
    click = asyncio.create_task(desk.submit(order(K)))
    await asyncio.sleep(0)
    desk.hear(reply_to(table.sent[0]))
    assert await desk.submit(order(K)) == await click
    assert len(table.sent) == 1


async def test_without_an_answer_the_outcome_is_unknown_and_the_same_command_goes_out_again(desk, table):
    with pytest.raises(Problem) as problem:
        await desk.submit(order(K))
    assert (problem.value.status, problem.value.slug) == (504, "outcome-unknown")
    assert desk.open == 0
    again = asyncio.create_task(desk.submit(order(K)))
    await asyncio.sleep(0)
    assert table.sent[0] == table.sent[1]
    desk.hear(reply_to(table.sent[1]))
    assert (await again).version == 9


async def test_impatient_repeats_send_again_once_the_answer_is_late(desk, table, monkeypatch):
    monkeypatch.setattr("services.gateway.app.commands.RESEND_SECONDS", 0.03)
    clicks = []
    for _ in range(4):  # each before the one before has given up
        clicks.append(asyncio.create_task(desk.submit(order(K))))
        await asyncio.sleep(0.04)
    assert len(table.sent) == 4
    assert len(set(table.sent)) == 1
    desk.hear(reply_to(table.sent[0]))
    assert [type(each) for each in await asyncio.gather(*clicks, return_exceptions=True)].count(Reply) >= 2


async def test_busy_is_not_final(desk: CommandDesk, table: Table):
    for verdict in ("busy", "accepted"):
        click = asyncio.create_task(desk.submit(order(K)))
        await asyncio.sleep(0)
        desk.hear(reply_to(table.sent[-1], verdict))
        assert (await click).verdict == verdict
    assert table.sent[0] == table.sent[1]


async def test_who_hangs_up_does_not_take_the_others_along(desk: CommandDesk, table: Table):
    first, second = (asyncio.create_task(desk.submit(order(K))) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    desk.hear(reply_to(table.sent[0]))
    assert (await second).verdict == "accepted"


def test_the_sitting_is_named_after_the_command():
    command = uuid7()
    assert order(K).message(UUID(str(command))).body["reservation"] == f"reservation-{command}"


def test_the_digest_knows_command_stream_and_body():
    digests = {
        order(K).digest,
        order(K, 6_000).digest,
        Order(ALICE, K, "table-2", TakeSeat(reservation="reservation", amount=5_000), "reservation").digest,
        Order(ALICE, K, "table-1", RequestTopUp(top_up="reservation", amount=5_000)).digest,
    }
    assert len(digests) == 4
