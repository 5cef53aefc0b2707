"""People of the house by OpenID Connect: access tokens of one provider, verified with the keys that it publishes.

Algorithms are pinned here and never taken from a token. Keys are fetched when first needed, again when they are old or
when a token names one that is not among them (rotation), and hold on through an outage of the provider.
"""

import asyncio
import ipaddress
import time
from base64 import urlsafe_b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx
import jwt
import msgspec

from libs.contracts.messages import Principal
from libs.contracts.people import digest_id
from libs.contracts.platforms import HOUSE
from libs.contracts.roles import ROLES, Role
from libs.contracts.texts import Id
from libs.edge.problems import Problem
from libs.identity.access import Caller
from libs.telemetry import get_logger

ASYMMETRIC = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"})
"""Others are refused in the settings: a published key must never be taken for a shared secret."""
TYPES = frozenset({"jwt", "at+jwt", "application/at+jwt"})
"""Of the header `typ`, where there is one: a logout token is no login."""
LONGEST_HEAD = 1024
"""Characters of a token's first part: an algorithm, a type and the name of a key."""
MAX_DOCUMENT = 256 * 1024
FRESH_S, STALE_S, COOLDOWN_S = 300.0, 24 * 3600.0, 10.0
"""Keys are fetched again after 5 minutes, used for a day at most, and fetched for an unknown one once in 10 seconds."""
_log = get_logger(__name__)


class Forged(Exception):
    """Not a token of this house. The text says why, without anything of it."""


class Head(msgspec.Struct):
    """What a token's first part says of itself, in whatever type: nothing of it is proven."""

    alg: Any = None
    typ: Any = "jwt"
    kid: Any = None


_HEADS = msgspec.json.Decoder(Head)


def head_of(token: str) -> Head:
    """Raises `Forged` for what is no JSON Web Token (RFC 7519). Of the rest, which may be long, not a character is
    looked at: whoever makes tokens up pays for that himself."""
    first, dot, _ = token.partition(".")
    if not dot or len(first) > LONGEST_HEAD:
        raise Forged("no JSON Web Token")
    try:
        return _HEADS.decode(urlsafe_b64decode(first + "=" * (-len(first) % 4)))
    except (ValueError, msgspec.MsgspecError, RecursionError):
        raise Forged("no JSON Web Token") from None


@dataclass(slots=True)
class OpenIdProvider:
    """`issuer` has to be what its discovery document calls itself; `audience` is the house's name there."""

    issuer: str
    audience: str
    client: httpx.AsyncClient
    roles_claim: str = "roles"
    """Name of the claim, or a path with dots to it (`realm_access.roles`)."""
    algorithms: frozenset[str] = frozenset({"RS256", "PS256", "ES256", "EdDSA"})
    leeway_s: float = 30.0
    longest_s: float = 3600.0
    """Tokens that live longer are refused: they can't be taken back."""
    clock: Callable[[], float] = time.monotonic
    _keys: list[jwt.PyJWK] = field(default_factory=list, repr=False)
    _fetched: float = -1e9
    _tried: float = -1e9
    _fetching: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)
    _renewing: "asyncio.Future[None] | None" = None

    def __post_init__(self) -> None:
        if not _is_safe(self.issuer):
            raise ValueError("an issuer is an https address, or an http one on this machine alone")
        if not self.algorithms or self.algorithms - ASYMMETRIC:
            raise ValueError(f"algorithms are of {', '.join(sorted(ASYMMETRIC))}")

    async def caller(self, token: str) -> Caller:
        """Raises `Forged`; `Problem` 401 for a token that is over, 503 while the provider's keys can't be had."""
        head = head_of(token)
        # A header may say `alg` with a list, which is in no set because it can't be looked up in one.
        if not isinstance(head.alg, str) or head.alg not in self.algorithms or str(head.typ).lower() not in TYPES:
            raise Forged("signed in another way, or for something else")
        claims = self._claims(token, await self._key(head.kid, head.alg), head.alg)
        return Caller(Principal("staff", staff_id(self.issuer, claims["sub"])), roles=self._roles(claims))

    def _claims(self, token: str, key: jwt.PyJWK, algorithm: str) -> dict[str, Any]:
        try:
            claims = jwt.decode(
                token,
                key,
                algorithms=[algorithm],
                audience=self.audience,
                issuer=self.issuer,
                leeway=self.leeway_s,
                options={"require": ["iss", "sub", "aud", "exp", "iat"], "enforce_minimum_key_length": True},
            )
        except jwt.ExpiredSignatureError:
            raise Problem(
                401, "token-expired", "The token is over; get a new one.", headers={"www-authenticate": "Bearer"}
            ) from None
        except (jwt.PyJWTError, OverflowError, RecursionError) as wrong:
            raise Forged(type(wrong).__name__) from None
        subject = claims["sub"]
        if not isinstance(subject, str) or not 0 < len(subject) <= 255 or not _is_plain(subject):
            raise Forged("no subject")
        if int(claims["exp"]) - int(claims["iat"]) > self.longest_s:
            raise Forged("it lives too long")
        return claims

    def _roles(self, claims: Mapping[str, Any]) -> frozenset[Role]:
        """Those of ours; what else the provider says of its people is nothing to us."""
        told: Any = claims.get(self.roles_claim)
        if told is None:
            told = claims
            for step in self.roles_claim.split("."):
                told = told.get(step) if isinstance(told, dict) else None
        named = told.split() if isinstance(told, str) else told if isinstance(told, list) else []
        return frozenset(role for role in ROLES if role in named)

    async def _key(self, kid: Any, algorithm: str) -> jwt.PyJWK:
        age = self.clock() - self._fetched
        key = self._find(kid, algorithm) if age <= STALE_S else None
        if key is None:
            await self._fetch()
            key = self._find(kid, algorithm)
        elif age > FRESH_S:
            self._renewing = asyncio.ensure_future(self._fetch())
        if self.clock() - self._fetched > STALE_S:
            raise Problem(
                503, "provider-unavailable", "Logins can't be verified right now.", headers={"retry-after": "5"}
            )
        if key is None:
            raise Forged("signed with a key that the provider does not publish")
        return key

    def _find(self, kid: Any, algorithm: str) -> jwt.PyJWK | None:
        fitting = [key for key in self._keys if key.algorithm_name == algorithm and (kid is None or key.key_id == kid)]
        return fitting[0] if len(fitting) == 1 else None

    async def _fetch(self) -> None:
        """One at a time, once in ten seconds at the most; what can't be had leaves the keys as they are."""
        async with self._fetching:
            if self.clock() - self._tried <= COOLDOWN_S:
                return
            self._tried = self.clock()
            try:
                document = await self._read(f"{self.issuer.rstrip('/')}/.well-known/openid-configuration")
                if document.get("issuer") != self.issuer or not _is_safe(str(document.get("jwks_uri"))):
                    raise ValueError("the provider calls itself otherwise, or has no safe address for its keys")
                keys = jwt.PyJWKSet.from_dict(await self._read(document["jwks_uri"])).keys
            except (httpx.HTTPError, ValueError, msgspec.MsgspecError, jwt.PyJWTError) as wrong:
                _log.error("the provider's keys can't be had", issuer=self.issuer, error=type(wrong).__name__)
                return
            self._keys = [key for key in keys if key.public_key_use in (None, "sig")]
            self._fetched = self.clock()

    async def _read(self, url: str) -> dict[str, Any]:
        async with self.client.stream("GET", url) as answer:
            answer.raise_for_status()
            content = b""
            async for chunk in answer.aiter_bytes():
                content += chunk
                if len(content) > MAX_DOCUMENT:
                    raise ValueError("a document that is too large")
        return msgspec.json.decode(content, type=dict[str, Any])


def staff_id(issuer: str, subject: str) -> str:
    """Of one subject, and of no other: the subject itself where it is an id of ours, else made of digests.

    There is one provider, so the subject alone tells its people apart; a digest has a colon, which no plain one has.
    Which of them are one person all the same `same_person` tells.
    """
    try:
        if ":" not in subject and subject.casefold() != HOUSE:  # events call the house itself so
            return msgspec.convert(subject, Id)
    except msgspec.ValidationError:
        pass
    return digest_id(issuer, subject)


def _is_plain(subject: str) -> bool:
    """ASCII (OpenID Connect Core 2) without anything that nobody sees: two who are read as one are not two."""
    return subject.isascii() and subject.isprintable() and subject == subject.strip()


def _is_safe(url: str) -> bool:
    parts = urlsplit(url)
    if parts.scheme == "https":
        return bool(parts.hostname)
    try:
        local = parts.hostname == "localhost" or ipaddress.ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return False
    return parts.scheme == "http" and local
