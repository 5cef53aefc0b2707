"""What the gateway says over the WebSocket, told apart by `type`: one class each for gateway and client."""

from functools import cached_property
from typing import Annotated, Any
from uuid import UUID

import msgspec

from libs.contracts.facts import Hand, Seat, TableEvent
from libs.contracts.messages import Verdict
from libs.contracts.registry import UnknownEvent, decode_fact

Table = Annotated[str, msgspec.Meta(description="id of the table")]
Version = Annotated[int, msgspec.Meta(ge=0, description="version of the table's stream")]


class Welcome(msgspec.Struct, tag_field="type", tag="welcome"):
    """After the hello: who is connected, and until when (milliseconds since the epoch, UTC)."""

    player: str
    session: str
    expires: int


class View(msgspec.Struct, tag_field="type", tag="view"):
    """The table as this player may see it: after `subscribe`, and again when the connection fell behind."""

    table: Table
    version: Version
    view: dict[str, Any]


class Event(msgspec.Struct, dict=True):
    """One public event."""

    version: Version
    """Dense: every event after the view, in order."""
    event: str
    """`croupier.table.<event_name>.v1`."""
    data: msgspec.Raw
    """Its body, byte for byte as on the topic."""

    @property
    def name(self) -> str:
        """The short one: `bet_placed`."""
        return self.event.split(".")[-2]

    @cached_property
    def fact(self) -> TableEvent | None:
        """What `data` says; None for a type that this build does not know."""
        try:
            fact: TableEvent = decode_fact(self.event, bytes(self.data))
        except UnknownEvent:
            return None
        return fact


class Events(msgspec.Struct, tag_field="type", tag="events"):
    """Public events of one table in their order; those of a commit come together."""

    table: Table
    events: list[Event]


class TournamentFrame(msgspec.Struct, tag_field="type", tag="tournament"):
    """A tournament as it stands: after `watch_tournament`, and at most once a second when something has changed."""

    tournament: Annotated[str, msgspec.Meta(description="id of the tournament")]
    version: Annotated[int, msgspec.Meta(ge=0, description="version of the tournament's stream")]
    page: Annotated[msgspec.Raw, msgspec.Meta(description="what `GET /v1/tournaments/{tournament}` answers")]
    entry: Annotated[
        msgspec.Raw, msgspec.Meta(description="what `…/entry` answers this player: seat, last move and why")
    ]


class HoleCards(msgspec.Struct, tag_field="type", tag="hole_cards"):
    """The player's own cards in the running hand or round, and nobody else's."""

    table: Table
    hand: Hand
    seat: Seat
    cards: list[str]

    def __repr__(self) -> str:
        return f"HoleCards(table={self.table!r}, hand={self.hand}, seat={self.seat})"


class Answer(msgspec.Struct, tag_field="type", tag="reply", omit_defaults=True):
    """The reply to a wish; when rejected with reason, rule and one sentence, when busy with the reason."""

    id: str
    """Idempotency key of the wish."""
    command_id: UUID
    verdict: Verdict
    version: Version
    reason: str | None = None
    rule: str | None = None
    detail: str = ""


class ProblemFrame(msgspec.Struct, tag_field="type", tag="problem", omit_defaults=True):
    """A problem document (RFC 9457). The connection stays open, save after 401 (close 4401) and 413 (close 1009).

    With status 421 another gateway serves `table`: what was said is to be said again over a connection to `gateway`.
    """

    problem: dict[str, Any]
    id: str | None = None
    """Idempotency key of the wish, where it is about one."""


class Pong(msgspec.Struct, tag_field="type", tag="pong"):
    """The answer to `ping`."""


class Reconnect(msgspec.Struct, tag_field="type", tag="reconnect", omit_defaults=True):
    """This gateway is about to end: answers still come, then it closes (1012). Connect anew, and send again under their
    keys what has no answer."""

    url: str | None = None
    """Where to, if that is another address than before."""


Frame = Welcome | View | Events | TournamentFrame | HoleCards | Answer | ProblemFrame | Pong | Reconnect
FRAMES: msgspec.json.Decoder[Frame] = msgspec.json.Decoder(Frame)
