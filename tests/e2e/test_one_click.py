"""One click over HTTP and one over WebSocket, each followed through every service to its row in the ledger."""

import asyncio
import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from libs.client import Operator, Player
from services.cli.demo.tables import demo_tables
from services.cli.house import House

pytestmark = [pytest.mark.stack, pytest.mark.asyncio(loop_scope="module")]


@dataclass(frozen=True)
class Span:
    """One line of a service's trace file."""

    service: str
    name: str
    trace: str
    id: str
    parent: str | None
    start: datetime
    end: datetime
    attributes: dict[str, Any]
    links: tuple[str, ...]

    @classmethod
    def of(cls, line: str) -> "Span":
        said = json.loads(line)
        start, end = (datetime.fromisoformat(said[name]) for name in ("start_time", "end_time"))
        context = said["context"]
        links = tuple(link["context"]["span_id"] for link in said["links"])
        service = said["resource"]["attributes"]["service.name"]
        return cls(service, said["name"], context["trace_id"], context["span_id"], said["parent_id"], start, end,
                   said["attributes"], links)  # fmt: skip


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def traced(shared_house_at: House) -> House:
    for name, process in shared_house_at.processes.items():
        process.environment["CROUPIER_TRACE_FILE"] = str(shared_house_at.home / f"{name}.traces.jsonl")
        process.environment["OTEL_BSP_SCHEDULE_DELAY"] = "50"
    await shared_house_at.start()
    return shared_house_at


def spans(home: Path) -> list[Span]:
    lines = [line for file in home.glob("*.traces.jsonl") for line in file.read_text().splitlines() if line[-1:] == "}"]
    return [Span.of(line) for line in lines]


async def booked(house: House, kind: str) -> str:
    """The event that a row of the ledger was made of."""
    database = await asyncpg.connect(house.stack.database_url)
    try:
        async with asyncio.timeout(30):
            while True:
                rows = await database.fetch("select event_id from wallet.transfers where kind = $1", kind)
                if rows:
                    return str(rows[-1]["event_id"])
                await asyncio.sleep(0.1)
    finally:
        await database.close()


async def trace_of(house: House, root: str, event: str) -> list[Span]:
    """All spans of the trace that began with `root`, once books and auditor have both told of the event."""
    async with asyncio.timeout(30):
        while True:
            found = spans(house.home)
            roots = [span for span in found if span.name == root]
            begun = roots[0] if roots else None
            mine = [span for span in found if begun is not None and span.trace == begun.trace]
            done = {span.name for span in mine if event in span.attributes.get("croupier.parts", ())}
            if {"project wallet-books", "audit"} <= done:
                return mine
            await asyncio.sleep(0.2)


def check(trace: list[Span], root: str) -> None:
    """One tree, nothing hangs in the air, and everything lasted as long as it did."""
    by_id = {span.id: span for span in trace}
    roots = [span for span in trace if span.parent is None]
    assert [span.name for span in roots] == [root]
    for span in trace:
        assert span.start <= span.end
        if span.parent is not None:
            assert by_id[span.parent].start <= span.start, f"{span.name} began before {by_id[span.parent].name}"
    for span in trace:
        if span.name in ("decide", "append"):
            assert span.end <= by_id[str(span.parent)].end, f"the answer waited for {span.name}"
        if span.name in ("append", "decide", root) or span.name.startswith(("send ", "process ", "project ")):
            assert span.end > span.start


def below(trace: list[Span], span: Span) -> list[str]:
    return sorted(each.name for each in trace if each.parent == span.id)


async def test_a_deposit_over_http_is_one_trace_to_the_ledger(traced: House) -> None:
    async with Operator(traced.gateway_url, traced.operator_token) as operator:
        await operator.open_account("alice")
        assert (await operator.deposit("alice", "bank-1", 10_000)).accepted

    event = await booked(traced, "deposit")
    root = "POST /v1/players/{player}/deposits"
    trace = await trace_of(traced, root, event)

    check(trace, root)
    prefix = traced.topic_prefix
    sent = [span.id for span in trace if span.name == f"send {prefix}croupier.wallet.commands.v1"]
    [claim] = [span for span in trace if span.name == "process ClaimReference"]
    [process] = [span for span in trace if span.name == "process DepositFunds"]
    assert [claim.parent, process.parent] == sent, "the reference is claimed, then the money moves"
    assert (claim.service, process.service) == ("croupier-wallet", "croupier-wallet")
    assert process.attributes["croupier.verdict"] == "accepted"
    assert below(trace, process) == [
        "append", "audit", "decide", "project wallet-books",
        f"send {prefix}croupier.replies.v1", f"send {prefix}croupier.wallet.events.v1",
    ]  # fmt: skip


async def test_a_seat_taken_over_websocket_is_one_trace_through_table_and_wallet(traced: House) -> None:
    table = demo_tables()[0]
    async with Operator(traced.gateway_url, traced.operator_token) as operator:
        await operator.open_table(table.table, table.name, table.rulebook, table.configuration)
        await operator.open_account("bob", table.currency)
        await operator.deposit("bob", "bank-2", 10 * table.buy_in, table.currency)
        session = await operator.open_session("bob")
    async with Player(traced.gateway_url, session.token) as bob:
        watched = await bob.subscribe(table.table)
        assert (await bob.take_seat(table.table, table.buy_in)).accepted
        await bob.until(lambda: watched.seat_of("bob") is not None, 30)

    reserved, seated = await booked(traced, "reserve"), await booked(traced, "buy_in")
    trace = await trace_of(traced, "ws take_seat", seated)

    check(trace, "ws take_seat")
    by_id = {span.id: span for span in trace}
    booking = [span for span in trace if span.name == "project wallet-books"]
    assert {reserved, seated} <= {event for span in booking for event in span.attributes["croupier.parts"]}
    [last] = [span for span in trace if span.name == "process ConfirmSeat"]
    way = [last]
    while way[-1].parent is not None:
        way.append(by_id[way[-1].parent])
    assert [(span.service.removeprefix("croupier-"), span.name) for span in reversed(way)] == [
        ("gateway", "ws take_seat"),
        ("gateway", f"send {traced.topic_prefix}croupier.table.commands.v1"),
        ("table", "process TakeSeat"),
        ("wallet", "policy croupier.table.seat_reserved.v1"),
        ("wallet", "process ReserveFunds"),
        ("table", "policy croupier.wallet.funds_reserved.v1"),
        ("table", "process ConfirmSeat"),
    ]
    assert "show" in below(trace, way[4]), "who watched the table saw the seat being taken"
