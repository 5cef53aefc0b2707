"""Whose token it is, whatever kind it has: a player's session, a person's access token, a platform's credential."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256

from libs.edge.crowd import Crowd
from libs.edge.problems import Problem
from libs.edge.shares import Buckets, Share
from libs.identity.access import Caller
from libs.identity.failures import Attempts
from libs.identity.oidc import Forged, OpenIdProvider, head_of
from libs.identity.operators import PREFIX, Operators

LONGEST, LONGEST_SESSION = 8 * 1024, 2 * 1024
"""Characters of a token, and of a player's session, which we make ourselves."""
MOST_FOUND = 10_000
"""Tokens of people that one process knows again."""
_SESSION_ALGORITHM = "HS256"


def unauthorized(detail: str, slug: str = "unauthorized") -> Problem:
    return Problem(401, slug, detail, headers={"www-authenticate": "Bearer"})


READS = Share(20, 500)
PAGES = Share(20, 200)
"""Public pages that one principal is given before strangers: who is known is no crowd either."""


@dataclass(slots=True)
class Callers:
    """`players` turns a session's token into who plays, where players come in at all; `glance` does so, too, and the
    session does not count as used by it."""

    operators: Operators
    provider: OpenIdProvider | None
    attempts: Attempts
    players: Callable[[str], Caller] | None = None
    glance: Callable[[str], Caller] | None = None
    now: Callable[[], int] = field(default=lambda: time.time_ns() // 1_000_000)
    reads: Buckets = field(default_factory=lambda: Buckets("reads", READS, time.monotonic))
    """By principal: looks at cards and persons, each of which is a row that is kept for ever."""
    pages: Buckets = field(default_factory=lambda: Buckets("pages", PAGES, time.monotonic))
    _found: dict[bytes, None] = field(default_factory=dict, repr=False)
    """Digests of people's tokens that were found true: they are looked at at once, and again each time."""
    _unproven: Crowd = field(default_factory=Crowd, repr=False)
    """Of the others a few at a time, addresses in turn: a signature takes the loop's time, whoever has made it up."""

    async def caller(self, authorization: str, address: str) -> Caller:
        """By the value of an `Authorization` header; `Problem` 401; 429 for a wrong one from a locked address."""
        return await self.caller_with(_bearer(authorization), address)

    async def caller_with(self, token: str, address: str) -> Caller:
        kind = _kind(token)
        try:
            return await self._caller(kind, token, self.players, address)
        except Forged:
            await self.attempts.failed(address, kind)
            raise unauthorized("The token is not valid.") from None

    async def knows(self, authorization: str, address: str) -> bool:
        """Whether a true token is shown where none is needed, by one who does not ask more than `PAGES`. A wrong one
        is no failed login: such a page is answered all the same, and a browser may still have an old one."""
        try:
            token = _bearer(authorization)
            caller = await self._caller(_kind(token), token, self.glance, address)
        except (Forged, Problem):
            return False
        return not self.pages.spend(str(caller.principal), 1)

    async def _caller(self, kind: str, token: str, players: Callable[[str], Caller] | None, address: str) -> Caller:
        if kind == "operator" and (caller := self.operators.caller(token, self.now())) is not None:
            return caller
        if kind == "session" and players is not None:
            return players(token)
        if kind == "staff" and self.provider is not None:
            return await self._of_people(self.provider, token, address)
        raise Forged("nobody here has such a token")

    async def _of_people(self, provider: OpenIdProvider, token: str, address: str) -> Caller:
        digest = sha256(token.encode()).digest()
        if digest not in self._found:
            await self._unproven.enter(address)
            try:
                caller = await provider.caller(token)
            finally:
                self._unproven.leave(address)
            self._found[digest] = None
            if len(self._found) > MOST_FOUND:
                del self._found[next(iter(self._found))]
            return caller
        try:
            return await provider.caller(token)
        except (Forged, Problem) as wrong:
            if not isinstance(wrong, Problem) or wrong.status == 401:
                self._found.pop(digest, None)  # it is over, or its key is gone
            raise


def _bearer(authorization: str) -> str:
    """The token of an `Authorization` header; `Problem` 401 where it has none."""
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise unauthorized("A bearer token is needed.")
    return token.strip()


def _kind(token: str) -> str:
    """What it claims to be; who believes it looks at the signature with the one algorithm of that kind."""
    if len(token) > LONGEST or not token.isascii():
        return "malformed"
    if token.startswith(f"{PREFIX}."):
        return "operator"
    try:
        algorithm = head_of(token).alg
    except Forged:
        return "malformed"
    if not isinstance(algorithm, str):
        return "malformed"
    if algorithm != _SESSION_ALGORITHM:
        return "staff"
    return "session" if len(token) <= LONGEST_SESSION else "malformed"
