"""What gateways tell each other of players' sessions: what a signed token can't say of itself."""

from typing import Annotated, Literal

import msgspec

from libs.contracts.facts import Part, When
from libs.contracts.messages import Message
from libs.contracts.texts import ID, Id, line, name

About = Literal["blocked", "since", "ended", "seen"]
_Asker = Annotated[str, msgspec.Meta(max_length=128, pattern=rf"^([a-z]+:{ID})?(?!\n)$")]
"""A `Principal` in a word, or nobody."""


class EndedByHouse(Part, forbid_unknown_fields=True):
    """When people of the house ended a player's sessions, and what such an ending leaves them."""

    endings: Annotated[tuple[When, ...], msgspec.Meta(max_length=8)]
    """The latest ones, in their order."""
    spares: When | None = None
    """Of a notice that is such an ending: sessions that started at this moment or later, and before the ending, play a
    running hand or round on; older ones are over. None: the notice is another one, and spares nobody."""
    tables: Annotated[tuple[Id, ...], msgspec.Meta(max_length=8)] = ()
    """Where the player was in a hand or round then, as the gateway that told it knew."""


class SessionNotice(Message):
    """Value of the sessions topic; the last one of a key holds. What is outside these bounds no gateway has told:
    whoever reads it passes it by."""

    about: About
    """`blocked`: the player, or no more; `since`: sessions that started before `at` are over; `ended`: this session is
    over; `seen`: it was used at `at`."""
    player: Id
    at: When
    session: Annotated[str, name(64, 0)] = ""
    until: When = 0
    """When the session would be over anyway: then the notice may be forgotten."""
    holds: bool = True
    """Of `blocked`: False lifts it."""
    whose: _Asker = ""
    """Of `blocked`: the platform whose block it is; empty: the house's, which no platform lifts."""
    by: _Asker = ""
    reason: Annotated[str, line(200, 0)] = ""
    ended: EndedByHouse | msgspec.UnsetType = msgspec.UNSET
    """Of `since`. Left out where nobody of the house has: a build that does not know it reads all other notices."""

    @property
    def key(self) -> str:
        whose = f"/{self.whose}" if self.whose else ""
        return f"{self.about}/{self.session or self.player}{whose}"


class KeptNotice(msgspec.Struct, frozen=True):
    """A notice as its record was read. Whoever tells it again looks at the mark first, which covers all of it."""

    topic: str
    partition: int
    key: bytes
    value: bytes
    headers: tuple[tuple[str, bytes], ...]
