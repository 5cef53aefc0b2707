"""One request as both doors of the gateway bring it: who asks, of which table or player, and a body to be checked."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from libs.contracts.commands import Wrong, fitted, wrong_fields
from libs.contracts.messages import Principal
from libs.edge.handlers import invalid_input
from libs.identity.access import Caller, Session
from services.gateway.app.gateway import Gateway

StructT = TypeVar("StructT", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class Asked:
    gateway: Gateway
    by: Principal
    path: Mapping[str, str]
    """What the path says, or what a message of the WebSocket says beside the wish."""
    session: Session | None = None
    """The player's; its id travels along as correlation."""
    caller: Caller | None = None
    """Who asks at the doors of the house; a player's session says it all."""
    where: tuple[str, ...] = ("body",)
    """Where the body's fields are, as a problem names them."""

    @property
    def table(self) -> str:
        """`Problem` 404 for a table that was never opened: no stream is made up by a typing error."""
        return self.gateway.known_table(self.path["table"])

    @property
    def stream(self) -> str:
        """Of which table, or of which tournament; `Problem` 404 where there is none."""
        if "tournament" in self.path:
            return self.gateway.tournaments.known(self.path["tournament"]).tournament
        return self.table

    def own(self, *ids: str) -> None:
        """`Problem` 403 for a player or table of another platform than the one that asks."""
        if self.caller is not None:
            self.caller.own(*ids)


def fitting(
    kind: type[StructT],
    body: Any,
    path: Mapping[str, str] = {},
    left_out: Set[str] = frozenset(),
    minted: str | None = None,
    where: tuple[str, ...] = (),
) -> StructT:
    """Body and path as one struct; `Problem` 422 with every field that is missing, unknown or out of bounds."""
    if not isinstance(body, dict):
        raise invalid_input([{"loc": where, "msg": "Expected an object"}])
    whole, stray = body, []
    if left_out:
        stray = [Wrong((name,), "Unknown field") for name in body if name in left_out]
        whole = {**body, **{name: _value(kind, name, text) for name, text in path.items() if name in left_out}}
    if minted in left_out:
        whole[minted] = minted
    try:
        if not stray:
            return fitted(kind, whole)
    except msgspec.ValidationError:
        pass
    found = [*wrong_fields(kind, whole), *stray]
    raise invalid_input([{"loc": _place(wrong, path, left_out, where), "msg": wrong.detail} for wrong in found])


def _value(kind: type[msgspec.Struct], name: str, text: str) -> Any:
    """A number where the field is one; what is none is left to be refused."""
    field = next(field for field in msgspec.structs.fields(kind) if field.name == name)
    try:
        return msgspec.convert(text, field.type, strict=False)
    except msgspec.ValidationError:
        return text


def _place(wrong: Wrong, path: Mapping[str, str], left_out: Set[str], where: tuple[str, ...]) -> tuple[str | int, ...]:
    in_path = wrong.place[0] in path and wrong.place[0] in left_out
    return (("path",) if in_path else where) + wrong.place
