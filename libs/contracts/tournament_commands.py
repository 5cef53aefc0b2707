"""Commands of a tournament to its tables. The principal is `tournament`, its id the tournament's.

Chips are integers without a currency; they are no money and never become any. The gateway has no door for these.
"""

from enum import StrEnum
from typing import Annotated

import msgspec

from libs.contracts.commands import OrganiserCommand, SeatNumber, Values
from libs.contracts.facts import MAX_NUMBER, When
from libs.contracts.texts import Id, Name, Words
from libs.contracts.tournament_events import Absence, Bar


class OpenTournamentTable(OrganiserCommand):
    """Opens a table without anything of money or of cash seats."""

    example = {"name": "Table 1", "rulebook": "pt-811-2015-omaha", "configuration": {"seats": 6, "big_blind": 100}}
    name: Name
    rulebook: Id
    configuration: Values
    """Fills the rulebook without currency, buy-in, top-up or rake, which are fixed: there is none."""


class SeatEntrant(OrganiserCommand):
    """At the start, late, or moved here with all chips."""

    only_while_open = True
    example = {"reservation": "entry-41", "player": "alice", "seat": 3, "chips": 20_000}
    reservation: Id
    """Names the sitting, once for ever."""
    player: Id
    seat: SeatNumber
    chips: Annotated[int, msgspec.Meta(ge=1, le=10**12)]
    away: Absence = ""
    """Whether the entrant is there: `unseen`, nobody knows yet; `not_connected`, has never been; `away`; `excluded`, to
    the end; empty: there."""


class EliminateEntrant(OrganiserCommand):
    """Without chips, once the hand is over and no rebuy is made."""

    example = {"reservation": "entry-41"}
    reservation: Id


class AddChips(OrganiserCommand):
    """Bought by a rebuy or an add-on: between hands, so at once or when the running hand is over."""

    example = {"reservation": "entry-41", "payment": "payment-7", "chips": 10_000}
    reservation: Id
    payment: Id
    """Names these chips, once for ever."""
    chips: Annotated[int, msgspec.Meta(ge=1, le=10**12, description="chips of the tournament")]


class MoveEntrant(OrganiserCommand):
    """Off this table with all chips, between hands; the other table is asked by a `SeatEntrant`."""

    example = {"reservation": "entry-41", "to_table": "table-2"}
    reservation: Id
    to_table: Id


class AllowHands(OrganiserCommand):
    """From now on the table begins no hand that it was not allowed: levels, breaks, pauses, moves and hand-for-hand are
    the tournament's. Before the first of these it deals by itself."""

    example = {"through": 12, "until": 1_768_161_600_000}
    through: Annotated[int, msgspec.Meta(ge=0, le=MAX_NUMBER)]
    """Number of the last hand allowed; none beyond the last one begun: the next hand waits."""
    until: When | None = None
    """No hand begins at this moment or later: the end of a level; null: whenever it likes."""


class BarEntrant(OrganiserCommand):
    """Who plays no more: away to the end; if disqualified folded at the turn, and off the table after the hand with
    chips that leave play (pt-810-2015 FP-16)."""

    example = {"reservation": "entry-41", "why": "disqualified"}
    reservation: Id
    why: Bar


class EndTournament(OrganiserCommand):
    """The running hand is the last one; then everybody is taken off and the table is closed."""

    only_while_open = True
    example = {"reason": "won"}
    reason: Words
    void: bool = False
    """The running hand is void, and every bet goes back: the tournament is cancelled (pt-810-2015 36.b)."""


class TournamentReason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    NOT_A_TOURNAMENT_TABLE = "not_a_tournament_table"
    """A tournament asked a cash table."""
    OTHER_TOURNAMENT = "other_tournament"
    """The table belongs to another tournament."""
    NO_MONEY_IN_TOURNAMENT = "no_money_in_tournament"
    """No money comes to or leaves a tournament table."""
    ORGANISERS_MATTER = "organisers_matter"
    """Seats and limits of a tournament are its organiser's matter."""
    CHIPS_STAY = "chips_stay_in_tournament"
    """Nobody takes chips off a tournament table."""
    BARRED = "barred"
    """Disqualified, or excluded from gambling: the house plays the stack (pt-810-2015 FP-16)."""
    HAS_CHIPS = "has_chips"
    """An entrant who has chips can't be eliminated."""
