"""What a table remembers of the floor around it. Nothing here is a chip or a card."""

from collections.abc import Mapping
from typing import Literal

import msgspec

Kind = Literal["entry", "seat_change"]


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """One wish for a seat, in the order of asking. `seat` is the one wished for; None: any."""

    entry: str
    player: str
    kind: Kind
    at: int
    seat: int | None = None
    offered: int | None = None
    """Seat that is kept for the player until `until`."""
    until: int | None = None


class Withheld(msgspec.Struct, frozen=True, kw_only=True):
    """A message that waits for the end of the round. It is sealed: this service can't read it."""

    message: str
    player: str
    sealed: str


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """An hour of play that is charged for (pt-217-2007 7.b). `lead`: where its first hand had the marker."""

    number: int
    started: int
    lead: int | None = None
    ending: bool = False
    charged: frozenset[str] = frozenset()


class Floor(msgspec.Struct, frozen=True, kw_only=True):
    waiting: tuple[Waiting, ...] = ()
    touched: int = 0
    """When seats or lists last changed: offers are due from then on."""
    withheld: tuple[Withheld, ...] = ()
    used_messages: frozenset[str] = frozenset()
    muted: frozenset[str] = frozenset()
    warnings: Mapping[str, int] = {}
    """Warnings of each player in this game (pt-217-2007 58)."""
    slow: Mapping[str, int] = {}
    """Warnings for slow play (pt-217-2007 71.a)."""
    rests: Mapping[str, int] = {}
    """How often each player has rested in this game (pt-217-2007 13)."""
    played: frozenset[str] = frozenset()
    """Who took part in the session before: first in the draw for seats (pt-217-2007 27)."""
    places: Mapping[str, str] = {}
    """Player to table, where a draw of suits has assigned it (pt-217-2007 25)."""
    draws: int = 0
    session: Session | None = None
    sessions: int = 0
    tipped: int = 0

    def entry_of(self, player: str) -> Waiting | None:
        return next((each for each in self.waiting if each.player == player), None)

    def offered_seats(self) -> dict[int, str]:
        """Seats that are kept, and for whom."""
        return {each.offered: each.player for each in self.waiting if each.offered is not None}
