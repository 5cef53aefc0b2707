"""What the gateway sends over the WebSocket, decoded once and typed."""

from contextlib import suppress
from typing import Any

import msgspec

from libs.contracts.facts import TableEvent
from libs.contracts.registry import UnknownEvent, decode_fact


class Welcome(msgspec.Struct, tag_field="type", tag="welcome"):
    player: str
    session: str
    expires: int


class View(msgspec.Struct, tag_field="type", tag="view"):
    table: str
    version: int
    view: dict[str, Any]


class Event(msgspec.Struct):
    """One public event; `event` is its full type, `name` the short one (`bet_placed`)."""

    version: int
    event: str
    data: msgspec.Raw
    fact: TableEvent | None = None
    """What `data` says; None for a type that this build does not know."""

    def __post_init__(self) -> None:
        with suppress(UnknownEvent):
            self.fact = decode_fact(self.event, bytes(self.data))

    @property
    def name(self) -> str:
        return self.event.split(".")[-2]


class Events(msgspec.Struct, tag_field="type", tag="events"):
    """Public events of one table in their order; those of a commit come together."""

    table: str
    events: list[Event]


class HoleCards(msgspec.Struct, tag_field="type", tag="hole_cards"):
    table: str
    hand: int
    seat: int
    cards: list[str]

    def __repr__(self) -> str:
        return f"HoleCards(table={self.table!r}, hand={self.hand}, seat={self.seat})"


class Reply(msgspec.Struct, tag_field="type", tag="reply"):
    id: str
    verdict: str
    version: int
    reason: str | None = None
    rule: str | None = None
    detail: str = ""


class ProblemFrame(msgspec.Struct, tag_field="type", tag="problem"):
    problem: dict[str, Any]
    id: str | None = None


class Pong(msgspec.Struct, tag_field="type", tag="pong"):
    pass


Frame = Welcome | View | Events | HoleCards | Reply | ProblemFrame | Pong
FRAMES: msgspec.json.Decoder[Frame] = msgspec.json.Decoder(Frame)
