"""Failed logins: counted, slowed down, locked, over HTTP as over the WebSocket; whose token is true comes in."""

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect

from libs.edge.problems import Problem
from libs.identity.failures import FAILED, FREE, LOCKED, SLOWEST_S, Attempts
from services.gateway.app.gateway import Gateway


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


async def fail(attempts: Attempts, times: int, address: str = "a") -> int:
    """How many of the failures were told that the address is locked."""
    locked = 0
    for _ in range(times):
        try:
            await attempts.failed(address, "staff")
        except Problem as problem:
            locked += (problem.status, problem.slug) == (429, "logins-locked")
    return locked


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    naps: list[float] = []

    async def wait(seconds: float) -> None:
        naps.append(seconds)

    monkeypatch.setattr("libs.identity.failures.wait", wait)
    return naps


async def test_ever_more_slowly_then_locked_for_a_while(slept: list[float]) -> None:
    clock = Clock()
    attempts = Attempts(6, 60.0, clock)
    assert await fail(attempts, 5) == 0
    assert slept[:FREE] == [0] * FREE
    assert slept[FREE:] == sorted(slept[FREE:])
    assert slept[-1] > slept[FREE - 1]
    assert await fail(attempts, 1) == 1
    clock.now += 61
    assert await fail(attempts, 5) == 0, "counted from the beginning"


async def test_who_goes_on_for_thousands_of_failures_is_told_the_same_as_slowly(slept: list[float]) -> None:
    attempts = Attempts(10, 300.0, Clock())
    assert await fail(attempts, 3_000) == 3_000 - 9
    assert set(slept[10:]) == {SLOWEST_S}


async def test_over_http_and_websocket_alike(
    url: str, gateway: Gateway, token_of: Callable[[str], str], slept: list[float]
) -> None:
    gateway.callers.attempts = Attempts(8, 60.0, time.monotonic)
    alice, bob = token_of("alice"), token_of("bob")
    failed, locked = _failures(), LOCKED._value.get()
    async with httpx.AsyncClient(base_url=url) as client:

        async def session(token: str) -> httpx.Response:
            return await client.get("/v1/session", headers={"authorization": f"Bearer {token}"})

        async def greeted(token: str) -> dict[str, Any]:
            async with connect(url.replace("http", "ws") + "/v1/ws", proxy=None) as socket:
                await socket.send(json.dumps({"type": "hello", "token": token}))
                return dict(json.loads(await asyncio.wait_for(socket.recv(), 10)))

        assert (await session(alice)).status_code == 200
        for _ in range(4):
            assert (await session("made.up.token")).status_code == 401
        for _ in range(3):
            assert (await greeted("made.up.token"))["problem"]["status"] == 401
        assert (await greeted("made.up.token"))["problem"]["status"] == 429
        assert (await session("croupier-operator.platform.x")).status_code == 429
        for token in (alice, bob):  # whoever shares the address with a page that sends nonsense
            assert (await session(token)).status_code == 200
            assert (await greeted(token))["type"] == "welcome"
    assert (_failures() - failed, LOCKED._value.get() - locked) == (9, 1)


def _failures() -> float:
    return sum(sample.value for sample in next(iter(FAILED.collect())).samples if sample.name.endswith("_total"))
