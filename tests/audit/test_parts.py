"""A part of the auditor outlives a broker and a database that are away, and is not called held up for it."""

import asyncpg
import pytest
from aiokafka.errors import KafkaConnectionError, NodeNotReadyError, RequestTimedOutError, TopicAuthorizationFailedError

from services.audit import wiring
from services.audit.wiring import Audit


async def _after(wrong: BaseException, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setattr(wiring, "_PAUSE_S", 0.0)
    audit = object.__new__(Audit)
    audit.stuck = {}
    failures = [wrong]

    async def work() -> None:
        if failures:
            raise failures.pop()

    await audit._again("topics", work)
    return audit.stuck


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
    assert await _after(wrong, monkeypatch) == {}


async def test_what_is_refused_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await _after(TopicAuthorizationFailedError(), monkeypatch) == {"topics": "TopicAuthorizationFailedError"}
