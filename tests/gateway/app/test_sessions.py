"""Sessions: signed, expiring, and good at every gateway that has the key."""

from collections.abc import Callable

import httpx
import jwt
import pytest

from libs.edge.problems import Problem
from libs.identity.oidc import Forged
from services.gateway.app.gateway import Gateway
from services.gateway.app.sessions import Sessions

KEY, NOW = "k" * 64, 1_800_000_000_000


def sessions(key: str = KEY) -> Sessions:
    return Sessions(key, 3_600_000)


def test_a_token_outlives_a_restart():
    token, opened = sessions().open("alice", NOW)
    assert sessions().check(token, NOW + 1_000) == opened


def test_the_last_login_is_told():
    house = sessions()
    assert house.open("alice", NOW)[1].last_login is None
    assert house.open("alice", NOW + 5)[1].last_login == NOW
    assert house.open("alice", NOW + 9, last_login=77)[1].last_login == 77


def test_an_expired_token():
    token, opened = sessions().open("alice", NOW)
    with pytest.raises(Problem) as problem:
        sessions().check(token, opened.expires)
    assert (problem.value.status, problem.value.slug) == (401, "session-expired")


def _altered(token: str) -> str:
    head, body, signature = token.split(".")
    return f"{head}.{body[:-2]}AA.{signature}"


def _unsigned(token: str) -> str:
    return jwt.encode(jwt.decode(token, options={"verify_signature": False}), "", algorithm="none")


@pytest.mark.parametrize("forge", [_altered, _unsigned, lambda token: "nonsense", lambda token: ""])
def test_a_forged_token(forge):
    token, _ = sessions().open("alice", NOW)
    with pytest.raises(Forged):
        sessions().check(forge(token), NOW)


def test_another_house_s_key():
    token, _ = sessions("x" * 64).open("alice", NOW)
    with pytest.raises(Forged):
        sessions().check(token, NOW)


def test_no_secret_shows_in_a_repr():
    assert KEY not in repr(sessions())


def test_a_session_ends_when_it_was_said_to_end() -> None:
    """The platform hears the very millisecond that the player's client and the token know."""
    now = 1_795_463_786_191
    sessions = Sessions("k" * 32)
    token, opened = sessions.open("alice", now)
    assert sessions.check(token, now).expires == opened.expires


async def test_a_session_is_known_where_none_is_needed_and_not_used_by_it(
    http: httpx.AsyncClient, gateway: Gateway, token_of: Callable[[str], str]
) -> None:
    now, token = gateway.now(), token_of("alice")
    assert await gateway.callers.knows(f"Bearer {token}", "10.0.0.1")
    gateway.now = lambda: now + gateway.standing.idle_ms - 1
    assert await gateway.callers.knows(f"Bearer {token}", "10.0.0.1")
    gateway.now = lambda: now + gateway.standing.idle_ms
    assert not await gateway.callers.knows(f"Bearer {token}", "10.0.0.1"), "looking at the lobby keeps no session"
    mine = token_of("alice")
    assert await gateway.callers.knows(f"Bearer {mine}", "10.0.0.1")
    await http.delete("/v1/session", headers={"authorization": f"Bearer {mine}"})
    assert not await gateway.callers.knows(f"Bearer {mine}", "10.0.0.1")
    assert not await gateway.callers.knows(f"Bearer {_altered(token_of('alice'))}", "10.0.0.1")
