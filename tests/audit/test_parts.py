"""A part of the auditor outlives a broker and a database that are away, and is not called held up for it."""

import asyncio

import asyncpg
import pytest
from aiokafka.errors import KafkaConnectionError, NodeNotReadyError, RequestTimedOutError, TopicAuthorizationFailedError

from services.audit import supervisor as supervising
from services.audit.supervisor import Supervisor


async def _after(wrong: BaseException, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(supervising, "_PAUSE_S", 0.0)
    supervisor = Supervisor()
    part = supervisor.part("topics")
    failures = [wrong]

    async def work() -> None:
        if failures:
            raise failures.pop()

    await supervisor.again("topics", work)
    return part.held_up


@pytest.mark.parametrize(
    "wrong",
    [
        NodeNotReadyError(),
        KafkaConnectionError(),
        RequestTimedOutError(),
        ConnectionRefusedError(),
        asyncpg.InterfaceError("connection is closed"),
        asyncpg.InternalClientError("cannot switch to state 15; another operation (2) is in progress"),
    ],
    ids=lambda wrong: type(wrong).__name__,
)
async def test_who_is_away_comes_back(wrong: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    assert await _after(wrong, monkeypatch) == ""


async def test_what_is_refused_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await _after(TopicAuthorizationFailedError(), monkeypatch) == "TopicAuthorizationFailedError"


async def test_who_is_told_to_end_ends_whatever_comes_in_between() -> None:
    """A transaction that is rolled back by a cancellation may have a fault of its own."""

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            raise asyncpg.InFailedSQLTransactionError

    working = asyncio.create_task(Supervisor().again("watch", work))
    await asyncio.sleep(0)
    working.cancel()
    await asyncio.wait([working], timeout=5.0)
    assert working.cancelled()
