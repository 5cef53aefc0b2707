"""The messages of the WebSocket, both ways: JSON objects told apart by `type`."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import from_json

from libs.contracts.house_commands import Chance
from libs.contracts.messages import Message, PublicEvent, Reply
from libs.contracts.table_commands import Amount, HandNumber, Id, SeatNumber
from libs.edge.handlers import invalid_input
from libs.edge.problems import Problem
from libs.edge.wire import text_frame

MAX_MESSAGE = 64 * 1024
"""Bytes of one message from a player; a larger one ends the connection (1009)."""

Key = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[\x21-\x7e]+$")]
"""Idempotency key: printable ASCII without blanks; a UUIDv7 keeps its meaning over a restart."""


class Hello(Message):
    """First message of a connection that brought no `Authorization` header."""

    type: Literal["hello"]
    token: str = Field(min_length=1, max_length=4096, repr=False)


class Subscribe(Message):
    type: Literal["subscribe"]
    table: Id


class Unsubscribe(Message):
    type: Literal["unsubscribe"]
    table: Id


class Ping(Message):
    type: Literal["ping"]


class Wish(Message):
    """A command: `id` is its idempotency key and comes back in the reply."""

    id: Key
    table: Id


class TakeSeat(Wish):
    type: Literal["take_seat"]
    seat: SeatNumber | None = None
    amount: Amount


class TopUp(Wish):
    type: Literal["top_up"]
    amount: Amount


class SitOut(Wish):
    type: Literal["sit_out"]
    on_break: bool = False


class SitIn(Wish):
    type: Literal["sit_in"]
    post_big_blind: bool = False


class Leave(Wish):
    type: Literal["leave"]


class Act(Wish):
    type: Literal["act"]
    hand: HandNumber
    seat: SeatNumber
    turn: Annotated[int, Field(ge=1)] | None = None
    act: Literal["fold", "check", "call", "bet", "raise"]
    to: Amount | None = None


class PlaceAnte(Wish):
    type: Literal["place_ante"]
    amount: Amount
    round: HandNumber | None = None


class WithdrawAnte(Wish):
    type: Literal["withdraw_ante"]
    round: HandNumber


class Decide(Wish):
    type: Literal["decide"]
    round: HandNumber
    decision: Literal["fold", "continue"]
    bet: Amount | None = None


class PlaceStake(Wish):
    type: Literal["place_stake"]
    chance: Chance
    amount: Amount
    round: HandNumber | None = None


class WithdrawStake(Wish):
    type: Literal["withdraw_stake"]
    round: HandNumber
    chance: Chance
    amount: Amount | None = None


class Deal(Wish):
    """`round` of a single table: the game's own command is the gateway's matter."""

    type: Literal["deal"]
    round: HandNumber


Inbound = Annotated[
    Hello
    | Subscribe
    | Unsubscribe
    | Ping
    | TakeSeat
    | TopUp
    | SitOut
    | SitIn
    | Leave
    | Act
    | PlaceAnte
    | WithdrawAnte
    | Decide
    | PlaceStake
    | WithdrawStake
    | Deal,
    Field(discriminator="type"),
]
_INBOUND: TypeAdapter[Inbound] = TypeAdapter(Inbound)


def parse(text: str | bytes) -> Inbound:
    """One message; `Problem` 400 for what is no JSON, 422 for what is no message of ours."""
    try:
        said = from_json(text, allow_inf_nan=False, cache_strings="keys")
    except ValueError as wrong:
        raise Problem(400, "malformed-json", f"The message is not JSON: {wrong}.") from None
    try:
        return _INBOUND.validate_python(said)
    except ValidationError as wrong:
        raise invalid_input(wrong.errors(include_input=False, include_url=False, include_context=False)) from None


class _EventBody(msgspec.Struct):
    version: int
    event: str
    data: msgspec.Raw


def welcome(player: str, session: str, expires: int) -> bytes:
    return _frame({"type": "welcome", "player": player, "session": session, "expires": expires})


def view_frame(view: dict[str, Any]) -> bytes:
    return _frame({"type": "view", "table": view["table"], "version": view["version"], "view": view})


def events_frame(table: str, events: Sequence[PublicEvent]) -> bytes:
    """Public events in their order, those of a commit together: `event` is the type, `data` the body, untouched."""
    bodies = [_EventBody(event.version, event.type, msgspec.Raw(event.data)) for event in events]
    return _frame({"type": "events", "table": table, "events": bodies})


def hole_cards_frame(table: str, hand: int, seat: int, cards: tuple[str, ...]) -> bytes:
    return _frame({"type": "hole_cards", "table": table, "hand": hand, "seat": seat, "cards": cards})


def reply_frame(key: str, reply: Reply) -> bytes:
    said: dict[str, Any] = {"type": "reply", "id": key, "command_id": str(reply.command_id), "verdict": reply.verdict}
    said["version"] = reply.version
    if reply.verdict == "rejected":
        said |= {"reason": reply.reason, "rule": reply.rule, "detail": reply.detail}
    return _frame(said)


def problem_frame(problem: Problem, key: str | None = None) -> bytes:
    return _frame({"type": "problem", **({"id": key} if key else {}), "problem": problem.document()})


def _frame(said: dict[str, Any]) -> bytes:
    return text_frame(_ENCODER.encode(said))


_ENCODER = msgspec.json.Encoder()
PONG = _frame({"type": "pong"})
