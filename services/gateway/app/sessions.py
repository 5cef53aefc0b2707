"""Player sessions: signed tokens that outlive a restart, because the gateway keeps none of them."""

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import jwt

from libs.identity.access import Session
from libs.identity.callers import unauthorized
from libs.identity.oidc import Forged

_ALGORITHM = "HS256"
_AUDIENCE = "croupier-gateway"
_MAX_REMEMBERED = 100_000


@dataclass(slots=True)
class Sessions:
    """Opens and checks sessions. `key` signs (HMAC-SHA-256), so whoever has it may be anybody: it stays a file."""

    key: str = field(repr=False)
    length_ms: int = 12 * 3_600_000
    _last_login: dict[str, int] = field(default_factory=dict, repr=False)

    def open(self, player: str, now: int, last_login: int | None = None) -> tuple[str, Session]:
        """A token and what it says. `last_login` is the operator's word; without it, what this process remembers."""
        before = last_login if last_login is not None else self._last_login.get(player)
        expires = (now + self.length_ms) // 1000 * 1000  # whole seconds: the token holds no more
        session = Session(uuid4().hex, player, now, expires, before)
        self._remember(player, now)
        claims = {
            "aud": _AUDIENCE,
            "sub": player,
            "jti": session.id,
            "iat": now // 1000,
            "exp": session.expires // 1000,
            "started": now,
            "last": before,
        }
        return jwt.encode(claims, self.key, algorithm=_ALGORITHM), session

    def check(self, token: str, now: int) -> Session:
        """The session of a token; `Forged`, or `Problem` 401 for one that is over."""
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                self.key,
                algorithms=[_ALGORITHM],
                audience=_AUDIENCE,
                options={"require": ["exp", "sub", "jti", "aud"], "verify_exp": False, "verify_iat": False},
            )
            session = Session(claims["jti"], claims["sub"], claims["started"], claims["exp"] * 1000, claims["last"])
        except (jwt.InvalidTokenError, KeyError):
            raise Forged("no session of this house") from None
        # Our own clock and not the library's, so that a test may say what time it is.
        if now >= session.expires:
            raise unauthorized("The session is over; open a new one.", slug="session-expired")
        return session

    def _remember(self, player: str, now: int) -> None:
        self._last_login.pop(player, None)
        self._last_login[player] = now
        if len(self._last_login) > _MAX_REMEMBERED:
            del self._last_login[next(iter(self._last_login))]
