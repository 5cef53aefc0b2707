"""Commands of a tournament to its tables. The principal is `tournament`, its id the tournament's.

Chips are integers without a currency; they are no money and never become any. The gateway has no door for these.
"""

from typing import Annotated, Any

from pydantic import Field

from libs.contracts.messages import Message
from libs.contracts.table_commands import Id, SeatNumber

Chips = Annotated[int, Field(ge=1, le=10**12)]


class OpenTournamentTable(Message):
    """`configuration` fills the rulebook without currency, buy-in, top-up or rake, which are fixed: there is none."""

    name: str = Field(min_length=1, max_length=80)
    rulebook: Id
    configuration: dict[str, Any]


class SeatEntrant(Message):
    """At the start, late, or moved here with all chips. `reservation` names the sitting, once for ever."""

    reservation: Id
    player: Id
    seat: SeatNumber
    chips: Chips


class EliminateEntrant(Message):
    """Without chips, once the hand is over."""

    reservation: Id


class MoveEntrant(Message):
    """Off this table with all chips, between hands; the other table is asked by a `SeatEntrant`."""

    reservation: Id
    to_table: Id


class EndTournament(Message):
    """The running hand is the last one; then everybody is taken off and the table is closed."""

    reason: str = Field(min_length=1, max_length=200)


TOURNAMENT_COMMANDS: tuple[type[Message], ...] = (
    OpenTournamentTable, SeatEntrant, EliminateEntrant, MoveEntrant, EndTournament,
)  # fmt: skip
