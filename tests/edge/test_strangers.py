"""A token that was checked goes past the crowd, a header does not: whoever makes one up waits with the strangers."""

import asyncio
from base64 import urlsafe_b64encode
from collections import Counter
from pathlib import Path
from typing import Any

from fastapi import APIRouter

from libs.edge.connections import Connections
from libs.edge.crowd import A_TURN, AT_WORK, AT_WORK_OF_ONE
from libs.edge.front import Front
from libs.edge.limits import DEFAULTS
from libs.identity.access import ANYBODY, Access, Caller
from libs.identity.callers import PAGES, _kind
from libs.identity.guard import Guard, open_to
from libs.identity.oidc import OpenIdProvider
from tests.testkit.logins import OPERATOR_TOKEN, callers, staff_token

MADE_UP, TRUE = "Bearer x.y.z", f"Bearer {OPERATOR_TOKEN}"
WRONG = (MADE_UP, "Bearer croupier-operator.platform.x", "Basic eDp5", "Bearer", f"Bearer {staff_token('floor')}x")
MANY = 50


async def _nothing() -> None:
    """What these routes would answer: `House` answers for them."""


class House:
    """Front, guard and an application that is at work until it is told to answer."""

    def __init__(self, folder: Path) -> None:
        self.at_work = Counter[str]()
        """Requests that the application has begun and not answered, by path."""
        self.answered = Counter[tuple[str, int]]()
        """By path and status."""
        self.in_this_turn = 0
        self.may_answer = asyncio.Event()
        self.callers = callers(folder)
        self.callers.attempts.most = 1_000_000
        router = APIRouter()
        router.add_api_route("/lobby", _nothing, openapi_extra=open_to(ANYBODY))
        router.add_api_route("/money", _nothing, openapi_extra=open_to(Access(scopes=("money",))))
        self._front = Front(Guard(self._app, router.routes, self.callers), Connections(DEFAULTS))
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> "House":
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        self.at_work[scope["path"]] += 1
        await self.may_answer.wait()
        self.at_work[scope["path"]] -= 1
        await send({"type": "http.response.start", "status": 200, "headers": []})

    def ask(
        self, path: str, authorization: str, times: int = 1, address: str = "10.0.0.1", method: str = "GET"
    ) -> None:
        async def receive() -> Any:
            await asyncio.sleep(3600)

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                self.answered[path, message["status"]] += 1
                self.in_this_turn += 1

        headers = [(b"authorization", authorization.encode())] if authorization else []
        for port in range(times):
            scope = {
                "type": "http",
                "method": method,
                "path": path,
                "query_string": b"",
                "headers": headers,
                "client": (address, port),
            }
            self._tasks.append(asyncio.create_task(self._front(scope, receive, send)))


async def turns(many: int = 40) -> None:
    for _ in range(many):
        await asyncio.sleep(0)


async def test_a_made_up_token_is_no_way_round_the_crowd(tmp_path: Path) -> None:
    for wrong in ("", *WRONG):
        async with House(tmp_path) as house:
            house.ask("/lobby", wrong, MANY)
            await turns()
            assert house.at_work["/lobby"] == AT_WORK_OF_ONE, wrong


async def test_nor_is_a_page_that_there_is_not(tmp_path: Path) -> None:
    async with House(tmp_path) as house:
        house.ask("/nowhere", MADE_UP, MANY)
        house.ask("/lobby", MADE_UP, MANY, method="OPTIONS")
        await turns()
        assert house.at_work.total() == AT_WORK_OF_ONE


async def test_who_is_known_waits_for_no_stranger_of_the_same_address(tmp_path: Path) -> None:
    async with House(tmp_path) as house:
        for number in range(4):
            house.ask("/lobby", MADE_UP, MANY, address=f"10.0.0.{number}")
        await turns()
        assert house.at_work["/lobby"] == AT_WORK
        house.ask("/lobby", TRUE)
        house.ask("/lobby", f"Bearer {staff_token('floor')}")
        house.ask("/money", TRUE, MANY)
        await turns()
        assert (house.at_work["/lobby"], house.at_work["/money"]) == (AT_WORK + 2, MANY)


async def test_strangers_of_other_addresses_have_their_turns_beside_made_up_tokens(tmp_path: Path) -> None:
    async with House(tmp_path) as house:
        house.ask("/lobby", MADE_UP, MANY)
        house.ask("/lobby", MADE_UP, MANY, address="10.0.0.2")
        await turns()
        house.ask("/lobby", "", 1, address="10.0.0.3")
        await turns()
        assert house.at_work["/lobby"] == 2 * AT_WORK_OF_ONE + 1


async def test_refusals_go_out_a_few_in_a_turn(tmp_path: Path) -> None:
    """A connection asks nothing more before it has its answer: so many are refused in a turn, and no more come."""
    async with House(tmp_path) as house:
        house.ask("/money", "Basic eDp5", MANY)
        most = 0
        while house.answered.total() < MANY:
            house.in_this_turn = 0
            await asyncio.sleep(0)
            most = max(most, house.in_this_turn)
        assert most <= 2 * A_TURN
        assert house.answered == {("/money", 401): MANY}


async def test_one_true_token_is_no_way_round_the_crowd_for_a_flood(tmp_path: Path) -> None:
    async with House(tmp_path) as house:
        house.callers.pages.clock = lambda: 0.0
        at_once = int(PAGES.at_once)
        house.ask("/lobby", TRUE, at_once + MANY)
        await turns()
        assert house.at_work["/lobby"] == at_once + AT_WORK_OF_ONE


async def test_a_wrong_token_where_none_is_needed_is_no_failed_login(tmp_path: Path) -> None:
    async with House(tmp_path) as house:
        house.may_answer.set()
        for wrong in WRONG:
            house.ask("/lobby", wrong)
        await turns()
        assert house.answered == {("/lobby", 200): len(WRONG)}
        assert not house.callers.attempts._failed


class Counting:
    """A provider that says how many tokens it was shown in one turn of the loop."""

    def __init__(self, true: OpenIdProvider) -> None:
        self._true = true
        self.shown: list[str] = []

    async def caller(self, token: str) -> Caller:
        self.shown.append(f"Bearer {token}")
        return await self._true.caller(token)


async def test_made_up_signatures_are_looked_at_a_few_in_a_turn(tmp_path: Path) -> None:
    """Found by an attacker (issue 11): 2,000 connections with one long token each stopped the loop for ten seconds,
    each of which was looked at before anybody was told to wait."""
    floor = f"Bearer {staff_token('floor')}"
    made_up = f"{floor[:-10]}AAAAAAAAA{floor[-1]}"
    async with House(tmp_path) as house:
        assert house.callers.provider is not None
        provider: Any = Counting(house.callers.provider)
        house.callers.provider = provider
        house.ask("/money", floor)  # 403, but true
        await turns()
        for number in range(10):
            house.ask("/lobby", made_up, MANY, address=f"10.0.1.{number}")
            house.ask("/money", made_up, MANY, address=f"10.0.2.{number}")
        most = 0
        for turn in range(40):
            if turn == 5:
                house.ask("/lobby", floor)
            provider.shown.clear()
            await asyncio.sleep(0)
            most = max(most, provider.shown.count(made_up))
            assert (floor in provider.shown) == (turn == 5), "who was known before waits for nobody"
        assert 0 < most <= A_TURN


def test_a_long_token_is_not_read_to_find_out_what_it_is() -> None:
    assert _kind("x" * 2_000 + ".y.z") == "malformed"
    head = urlsafe_b64encode(b'{"alg":"HS256"}').decode()
    assert [_kind(f"{head}.{'y' * size}.z") for size in (300, 3_000)] == ["session", "malformed"]
