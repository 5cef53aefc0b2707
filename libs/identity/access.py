"""Who may ask what: declared beside each path, kept by the guard, shown in the OpenAPI document."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from libs.contracts.messages import Principal
from libs.contracts.platforms import HOUSE, ids_of, platform_of
from libs.contracts.roles import Role, Scope
from libs.edge.problems import Problem

EVERYBODY, PLAYER = "everybody", "player"
SECURITY_SCHEMES: Mapping[str, Any] = {
    "session": {"type": "http", "scheme": "bearer", "description": "Session token of a player"},
    "staff": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "Access token of a person of the house, from its OpenID Connect provider; `x-roles` says who",
    },
    "operator": {
        "type": "http",
        "scheme": "bearer",
        "description": "Credential of an operator's platform; `x-scopes` says with which scope",
    },
}


@dataclass(frozen=True, slots=True)
class Session:
    """Of a player: since when (ms) and until when; `last_login` is the start of the session before (GAM-15)."""

    id: str
    player: str
    started: int
    expires: int
    last_login: int | None


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, as a token proved it."""

    principal: Principal
    roles: frozenset[Role] = frozenset()
    scopes: frozenset[Scope] = frozenset()
    session: Session | None = None
    platform: str = ""
    """Whose credential it is; empty for people and players."""

    @property
    def walled(self) -> str:
        """The platform outside of which this caller sees and moves nothing; empty where there is no such wall: staff,
        players (each has the own name in the session), the house's own processes."""
        return "" if "house" in self.scopes else self.platform

    def own(self, *ids: str) -> None:
        """`Problem` 403 for a player or table of another platform, the same whether there is one or not."""
        if self.walled and any(platform_of(id) != self.walled for id in ids):
            raise Problem(403, "another-platform", f"Your players and tables {ids_of(self.walled)}.")


@dataclass(frozen=True, slots=True)
class Access:
    """Any one of them is enough: a role, a scope, a player's session, or being anybody at all."""

    roles: tuple[Role, ...] = ()
    scopes: tuple[Scope, ...] = ()
    player: bool = False
    everybody: bool = False
    person: bool = False
    """Shows cards or persons: whoever reads it says what for, and the read is on record."""
    whole: bool = False
    """Shows the house as a whole: of credentials it is for the house's own alone."""

    def check(self, caller: Caller) -> None:
        """`Problem` 403 that names what the caller would have to be."""
        held = caller.roles & set(self.roles) or caller.scopes & set(self.scopes)
        if held and self.whole and caller.walled not in ("", HOUSE):
            raise Problem(403, "another-platform", "This tells of all platforms' players: it is the house's alone.")
        if self.everybody or held or (self.player and caller.principal.kind == "player"):
            return
        needs = {"roles": list(self.roles), "scopes": list(self.scopes)}
        raise Problem(403, "forbidden", self._wanted, needs={name: each for name, each in needs.items() if each})

    @property
    def _wanted(self) -> str:
        wanted = [f"a person with the role {' or '.join(self.roles)}"] if self.roles else []
        wanted += [f"a credential with the scope {' or '.join(self.scopes)}"] if self.scopes else []
        wanted += ["a player's session"] if self.player else []
        return f"This needs {', or '.join(wanted)}."

    @property
    def shown(self) -> dict[str, Any]:
        """As an operation of an OpenAPI document has it."""
        roles = [*self.roles, *([PLAYER] if self.player else []), *([EVERYBODY] if self.everybody else [])]
        security: list[dict[str, list[str]]] = [{"staff": list(self.roles)}] if self.roles else []
        security += [{"operator": list(self.scopes)}] if self.scopes else []
        security += [{"session": []}] if self.player else []
        more = ({"x-purpose": True} if self.person else {}) | ({"x-whole-house": True} if self.whole else {})
        return {"x-roles": roles, "x-scopes": list(self.scopes), "security": security, **more}


def access_in(shown: Mapping[str, Any]) -> Access:
    """What `shown` shows; KeyError for an operation that does not say who may ask it."""
    roles = list(shown["x-roles"])
    return Access(
        roles=cast(tuple[Role, ...], tuple(role for role in roles if role not in (PLAYER, EVERYBODY))),
        scopes=tuple(shown["x-scopes"]),
        player=PLAYER in roles,
        everybody=EVERYBODY in roles,
        person=bool(shown.get("x-purpose")),
        whole=bool(shown.get("x-whole-house")),
    )


ANYBODY = Access(everybody=True)
PLAYERS = Access(player=True)
