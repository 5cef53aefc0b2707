"""Access tokens of any OpenID Connect provider: what is taken, what is refused, and what an outage or rotation does."""

import json
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from libs.edge.problems import Problem
from libs.identity.oidc import COOLDOWN_S, FRESH_S, STALE_S, Forged, OpenIdProvider, staff_id
from tests.testkit.logins import callers

ISSUER, AUDIENCE = "https://login.example", "croupier"
RSA, OTHER = (rsa.generate_private_key(65537, 2048) for _ in range(2))
EC = ec.generate_private_key(ec.SECP256R1())


def published(kid: str, key: Any = RSA, **more: Any) -> dict[str, Any]:
    kind = ECAlgorithm if key is EC else RSAAlgorithm
    return {**kind.to_jwk(key.public_key(), as_dict=True), "kid": kid, "use": "sig", **more}


class World:
    """A provider on the other side of HTTP; what it publishes can be changed, and it can be away."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.keys = [published("one")]
        self.issuer = ISSUER
        self.jwks_uri = f"{ISSUER}/keys"
        self.away = False
        self.asked = 0

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        if self.away:
            raise httpx.ConnectError("away")
        if request.url.path == "/.well-known/openid-configuration":
            return httpx.Response(200, json={"issuer": self.issuer, "jwks_uri": self.jwks_uri})
        return httpx.Response(200, json={"keys": self.keys})

    def provider(self, **more: Any) -> OpenIdProvider:
        client = httpx.AsyncClient(transport=httpx.MockTransport(self.answer))
        return OpenIdProvider(ISSUER, AUDIENCE, client, clock=lambda: self.now, **more)


@pytest.fixture
def world() -> World:
    return World()


def token(key: Any = RSA, alg: str = "RS256", kid: str | None = "one", typ: str = "at+jwt", **changes: Any) -> str:
    now = int(time.time())
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ana", "roles": ["floor"], "iat": now, "exp": now + 300, **changes}
    headers = {"typ": typ, **({"kid": kid} if kid else {})}
    return jwt.encode({name: value for name, value in claims.items() if value is not None}, key, alg, headers)


async def test_a_person_with_roles(world: World) -> None:
    caller = await world.provider().caller(token(roles=["supervisor", "floor", "astronaut"], aud=["crm", AUDIENCE]))
    assert (caller.principal.kind, caller.principal.id, caller.roles) == ("staff", "ana", {"supervisor", "floor"})


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("realm_access.roles", {"realm_access": {"roles": ["floor"]}}),
        ("https://croupier.example/roles", {"https://croupier.example/roles": ["floor"]}),
        ("scope", {"scope": "openid floor"}),
    ],
)
async def test_roles_where_a_provider_has_them(world: World, claim: str, told: dict[str, Any]) -> None:
    caller = await world.provider(roles_claim=claim).caller(token(roles=None, **told))
    assert caller.roles == {"floor"}


async def test_a_person_without_roles_is_somebody_who_may_nothing(world: World) -> None:
    for roles in (None, [], "", {"floor": True}, 7, [["floor"]]):
        assert (await world.provider().caller(token(roles=roles))).roles == frozenset()


def _unsigned() -> str:
    return jwt.encode(jwt.decode(token(), options={"verify_signature": False}), "", algorithm="none")


def _confused() -> str:
    """The published key taken for a shared secret."""
    public = RSA.public_key().public_numbers().n.to_bytes(256, "big")
    return token(public, "HS256")


def _headed(name: str, value: Any) -> str:
    """A token whose header says that; the signature is of the true one."""
    _, claims, signature = token().split(".")
    header = {"alg": "RS256", "kid": "one", "typ": "at+jwt", name: value}
    return ".".join([urlsafe_b64encode(json.dumps(header).encode()).decode().rstrip("="), claims, signature])


PAST = int(time.time()) - 3_600
FORGED: dict[str, Callable[[], str]] = {
    "unsigned": _unsigned,
    "the public key as a secret": _confused,
    "another key under the same id": lambda: token(OTHER),
    "an unknown key": lambda: token(OTHER, kid="two"),
    "an algorithm that is not pinned": lambda: token(alg="RS512"),
    "another issuer": lambda: token(iss="https://login.example.evil"),
    "an issuer with a slash": lambda: token(iss=ISSUER + "/"),
    "for somebody else": lambda: token(aud="crm"),
    "for nobody": lambda: token(aud=None),
    "without an end": lambda: token(exp=None),
    "without a beginning": lambda: token(iat=None),
    "without a subject": lambda: token(sub=None),
    "with an empty subject": lambda: token(sub=""),
    "a subject without end": lambda: token(sub="x" * 256),
    "a subject with a blank behind": lambda: token(sub="ana "),
    "a subject with a letter that nobody sees": lambda: token(sub="ana\u200b"),
    "a subject in wide letters": lambda: token(sub="\uff41na"),
    "a subject with a NUL": lambda: token(sub="ana\x00"),
    "of a long life": lambda: token(exp=int(time.time()) + 30 * 86_400),
    "not yet": lambda: token(nbf=int(time.time()) + 600),
    "of the future": lambda: token(iat=int(time.time()) + 600, exp=int(time.time()) + 900),
    "for logging out": lambda: token(typ="logout+jwt"),
    "cut": lambda: token()[:-3],
    "no token": lambda: "a.b.c",
}


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED.keys())
async def test_a_forged_token(world: World, forged: Callable[[], str]) -> None:
    with pytest.raises(Forged):
        await world.provider().caller(forged())


@pytest.mark.parametrize("value", [None, True, 0, 1.5, "", [], ["RS256"], {}, {"a": 1}, "x" * 99], ids=str)
@pytest.mark.parametrize("name", ["alg", "typ", "kid", "crit", "b64", "x5c", "jwk"])
async def test_a_header_of_any_json_is_a_forgery_and_counted(
    world: World, tmp_path: Path, name: str, value: Any
) -> None:
    """Found by an attacker (issue 11): `{"alg": ["EdDSA"]}` was a 500, and no failed login."""
    forged = _headed(name, value)
    with pytest.raises(Forged):
        await world.provider().caller(forged)
    told = callers(tmp_path)
    with pytest.raises(Problem) as refused:
        await told.caller_with(forged, "203.0.113.9")
    assert refused.value.status == 401


async def test_a_token_that_is_over_is_no_forgery(world: World) -> None:
    with pytest.raises(Problem) as told:
        await world.provider().caller(token(iat=PAST, exp=PAST + 60))
    assert (told.value.status, told.value.slug) == (401, "token-expired")
    now = int(time.time())
    assert await world.provider().caller(token(exp=now - 10)), "a clock may be half a minute off"


async def test_a_new_key_is_fetched_when_a_token_names_it(world: World) -> None:
    provider = world.provider()
    await provider.caller(token())
    world.keys = [published("one"), published("two", OTHER)]
    world.now += COOLDOWN_S + 1
    assert await provider.caller(token(OTHER, kid="two"))
    world.keys = [published("two", OTHER)]
    world.now += FRESH_S + 1
    await provider.caller(token(OTHER, kid="two"))
    if provider._renewing is not None:
        await provider._renewing
    with pytest.raises(Forged):
        await provider.caller(token())


async def test_unknown_keys_do_not_flood_the_provider(world: World) -> None:
    provider = world.provider()
    await provider.caller(token())
    for number in range(50):
        with pytest.raises(Forged):
            await provider.caller(token(OTHER, kid=f"k{number}"))
    assert world.asked == 2


async def test_keys_hold_on_through_an_outage_for_a_day(world: World) -> None:
    provider = world.provider()
    await provider.caller(token())
    world.away = True
    world.now += STALE_S - 1
    assert await provider.caller(token())
    world.now += 60
    with pytest.raises(Problem) as told:
        await provider.caller(token())
    assert (told.value.status, told.value.slug) == (503, "provider-unavailable")
    world.away = False
    world.now += COOLDOWN_S + 1
    assert await provider.caller(token())


@pytest.mark.parametrize("wrong", [{"issuer": "https://evil.example"}, {"jwks_uri": "http://login.example/keys"}])
async def test_a_provider_that_is_not_itself_has_no_keys(world: World, wrong: dict[str, str]) -> None:
    vars(world).update(wrong)
    with pytest.raises(Problem):
        await world.provider().caller(token())


async def test_an_elliptic_key_and_one_for_encryption(world: World) -> None:
    world.keys = [published("ec", EC), published("one", use="enc")]
    provider = world.provider()
    assert await provider.caller(token(EC, "ES256", "ec"))
    with pytest.raises(Forged):
        await provider.caller(token())


@pytest.mark.parametrize("issuer", ["http://login.example", "ftp://x", "login.example", ""])
def test_an_issuer_is_reached_safely(world: World, issuer: str) -> None:
    with pytest.raises(ValueError, match="issuer"):
        OpenIdProvider(issuer, AUDIENCE, httpx.AsyncClient())


@pytest.mark.parametrize("algorithms", [{"HS256"}, {"RS256", "none"}, set()])
def test_only_asymmetric_signatures(algorithms: set[str]) -> None:
    with pytest.raises(ValueError, match="algorithms"):
        OpenIdProvider(ISSUER, AUDIENCE, httpx.AsyncClient(), algorithms=frozenset(algorithms))


def test_a_subject_is_one_person() -> None:
    assert staff_id(ISSUER, "ana") == "ana"
    told = {
        "ana",
        "Ana",
        "ana ",
        " ana",
        "ana\u200b",
        "house",
        "House",
        "auth0|17",
        "sub:ana",
        "ánà",
        "x" * 200,
        "a\nb",
    }
    assert len({staff_id(ISSUER, subject) for subject in told}) == len(told)
    assert staff_id(ISSUER, "a b") != staff_id("https://other.example", "a b")
    assert ":" in staff_id(ISSUER, "house"), "events call the house itself so"
