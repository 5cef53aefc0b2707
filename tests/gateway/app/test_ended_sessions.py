"""Sessions that a person of the house ends: what is in play is played on with them, and nothing else is done."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from msgspec.structs import replace
from websockets.asyncio.client import connect

from libs.contracts.messages import Principal
from libs.contracts.session_notices import SessionNotice
from libs.edge.problems import Problem
from libs.identity.access import Session
from services.gateway.app.gateway import Gateway
from services.gateway.app.standing import APART_MS, MOST_ENDED, Standing
from tests.gateway.app.test_standing import FOR, bearer, closed, session_of, slug
from tests.gateway.conftest import House
from tests.gateway.hands import TABLE, everybody, opened, to_the_end
from tests.testkit.keys import key_of

HOUR = 3_600_000
NOW = 1_790_000_000_000
LATER = APART_MS + 1
SUPPORT, PLATFORM = Principal("staff", "sam"), Principal("operator", "acme")
ENDING = "/v1/players/alice/sessions"


def stopped(gateway: Gateway, later: int = 0) -> int:
    """The gateway's clock stands at this time (ms)."""
    at = gateway.now() + later
    gateway.now = lambda: at
    return at


@pytest.fixture
def acts(http: httpx.AsyncClient) -> Callable[..., Any]:
    async def asked(token: str, path: str = "acts", body: Any = None, table: str = TABLE) -> tuple[int, str]:
        asked.keys += 1  # type: ignore[attr-defined]
        body = {"hand": 41, "seat": 1, "act": "raise", "to": 350} if path == "acts" else body
        headers = bearer(token) | {"idempotency-key": key_of(f"k{asked.keys}")}  # type: ignore[attr-defined]
        answer = await http.post(f"/v1/tables/{table}/{path}", json=body, headers=headers)
        return answer.status_code, "" if answer.status_code == 200 else slug(answer)

    asked.keys = 0  # type: ignore[attr-defined]
    return asked


@pytest.mark.parametrize("by", ["support", "supervisor", "security", "platform"])
async def test_who_is_in_a_hand_plays_it_on_and_does_nothing_else(
    http: httpx.AsyncClient, gateway: Gateway, house: House, token_of: Callable[[str], str], operator: dict[str, str],
    as_staff: Any, acts: Any, by: str,
) -> None:  # fmt: skip
    """A person of support folded the hand of whom they liked, three times in a decision. A platform could anyway."""
    hand = to_the_end()
    house.publish(opened(), *everybody(), *hand[:5])
    now = stopped(gateway)
    house.publish(replace(opened(), table="table-2"), table="table-2")
    token = token_of("alice")
    headers = operator if by == "platform" else as_staff(by) | FOR
    answer = await http.delete(ENDING, headers=headers)
    assert (answer.status_code, answer.json()["in_play"]) == (200, by != "platform")
    ended = 401, "session-ended"
    if by == "platform":
        assert await acts(token) == ended
        return
    assert (await acts(token))[0] == 200
    for table, path, body in (
        ("table-2", "acts", None),
        ("table-2", "seats", {"amount": 10_000}),
        ("table-2", "waiting-list", None),
        (TABLE, "top-ups", {"amount": 100}),
        (TABLE, "sit-in", None),
        (TABLE, "messages", {"text": "hello"}),
    ):
        assert await acts(token, path, body, table) == ended, path
    stopped(gateway, 5_000)
    anew = token_of("alice")
    again = await http.delete(ENDING, headers=headers)
    assert (again.status_code, slug(again)) == (429, "sessions-ended-often")
    assert ((await acts(anew))[0], (await acts(anew, "sit-in"))[0]) == (200, 200)
    house.publish(*hand[5:])
    await asyncio.sleep(0.3)
    assert await acts(token) == ended
    house.publish(*[replace(each, at=now + 1_000) for each in to_the_end(42)[:5]])
    await asyncio.sleep(0.3)
    assert await acts(token) == ended, "not the next hand either"
    assert (await session_of(http, token)).status_code == 401
    assert (await acts(anew))[0] == 200


async def test_an_open_socket_stays_until_the_hand_is_over(
    url: str, gateway: Gateway, house: House, token_of: Callable[[str], str], as_staff: Any
) -> None:
    hand = to_the_end()
    house.publish(opened(), *everybody(), *hand[:5])
    where = url.replace("http", "ws") + "/v1/ws"
    token = token_of("alice")
    watching = asyncio.create_task(gateway.standing.watch())
    async with (
        connect(where, additional_headers=bearer(token), proxy=None) as socket,
        httpx.AsyncClient(base_url=url) as http,
    ):
        await socket.recv()
        assert (await http.delete(ENDING, headers=as_staff("support") | FOR)).json()["in_play"] is True
        await asyncio.sleep(1.3)
        await socket.send('{"type":"ping"}')
        assert "pong" in str(await socket.recv())
        async with connect(where, additional_headers=bearer(token), proxy=None) as back:
            assert "welcome" in str(await back.recv()), "a connection that is lost is no hand lost"
        house.publish(*hand[5:])
        assert await closed(socket) == (4401, ["session-ended"])
    watching.cancel()


async def test_who_has_folded_is_not_in_play(
    http: httpx.AsyncClient, gateway: Gateway, house: House, token_of: Callable[[str], str], as_staff: Any
) -> None:
    house.publish(opened(), *everybody(), *to_the_end()[:9])
    bob = token_of("bob")
    answer = await http.delete("/v1/players/bob/sessions", headers=as_staff("support") | FOR)
    assert (answer.json()["in_play"], (await session_of(http, bob)).status_code) == (False, 401)


async def test_to_lift_a_block_folds_no_hand(
    http: httpx.AsyncClient, gateway: Gateway, house: House, token_of: Callable[[str], str], as_staff: Any, acts: Any
) -> None:
    """Also one that there is none of; and who was kept out before does not come to life with it."""
    hand, security = to_the_end(), as_staff("security") | FOR
    house.publish(opened(), *everybody(), *hand[:5])
    now = stopped(gateway)
    token, path = token_of("alice"), "/v1/players/alice/block"
    for _ in range(5):
        assert (await http.delete(path, headers=security)).status_code == 200
    assert ((await acts(token))[0], (await acts(token, "sit-in"))[0]) == (200, 200), "nothing was blocked"
    for _ in range(5):
        await http.put(path, json={"reason": "list"}, headers=security)
        assert (await http.delete(path, headers=security)).status_code == 200
    assert ((await acts(token))[0], await acts(token, "sit-in")) == (200, (401, "session-ended"))
    house.publish(*hand[5:])
    stopped(gateway, 1_000)
    token = token_of("alice")
    assert (await session_of(http, token)).status_code == 200
    await http.put(path, json={"reason": "list"}, headers=security)
    house.publish(*[replace(each, at=now + 1_500) for each in to_the_end(42)[:5]])
    stopped(gateway, 1_000)
    await asyncio.sleep(0.3)
    assert gateway.in_play.rounds("alice", gateway.now()) == (TABLE,)
    assert (await http.delete(path, headers=security)).status_code == 200
    assert (await session_of(http, token)).status_code == 401


class Rounds:
    """Stands for a table's view: by table, from when to when (ms) a hand runs there."""

    def __init__(self) -> None:
        self.now = NOW
        self.at: dict[str, tuple[int, int]] = {}

    def __call__(self, player: str, since: int) -> tuple[str, ...]:
        return tuple(table for table, (start, end) in self.at.items() if start <= since and self.now < end)


def standing(rounds: Rounds) -> Standing:
    found = Standing(12 * HOUR, 12 * HOUR, False, lambda: rounds.now)
    found.rounds = rounds
    return found


def ann(started: int) -> Session:
    return Session(f"s-{started}", "ann", started, started + 12 * HOUR, None)


async def test_the_first_ending_says_what_a_session_may_go_on_with() -> None:
    """Else a stolen one would be good again whenever the house ends the sessions of whoever had it stolen."""
    rounds = Rounds()
    house, stolen = standing(rounds), ann(NOW)
    rounds.at = {"t-1": (NOW, NOW + 1_000)}
    await house.revoke("ann", SUPPORT)
    assert house.why_over(stolen) is None
    rounds.now += LATER
    rounds.at = {"t-2": (NOW + 2_000, NOW + HOUR)}
    assert house.why_over(stolen) is not None
    own = ann(rounds.now)
    assert await house.revoke("ann", SUPPORT) == ("t-2",)
    assert (house.why_over(stolen) is None, house.why_over(own) is None) == (False, True)


async def test_a_second_ending_in_one_hand_takes_nothing_more() -> None:
    rounds = Rounds()
    house, first = standing(rounds), ann(NOW)
    rounds.at = {"t-1": (NOW, NOW + HOUR)}
    await house.revoke("ann", SUPPORT)
    rounds.now += LATER
    second = ann(rounds.now)
    await house.revoke("ann", SUPPORT)
    assert (house.why_over(first), house.why_over(second)) == (None, None)


async def test_what_a_platform_or_the_player_has_ended_stays_so() -> None:
    rounds = Rounds()
    house, before, out = standing(rounds), ann(NOW), replace_id(ann(NOW + 5), "out")
    rounds.at = {"t-1": (NOW, NOW + HOUR)}
    await house.revoke("ann", PLATFORM)
    rounds.now += 10
    await house.log_out(out)
    await house.revoke("ann", SUPPORT)
    assert house.why_over(before) is not None
    assert house.why_over(out) is not None
    assert house.why_over(ann(NOW + 5)) is None
    rounds.now += 10
    await house.revoke("ann", PLATFORM)
    assert house.why_over(ann(NOW + 5)) is not None


def replace_id(session: Session, id: str) -> Session:
    return Session(id, session.player, session.started, session.expires, None)


async def test_many_endings_at_one_moment_are_one() -> None:
    """Each is told before the first one is heard: so many that a bound by number alone would drop the first."""
    rounds = Rounds()
    here, there = standing(rounds), standing(rounds)
    rounds.at = {"t-1": (NOW, NOW + HOUR)}
    topic: list[SessionNotice] = []

    async def tell(notice: SessionNotice) -> None:
        topic.append(notice)
        await asyncio.sleep(0.01)
        here.hear(notice)

    here.tell = tell

    async def ending(after: int) -> None:
        rounds.now = NOW + after
        await here.revoke("ann", SUPPORT)

    await asyncio.gather(*(ending(after) for after in range(3 * MOST_ENDED)))
    assert len(topic) == 3 * MOST_ENDED
    for notice in reversed(topic):
        there.hear(notice)
    for house in (here, there):
        assert house.why_over(ann(NOW)) is None
        assert house.ended_by_house("ann", NOW) == NOW + 1


async def test_a_gateway_that_starts_anew_knows_it_all_from_the_last_notice() -> None:
    """Also how often it was done: the topic keeps one notice of a player, whoever ended the sessions then."""
    rounds = Rounds()
    old, stolen = standing(rounds), ann(NOW)
    await old.revoke("ann", PLATFORM)
    rounds.at = {"t-1": (NOW, NOW + HOUR)}
    rounds.now += 10
    own = ann(rounds.now)
    for _ in range(MOST_ENDED):
        await old.revoke("ann", SUPPORT)
        rounds.now += LATER

    def restarted() -> Standing:
        new = standing(rounds)
        (notice,) = old.holding()
        new.hear(SessionNotice.decoded(notice.encoded()))
        return new

    assert restarted().why_over(own) is None
    assert restarted().why_over(stolen) is not None
    await old.revoke("ann", PLATFORM)
    assert restarted().why_over(own) is not None
    with pytest.raises(Problem, match="at most 3 times") as refused:
        await restarted().revoke("ann", SUPPORT)
    assert refused.value.status == 429


def test_notices_of_before_say_what_they_said() -> None:
    """Byte for byte, for a build of then refuses a field that it does not know; and sessions are over by them."""
    then = (
        b'{"about":"since","player":"ann","at":5,"session":"","until":9,"holds":true,"whose":"",'
        b'"by":"staff:sam","reason":"loud"}'
    )
    notice = SessionNotice(about="since", player="ann", at=5, until=9, by="staff:sam", reason="loud")
    assert (notice.encoded(), SessionNotice.decoded(then)) == (then, notice)
    rounds = Rounds()
    rounds.at = {"t-1": (0, NOW + HOUR)}
    house = standing(rounds)
    house.hear(notice)
    assert house.why_over(ann(4)) is not None
