"""What gateways tell each other of players' sessions: what a signed token can't say of itself."""

from typing import Annotated, Literal

import msgspec

from libs.contracts.facts import Moment
from libs.contracts.messages import Message
from libs.contracts.texts import Id, line

About = Literal["blocked", "since", "ended", "seen"]


class SessionNotice(Message):
    """Value of the sessions topic; the last one of a key holds."""

    about: About
    """`blocked`: the player, or no more; `since`: sessions that started before `at` are over; `ended`: this session is
    over; `seen`: it was used at `at`."""
    player: Id
    at: Moment
    session: Annotated[str, msgspec.Meta(max_length=64)] = ""
    until: Moment = 0
    """When the session would be over anyway: then the notice may be forgotten."""
    holds: bool = True
    """Of `blocked`: False lifts it."""
    whose: str = ""
    """Of `blocked`: the platform whose block it is; empty: the house's, which no platform lifts."""
    by: str = ""
    reason: Annotated[str, line(200, 0)] = ""

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
