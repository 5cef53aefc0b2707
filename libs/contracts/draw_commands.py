"""Commands of draws by lot, and of the tables to which they assign players."""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec

from libs.contracts.commands import POLICY, STAFF, PlayerCommand, StaffCommand, TableCommand
from libs.contracts.texts import Id

Suit = Literal["s", "h", "d", "c"]
_UpTo52 = msgspec.Meta(max_length=52)


class DrawSeats(StaffCommand):
    """By lot, among who is on the list (pt-217-2007 11, 27)."""

    draws = True
    only_while_open = True


class DrawTables(StaffCommand):
    """Everybody on this table's list, among this table and others, by suits (pt-217-2007 25). A further draw is another
    person's, at the table where the last one was called."""

    draws = True
    only_while_open = True
    example = {"tables": ["table-2"]}
    tables: Annotated[list[Id], msgspec.Meta(min_length=1, max_length=3)]


class AssignPlaces(TableCommand):
    """The other tables hear of a draw of tables, and of who may change to them."""

    may_ask = (*POLICY, *STAFF)
    example = {
        "players": ["alice", "bob"],
        "suits": ["s", "h"],
        "tables": ["table-1", "table-2"],
        "drawn_at": "table-1",
    }
    players: Annotated[list[Id], _UpTo52]
    suits: Annotated[list[Suit | None], _UpTo52]
    tables: Annotated[list[Id], _UpTo52]
    drawn_at: Id


class AskTableChange(PlayerCommand):
    """To another table of a session, when all is lost (pt-217-2007 26)."""

    example = {"to_table": "table-2", "players_there": 4}
    to_table: Id
    players_there: Annotated[int, msgspec.Meta(ge=0, le=11)]
    """The house's own count at the other table."""


class DrawReason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    NOBODY_REGISTERED = "nobody_registered"
    """There is nobody to draw a seat for."""
    NO_ENTROPY = "no_entropy"
    """The generator gave no healthy entropy, so nothing was drawn."""
    DRAWN_ALREADY = "drawn_already"
    """Tables were drawn: a further draw is another person's, at the table where the last one was called."""
    TABLE_ASSIGNED_BY_DRAW = "table_assigned_by_draw"
    """The draw gave the player another table."""
    NOT_A_SESSION_TABLE = "not_a_session_table"
    """A change of table is granted only at tables that are played in sessions."""
    STACK_NOT_LOST = "stack_not_lost"
    """A change of table is granted only to a player who has lost the stack."""
    WOULD_DROP_BELOW_MINIMUM = "would_drop_below_four"
    """The change would leave fewer players than the game needs."""
    WOULD_UNBALANCE = "would_unbalance"
    """The change would leave the tables with unequal numbers of players."""
