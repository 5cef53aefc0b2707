"""What a player says over the WebSocket: JSON objects told apart by `type`."""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

import msgspec
from pydantic_core import from_json

from libs.contracts.facts import Fact
from libs.contracts.texts import Id, Key
from libs.edge.handlers import invalid_input
from libs.edge.problems import Problem
from services.gateway.app.asked import fitting
from services.gateway.app.doors import PLAYERS_DOORS, Door

MAX_MESSAGE = 64 * 1024
"""Bytes of one message from a player; a larger one ends the connection (1009)."""


class Hello(Fact, forbid_unknown_fields=True):
    """First message of a connection that brought no `Authorization` header."""

    token: Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]

    def __repr__(self) -> str:
        return "Hello()"


class Subscribe(Fact, forbid_unknown_fields=True):
    """Shows the table, and every public event after that."""

    table: Id


class Unsubscribe(Fact, forbid_unknown_fields=True):
    """No more of that table."""

    table: Id


class WatchTournament(Fact, forbid_unknown_fields=True):
    """Shows the tournament's page with the own entry, and again when they have changed."""

    tournament: Id


class UnwatchTournament(Fact, forbid_unknown_fields=True):
    """No more of that tournament."""

    tournament: Id


class Ping(Fact, forbid_unknown_fields=True):
    """Answered by `pong`."""


class Addressed(Fact):
    """What stands beside the fields of a wish: `id` is its idempotency key and comes back in the reply."""

    id: Key
    table: Id


class Sent(NamedTuple):
    """A message for a door, whose fields are not read yet."""

    id: str
    table: str
    door: Door
    fields: dict[str, Any]


Control = Hello | Subscribe | Unsubscribe | WatchTournament | UnwatchTournament | Ping
Inbound = Control | Sent
CONTROLS: Mapping[str, type[Control]] = {
    "hello": Hello,
    "subscribe": Subscribe,
    "unsubscribe": Unsubscribe,
    "watch_tournament": WatchTournament,
    "unwatch_tournament": UnwatchTournament,
    "ping": Ping,
}


def parse(text: str | bytes) -> Inbound:
    """One message; `Problem` 400 for what is no JSON, 422 for what is no message of ours."""
    try:
        said = from_json(text, allow_inf_nan=False, cache_strings="keys")
    except ValueError as wrong:
        raise Problem(400, "malformed-json", f"The message is not JSON: {wrong}.") from None
    kind = said.pop("type", None) if isinstance(said, dict) else None
    if isinstance(kind, str) and kind in PLAYERS_DOORS:
        to = fitting(Addressed, {name: said.pop(name) for name in ("id", "table") if name in said})
        return Sent(to.id, to.table, PLAYERS_DOORS[kind], said)
    if isinstance(kind, str) and kind in CONTROLS:
        return fitting(CONTROLS[kind], said)
    raise invalid_input([{"loc": ("type",), "msg": "No message of this house"}])
