"""Whose token it is, whatever kind it has: a player's session, a person's access token, a platform's credential."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import jwt

from libs.edge.problems import Problem
from libs.edge.shares import Buckets, Share
from libs.identity.access import Caller
from libs.identity.failures import Attempts
from libs.identity.oidc import Forged, OpenIdProvider
from libs.identity.operators import PREFIX, Operators

LONGEST = 8 * 1024
"""Characters of a token."""
_SESSION_ALGORITHM = "HS256"


def unauthorized(detail: str, slug: str = "unauthorized") -> Problem:
    return Problem(401, slug, detail, headers={"www-authenticate": "Bearer"})


READS = Share(20, 500)


@dataclass(slots=True)
class Callers:
    """`players` turns a session's token into who plays, where players come in at all."""

    operators: Operators
    provider: OpenIdProvider | None
    attempts: Attempts
    players: Callable[[str], Caller] | None = None
    now: Callable[[], int] = field(default=lambda: time.time_ns() // 1_000_000)
    reads: Buckets = field(default_factory=lambda: Buckets("reads", READS, time.monotonic))
    """By principal: looks at cards and persons, each of which is a row that is kept for ever."""

    async def caller(self, authorization: str, address: str) -> Caller:
        """By the value of an `Authorization` header; `Problem` 401; 429 for a wrong one from a locked address."""
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise unauthorized("A bearer token is needed.")
        return await self.caller_with(token.strip(), address)

    async def caller_with(self, token: str, address: str) -> Caller:
        kind = _kind(token)
        try:
            return await self._caller(kind, token)
        except Forged:
            await self.attempts.failed(address, kind)
            raise unauthorized("The token is not valid.") from None

    async def _caller(self, kind: str, token: str) -> Caller:
        if kind == "operator" and (caller := self.operators.caller(token, self.now())) is not None:
            return caller
        if kind == "session" and self.players is not None:
            return self.players(token)
        if kind == "staff" and self.provider is not None:
            return await self.provider.caller(token)
        raise Forged("nobody here has such a token")


def _kind(token: str) -> str:
    """What it claims to be; who believes it looks at the signature with the one algorithm of that kind."""
    if len(token) > LONGEST or not token.isascii():
        return "malformed"
    if token.startswith(f"{PREFIX}."):
        return "operator"
    try:
        algorithm = jwt.get_unverified_header(token).get("alg")
    except jwt.InvalidTokenError:
        return "malformed"
    if not isinstance(algorithm, str):
        return "malformed"
    return "session" if algorithm == _SESSION_ALGORITHM else "staff"
