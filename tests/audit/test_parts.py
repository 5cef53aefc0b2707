"""A part of the auditor outlives a broker and a database that are away, and is not called held up for it."""

import asyncio
from functools import partial

import asyncpg
import pytest
from aiokafka.errors import KafkaConnectionError, NodeNotReadyError, RequestTimedOutError, TopicAuthorizationFailedError

from services.audit import supervisor as supervising
from services.audit import watch
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
        asyncpg.DiskFullError("no space left on device"),
        asyncpg.TooManyConnectionsError("sorry, too many clients already"),
        asyncpg.InternalClientError("cannot switch to state 15; another operation (2) is in progress"),
    ],
    ids=lambda wrong: type(wrong).__name__,
)
async def test_who_is_away_comes_back(wrong: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    assert await _after(wrong, monkeypatch) == ""


@pytest.mark.parametrize(
    "wrong",
    [TopicAuthorizationFailedError(), asyncpg.ConfigurationLimitExceededError("temporary file size exceeds")],
    ids=lambda wrong: type(wrong).__name__,
)
async def test_what_is_refused_is_told(wrong: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    assert await _after(wrong, monkeypatch) == type(wrong).__name__


async def test_a_sum_that_fails_time_and_again_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes a minute each time to fill what its login may put on disk, and the auditor was ready meanwhile."""
    monkeypatch.setattr(supervising, "_PAUSE_S", 0.02)
    monkeypatch.setattr(supervising, "_SOUND_S", 0.0)
    supervisor = Supervisor()
    part = supervisor.part("sums", watch.SUMS_S)
    looks = watch.Watch(None, None, [], "wallet")  # type: ignore[arg-type]
    limit, told = asyncpg.ConfigurationLimitExceededError("temporary file size exceeds"), list[str | None]()

    async def sum_up() -> None:
        await asyncio.sleep(0.02)  # the time in which whoever tells no steps would be said to run
        told.append(supervisor.why_held_up())
        if len(told) < 4:
            raise limit
        await asyncio.sleep(0.0)

    monkeypatch.setattr(looks, "sum_up", sum_up)
    running = asyncio.create_task(supervisor.again("sums", partial(looks.run_sums, 60.0, part)))
    while len(told) < 4 or supervisor.why_not() is not None:
        await asyncio.sleep(0.01)
    running.cancel()
    held_up = "sums is held up by ConfigurationLimitExceededError"
    assert told == [None, *3 * [held_up]], "until one has ended"


async def test_a_sum_that_never_ends_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    supervisor = Supervisor()
    part = supervisor.part("accounts", 0.0)
    looks = watch.Watch(None, None, [], "wallet")  # type: ignore[arg-type]
    monkeypatch.setattr(looks, "_hold_all", asyncio.Event().wait)
    running = asyncio.create_task(supervisor.again("accounts", partial(looks.run_all, 60.0, part)))
    await asyncio.sleep(0.01)
    assert (supervisor.why_not() or "").startswith("accounts has ended no step for")
    assert supervisor.why_held_up() is None, "it takes long: no reason to ask this auditor nothing"
    running.cancel()


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
