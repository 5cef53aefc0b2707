"""Public events of entrants at a tournament table. Chips have no currency: nothing here is to be booked as money.

The hands of such a table are poker's, with the currency `XXX`, ISO 4217's code where none is involved.
"""

from typing import Annotated, Literal

import msgspec

from libs.contracts.facts import Chips, Moment, Seat, TableEvent

Absence = Literal["", "unseen", "not_connected", "away", "excluded"]
"""Empty: there. `unseen`: nobody knows yet, the first decision tells; `not_connected`: has never been there, and a
connection is enough to end it (pt-810-2015 26); `away`: until an act of the player's own (27, 43); `excluded`: to the
end (FP-16). Of the last three the house plays the stack."""
Bar = Literal["disqualified", "excluded"]


class HandsAllowed(TableEvent):
    """By the tournament: the table begins hands up to this one, and none at `until` or later.

    By the table itself when `until` has passed with a hand to come: up to the last one begun.
    """

    tournament: str
    through: Annotated[int, msgspec.Meta(ge=0)]
    """Number of the last hand allowed."""
    until: Moment | None = None
    """No hand begins from then on; null: whenever the table likes."""


class TableStood(TableEvent):
    """The house stood still while a hand waited here for its next act; it goes on, with a new time to decide
    (pt-810-2015 FP-15)."""

    tournament: str
    since: Moment
    """The last sign of life, or when the decision was asked for."""
    until: Moment


class EntrantEvent(TableEvent):
    """`reservation` names the sitting, as in the hands."""

    tournament: str
    reservation: str
    player: str
    seat: Seat


class EntrantSeated(EntrantEvent):
    """By the tournament: at its start, late, or from another table with the chips brought along."""

    chips: Chips
    away: Absence = ""
    """Whether the entrant is there: `unseen`, nobody knows yet; `not_connected`, has never been; `away`; `excluded`, to
    the end; empty: there."""


class EntrantBarred(EntrantEvent):
    """Away to the end; if disqualified, no longer than to the end of the hand (pt-810-2015 FP-16)."""

    why: Bar
    after_hand: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """Number of the running hand that an excluded player, who is in it, plays to its end, and is away from then on;
    null: away at once, as everybody was before 2026-11-29."""


class EntrantDisqualified(EntrantEvent):
    """Off the table, with chips that leave play (pt-810-2015 FP-16)."""

    chips: Chips


class EntrantBought(EntrantEvent):
    """A rebuy or an add-on, paid. Chips are added between hands."""

    payment: str
    chips: Chips


class EntrantChipsDue(EntrantBought):
    """They are added when the running hand is over."""


class EntrantChipsAdded(EntrantBought):
    """They lie there from the next hand on."""

    stack: Chips


class EntrantEliminated(EntrantEvent):
    """The entrant has no chip left and is out of the tournament."""


class EntrantMoved(EntrantEvent):
    """To another table of the tournament, with all chips."""

    chips: Chips
    to_table: str


class EntrantFinished(EntrantEvent):
    """Still in, with these chips, when the tournament ended."""

    chips: Chips
