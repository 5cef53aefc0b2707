"""Which sessions still count: logout, revocation, blocks, idleness, one place; sockets of what is over are closed."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, get_args

import httpx
import pytest
from msgspec.structs import replace
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from libs.contracts.messages import Principal, PrincipalKind
from libs.contracts.session_notices import SessionNotice
from libs.contracts.table_events import PlayerLeft
from libs.edge.problems import Problem
from libs.identity.access import Session
from libs.identity.operators import add_operator
from libs.identity.purpose import PURPOSE
from services.gateway.app.gateway import Gateway
from services.gateway.app.standing import Standing
from services.gateway.kafka.session_notices import hear_notice
from tests.gateway.conftest import House, regulars
from tests.gateway.hands import TABLE, everybody, opened, to_the_end
from tests.testkit.keys import key_of


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


FOR = {PURPOSE: "fraud case nº 7".encode()}


def slug(answer: httpx.Response) -> str:
    return str(answer.json()["type"]).rpartition(":")[2]


async def session_of(http: httpx.AsyncClient, token: str) -> httpx.Response:
    return await http.get("/v1/session", headers=bearer(token))


async def test_a_logged_out_token_is_good_for_nothing(
    http: httpx.AsyncClient, gateway: Gateway, token_of: Callable[[str], str]
) -> None:
    mine, other = token_of("alice"), token_of("alice")
    assert (await http.delete("/v1/session", headers=bearer(mine))).json() == {"player": "alice"}
    refused = await session_of(http, mine)
    assert (refused.status_code, slug(refused)) == (401, "session-ended")
    assert (await session_of(http, other)).status_code == 200


async def test_revoked_by_the_house_all_of_them_and_no_later_one(
    http: httpx.AsyncClient, gateway: Gateway, token_of: Callable[[str], str], as_staff: Any
) -> None:
    before = [token_of("alice"), token_of("alice")]
    answer = await http.delete("/v1/players/alice/sessions", headers=as_staff("security") | FOR)
    assert answer.status_code == 200
    assert [(await session_of(http, token)).status_code for token in before] == [401, 401]
    assert (await session_of(http, token_of("bob"))).status_code == 200
    now = gateway.now() + 2
    gateway.now = lambda: now
    assert (await session_of(http, token_of("alice"))).status_code == 200


async def test_who_ends_or_lifts_says_what_for_and_the_notice_says_it_too(
    http: httpx.AsyncClient, gateway: Gateway, operator: dict[str, str], as_staff: Any
) -> None:
    told: list[SessionNotice] = []
    hear = gateway.standing.hear

    async def tell(notice: SessionNotice) -> None:
        told.append(notice)
        hear(notice)

    gateway.standing.tell = tell
    security = as_staff("security")
    for path in ("/v1/players/alice/sessions", "/v1/players/alice/block"):
        silent = await http.delete(path, headers=security)
        assert (silent.status_code, silent.json()["errors"][0]["field"]) == (422, f"/header/{PURPOSE}")
    assert told == []
    await http.put("/v1/players/alice/block", json={"reason": "fraud"}, headers=security)
    await http.delete("/v1/players/alice/sessions", headers=security | FOR)
    await http.delete("/v1/players/alice/block", headers=security | FOR)
    assert [(each.about, each.holds, each.reason, each.by) for each in told] == [
        ("blocked", True, "fraud", "staff:ana"),
        ("since", True, "fraud case nº 7", "staff:ana"),
        ("since", True, "fraud case nº 7", "staff:ana"),
        ("blocked", False, "fraud case nº 7", "staff:ana"),
    ]
    assert (await http.delete("/v1/players/alice/sessions", headers=operator)).status_code == 200, "no person"


async def test_what_the_auditor_has_kept_shuts_out_and_lets_nobody_in(gateway: Gateway) -> None:
    standing, now = gateway.standing, gateway.now()
    held = SessionNotice(about="blocked", player="ann", at=now, by="staff:eva", reason="fraud")
    lost = SessionNotice(about="blocked", player="bob", at=now, by="staff:eva", reason="fraud")
    standing.hear(held)
    lifted = SessionNotice(about="blocked", player="ann", at=now + 5, by="staff:eva", holds=False)
    older = SessionNotice(about="blocked", player="ann", at=now - 5, by="staff:eva", reason="older")
    missed = standing.lost([lifted, older, lost])
    assert missed == [lost], "who has the auditor's database lifts no block"
    for notice in missed:
        standing.hear(notice)
    assert standing.why_blocked("ann") is not None
    assert standing.why_blocked("bob") is not None


async def test_who_is_blocked_neither_stays_nor_comes_in(
    http: httpx.AsyncClient, gateway: Gateway, token_of: Callable[[str], str], operator: dict[str, str], as_staff: Any
) -> None:
    token = token_of("alice")
    path = "/v1/players/alice/block"
    assert (await http.put(path, json={"reason": "fraud"}, headers=as_staff("floor"))).status_code == 403
    assert (await http.put(path, json={"reason": "a\u202eb"}, headers=operator)).status_code == 422
    assert (await http.put(path, json={"reason": "fraud"}, headers=operator)).json()["blocked"] is True
    refused = await session_of(http, token)
    assert (refused.status_code, slug(refused)) == (403, "player-blocked")
    again = await http.post("/v1/sessions", json={"player": "alice"}, headers=operator)
    assert (again.status_code, slug(again)) == (403, "player-blocked")
    assert (await http.delete(path, headers=operator)).json()["blocked"] is False
    assert (await session_of(http, token)).status_code == 401, "the old token stays dead"
    now = gateway.now() + 2
    gateway.now = lambda: now
    fresh = (await http.post("/v1/sessions", json={"player": "alice"}, headers=operator)).json()["token"]
    assert (await session_of(http, fresh)).status_code == 200


async def test_what_the_house_has_blocked_no_platform_lifts(
    http: httpx.AsyncClient, gateway: Gateway, settings: Any, operator: dict[str, str], as_staff: Any
) -> None:
    other = add_operator(settings.operators_file, "beta", ["sessions"], 0)
    path, security = "/v1/players/alice/block", as_staff("security") | FOR

    async def lifted(headers: dict[str, str]) -> tuple[int, bool]:
        answer = await http.delete(path, headers=headers)
        opened = await http.post("/v1/sessions", json={"player": "alice"}, headers=operator)
        return answer.status_code, opened.status_code == 200

    async def block(headers: dict[str, str]) -> None:
        assert (await http.put(path, json={"reason": "fraud"}, headers=headers)).json()["blocked"] is True

    await block(security)
    assert await lifted(operator) == (403, False)
    refused = await http.delete(path, headers=operator)
    assert (slug(refused), refused.json()["needs"]) == ("forbidden", {"roles": ["security"]})
    await block(operator)  # a block of its own on top gives it no hold on the other
    assert await lifted(operator) == (403, False)
    assert await lifted(security) == (200, True)
    await block(operator)
    assert await lifted(bearer(other)) == (403, False), "nor what another platform has set"
    assert await lifted(operator) == (200, True)
    await block(bearer(other))
    assert await lifted(security) == (200, True)
    assert await lifted(operator) == (200, True), "where nothing is blocked there is nothing to refuse"


@pytest.mark.parametrize("by_house", [True, False])
async def test_whom_the_house_blocks_in_a_hand_plays_it_and_does_nothing_else(
    http: httpx.AsyncClient, gateway: Gateway, house: House, as_player: Any, operator: dict[str, str], as_staff: Any,
    by_house: bool,
) -> None:  # fmt: skip
    """Else one of the staff folds the hand of whom they like. A platform could cut its players off anyway."""
    hand = to_the_end()
    house.publish(opened(), *everybody(), *hand[:5])
    now = gateway.now()
    gateway.now = lambda: now
    house.publish(replace(opened(), table="table-2"), table="table-2")
    act, alice = {"hand": 41, "seat": 1, "act": "raise", "to": 350}, as_player("alice")
    headers = as_staff("security") if by_house else operator
    answer = await http.put("/v1/players/alice/block", json={"reason": "list"}, headers=headers)
    assert (answer.json()["blocked"], answer.json()["in_play"]) == (True, by_house)

    async def acts(key: str, table: str = TABLE) -> tuple[int, str]:
        given = alice | {"idempotency-key": key_of(key)}
        answer = await http.post(f"/v1/tables/{table}/acts", json=act, headers=given)
        return answer.status_code, "" if answer.status_code == 200 else slug(answer)

    again = await http.post("/v1/sessions", json={"player": "alice"}, headers=operator)
    if not by_house:
        assert (await acts("k1"), again.status_code) == ((403, "player-blocked"), 403)
        return
    assert ((await acts("k1"))[0], again.status_code) == (200, 200), "nor is the connection's loss the hand's"
    assert await acts("k2", "table-2") == (403, "player-blocked")
    for table, path, body in (
        ("table-2", "seats", {"amount": 10_000}),
        ("table-2", "waiting-list", None),
        (TABLE, "top-ups", {"amount": 100}),
        (TABLE, "sit-in", None),
    ):
        refused = await http.post(f"/v1/tables/{table}/{path}", json=body, headers=alice)
        assert (refused.status_code, slug(refused)) == (403, "player-blocked"), path
    line = Heard(Session("s", "alice", gateway.now(), gateway.now() + 10**9, None))
    gateway.standing.enter(line)
    watching = asyncio.create_task(gateway.standing.watch())
    await asyncio.sleep(1.3)
    assert line.over is None
    house.publish(*hand[5:])
    await asyncio.sleep(1.5)
    watching.cancel()
    assert line.over is not None
    assert line.over.slug == "player-blocked"
    late = [replace(each, at=now + 1) for each in to_the_end(42)[:5]]
    for key, dealt in (("k3", ()), ("k4", late)):
        house.publish(*dealt)
        await asyncio.sleep(0.3)
        assert await acts(key) == (403, "player-blocked"), "not the next hand either, which the seat is dealt into"
        again = await http.post("/v1/sessions", json={"player": "alice"}, headers=operator)
        assert again.status_code == 403


class Heard:
    """A player's connection that keeps why it is over."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.over: Problem | None = None

    def session_over(self, why: Problem) -> None:
        self.over = why


async def test_people_end_a_player_s_sessions_three_times_an_hour(
    http: httpx.AsyncClient, gateway: Gateway, operator: dict[str, str], as_staff: Any
) -> None:
    """Five minutes apart: again and again, and the player decides nothing."""
    start, security = gateway.now(), as_staff("security") | FOR
    for minute, status in ((0, 200), (4, 429), (6, 200), (12, 200), (18, 429)):
        gateway.now = lambda at=start + minute * 60_000: at  # type: ignore[misc]
        answer = await http.delete("/v1/players/alice/sessions", headers=security)
        assert answer.status_code == status, minute
    assert int(answer.headers["retry-after"]) == 42 * 60 + 1
    assert (await http.delete("/v1/players/bob/sessions", headers=security)).status_code == 200
    assert (await http.delete("/v1/players/alice/sessions", headers=operator)).status_code == 200, "its platform may"
    gateway.now = lambda: start + 3_600_001
    assert (await http.delete("/v1/players/alice/sessions", headers=security)).status_code == 200


@pytest.mark.parametrize("holds", ["house", "platform"])
def test_two_blocks_are_told_apart_in_whatever_order_they_are_heard(gateway: Gateway, holds: str) -> None:
    """The topic keeps the last notice of each key; keys lie in several partitions."""
    house = SessionNotice(about="blocked", player="alice", at=1, by="staff:eva", holds=holds == "house")
    platform = SessionNotice(
        about="blocked", player="alice", at=2, whose="operator:acme", by="operator:acme", holds=holds != "house"
    )
    assert house.key != platform.key
    for notices in ((house, platform), (platform, house)):
        for notice in notices:
            gateway.standing.hear(notice)
        assert gateway.standing.why_blocked("alice") is not None


async def test_one_place_or_several(http: httpx.AsyncClient, gateway: Gateway, operator: dict[str, str]) -> None:
    async def opened() -> str:
        now = gateway.now() + 1
        gateway.now = lambda: now
        answer = await http.post("/v1/sessions", json={"player": "alice"}, headers=operator)
        return str(answer.json()["token"])

    first, second = await opened(), await opened()
    assert [(await session_of(http, token)).status_code for token in (first, second)] == [200, 200]
    gateway.standing.one_place = True
    third = await opened()
    assert [(await session_of(http, token)).status_code for token in (first, second, third)] == [401, 401, 200]


async def test_a_session_that_nobody_uses_is_over(
    http: httpx.AsyncClient, gateway: Gateway, token_of: Callable[[str], str]
) -> None:
    now, token, idle = gateway.now(), token_of("alice"), gateway.standing.idle_ms
    for times in range(1, 5):
        gateway.now = lambda at=now + times * (idle - 1): at  # type: ignore[misc]
        assert (await session_of(http, token)).status_code == 200, "used in time, again and again"
    gateway.now = lambda: now + 5 * idle
    refused = await session_of(http, token)
    assert (refused.status_code, slug(refused)) == (401, "session-idle")


async def closed(socket: Any) -> tuple[int, list[str]]:
    """The close code, and which problems were told before."""
    told: list[str] = []

    async def listen() -> None:
        while True:
            frame = json.loads(await asyncio.wait_for(socket.recv(), 10))
            if frame["type"] == "problem":
                told.append(frame["problem"]["type"].rpartition(":")[2])

    with pytest.raises(ConnectionClosed) as over:
        await listen()
    assert over.value.rcvd is not None
    return over.value.rcvd.code, told


@pytest.mark.parametrize("how", ["logout", "revoked", "blocked"])
async def test_open_sockets_of_a_session_that_is_over_are_closed(
    url: str, token_of: Callable[[str], str], operator: dict[str, str], how: str
) -> None:
    token, other = token_of("alice"), token_of("bob")
    where = url.replace("http", "ws") + "/v1/ws"
    async with (
        connect(where, additional_headers=bearer(token), proxy=None) as alice,
        connect(where, additional_headers=bearer(other), proxy=None) as bob,
        httpx.AsyncClient(base_url=url) as http,
    ):
        await alice.recv()
        await bob.recv()
        if how == "logout":
            answer = await http.delete("/v1/session", headers=bearer(token))
        elif how == "revoked":
            answer = await http.delete("/v1/players/alice/sessions", headers=operator)
        else:
            answer = await http.put("/v1/players/alice/block", json={"reason": "x"}, headers=operator)
        assert answer.status_code == 200
        assert await closed(alice) == (4401, ["player-blocked" if how == "blocked" else "session-ended"])
        await bob.send(json.dumps({"type": "ping"}))
        assert json.loads(await bob.recv())["type"] == "pong"


async def test_a_socket_that_only_pings_is_idle(url: str, gateway: Gateway, token_of: Callable[[str], str]) -> None:
    gateway.standing.idle_ms = 2_000
    where = url.replace("http", "ws") + "/v1/ws"
    async with connect(where, additional_headers=bearer(token_of("alice")), proxy=None) as socket:

        async def ping() -> None:
            while True:
                await socket.send(json.dumps({"type": "ping"}))
                await asyncio.sleep(0.1)

        pinging = asyncio.create_task(ping())
        assert await closed(socket) == (4401, ["session-idle"])
        pinging.cancel()
        await asyncio.gather(pinging, return_exceptions=True)


async def test_who_was_removed_needs_a_new_session_to_sit_down_again(
    http: httpx.AsyncClient, gateway: Gateway, house: House, as_player: Any
) -> None:
    house.publish(*everybody())
    session = as_player("alice")
    seat = gateway.known_view(TABLE).seat_of("alice")
    assert seat is not None
    at = gateway.now()
    left = PlayerLeft(
        at=at, player="alice", seat=seat.seat, reservation="r", currency="EUR", stack=seat.stack, reason="removed"
    )
    house.publish(left)
    regulars(gateway, TABLE, "alice")
    path = f"/v1/tables/{TABLE}/seats"
    refused = await http.post(path, json={"amount": 10_000}, headers=session)
    assert (refused.status_code, refused.json()["reason"]) == (409, "removed")
    refused = await http.post(f"/v1/tables/{TABLE}/waiting-list", headers=session | {"idempotency-key": key_of("k2")})
    assert refused.json()["reason"] == "removed"
    assert house.sent == []
    gateway.now = lambda: at + 1
    again = await http.post(path, json={"amount": 10_000}, headers=as_player("alice", "k3"))
    assert again.status_code == 200


def test_what_is_no_notice_changes_nothing(gateway: Gateway) -> None:
    blocked = SessionNotice(about="blocked", player="alice", at=1, by="staff:ana")
    hear_notice(blocked.encoded(), gateway.standing)
    for value in (None, b"", b"{}", b"\xff", b'{"about":"freed","player":"alice","at":2}'):
        hear_notice(value, gateway.standing)
    assert gateway.standing.why_blocked("alice") is not None


def test_what_is_over_anyway_is_forgotten(gateway: Gateway) -> None:
    blocked = SessionNotice(about="blocked", player="eve", at=0)
    for told in (
        blocked,
        SessionNotice(about="since", player="alice", at=0, until=1_000),
        SessionNotice(about="ended", player="alice", at=0, session="s1", until=1_000),
        SessionNotice(about="seen", player="alice", at=0, session="s2", until=1_000),
        SessionNotice(about="ended", player="alice", at=0, session="s3", until=2_000),
    ):
        gateway.standing.hear(told)
    standing, own = gateway.standing, {"since/alice", "ended/s1", "ended/s3", "blocked/eve"}
    assert standing.over(own, 1_500, 500) == ["since/alice", "ended/s1"], "the other one's who told it"
    assert standing.over(own, 1_500, 1_500) == ["since/alice", "ended/s1", "seen/s2"], "who did not take it out"
    for key in ("since/alice", "ended/s1", "seen/s2", "never/told"):
        standing.hear_gone(key)
    assert standing.over(own, 1_500, 1_500) == []
    assert standing.over(own, 2_000, 0) == ["ended/s3"]
    assert standing.why_blocked("eve") is not None, "until it is lifted"


async def test_what_is_taken_out_and_holds_is_told_again(gateway: Gateway) -> None:
    """Something newer was told meanwhile, or who writes to the topic wrote an old record of a gateway once more."""
    standing, now, told = gateway.standing, gateway.now(), list[SessionNotice]()
    held = [
        SessionNotice(about="blocked", player="eve", at=now, by="staff:ana"),
        SessionNotice(about="since", player="alice", at=now, until=now + 1_000),
        SessionNotice(about="ended", player="alice", at=now, session="s1", until=now + 1_000),
    ]
    for notice in held:
        standing.hear(notice)
    standing.tell_soon = told.append
    for notice in held:
        standing.hear_gone(notice.key)
    assert told == held
    assert standing.over({each.key for each in held}, now + 1_000, 0) == ["since/alice", "ended/s1"]


async def test_a_block_is_lifted_at_a_gateway_whose_clock_is_behind(gateway: Gateway) -> None:
    here, now = gateway.standing, gateway.now()
    there = Standing(here.idle_ms, here.length_ms, False, lambda: now - 5_000)
    by = Principal("staff", "security")
    for one, other in ((here, there), (there, here)):

        async def tell(notice: SessionNotice, one: Standing = one, other: Standing = other) -> None:
            one.hear(notice)
            other.hear(notice)

        one.tell = tell
    await here.block("alice", by, "fraud")
    await there.unblock("alice", by)
    assert (here.why_blocked("alice"), there.why_blocked("alice")) == (None, None)


@pytest.mark.parametrize("kind", get_args(PrincipalKind))
def test_what_gateways_have_told_stays_readable(kind: PrincipalKind) -> None:
    by = str(Principal(kind, "a" * 64))
    told = SessionNotice(about="blocked", player="alice", at=1_700_000_000_000, whose=by, by=by, session="s" * 64)
    assert SessionNotice.decoded(told.encoded()) == told
