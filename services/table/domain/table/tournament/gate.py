"""What a tournament table takes, and from whom. What is not named is refused: no new command opens a way for chips."""

from collections.abc import Mapping

from libs.contracts import floor_commands as floor
from libs.contracts.commands import TableCommand
from libs.contracts.table_commands import (
    ChangeConfiguration,
    ConfirmSeat,
    ConfirmTopUp,
    FailTopUp,
    PauseTable,
    ReleaseSeat,
    ReportConnection,
    RequestTopUp,
    ResumeTable,
    SitIn,
    SitOut,
    TakeSeat,
    WakeTable,
)
from libs.contracts.tournament_commands import TournamentReason as Reason
from libs.decider import Rejected
from services.table.domain.table.bank.handlers import BANK_COMMANDS
from services.table.domain.table.rejections import rejected
from services.table.domain.table.story import AnyStory

_TAKEN: frozenset[type[TableCommand]] = frozenset(
    {
        WakeTable, SitOut, SitIn, ReportConnection, PauseTable, ResumeTable,
        floor.SendMessage, floor.WarnPlayer, floor.MutePlayer, floor.AskFavour,
    }
)  # fmt: skip
"""Beside those of the game. No chip moves by any of them, and the floor grants no favour."""

_MONEY: tuple[type[TableCommand], ...] = (
    TakeSeat,
    ConfirmSeat,
    ReleaseSeat,
    RequestTopUp,
    ConfirmTopUp,
    FailTopUp,
    *BANK_COMMANDS,
)
_SEATS: tuple[type[TableCommand], ...] = (
    ChangeConfiguration, floor.JoinWaitingList, floor.LeaveWaitingList, floor.AskSeatChange, floor.AskTableChange,
    floor.DrawSeats, floor.DrawTables, floor.AssignPlaces,
)  # fmt: skip
_WHY: Mapping[type[TableCommand], Reason] = {
    **dict.fromkeys(_MONEY, Reason.NO_MONEY_IN_TOURNAMENT),
    **dict.fromkeys(_SEATS, Reason.ORGANISERS_MATTER),
}
"""Anything else would let chips off the table (mo-97-2010 4.2)."""


def refuse_in_tournament(command: TableCommand, story: AnyStory) -> Rejected | None:
    """Asked of every command at a tournament table, and of a tournament's at any table."""
    rules = story.rules
    if not rules.tournament:
        return rejected(Reason.NOT_A_TOURNAMENT_TABLE, rules)
    if story.role == "tournament":
        other = story.by != rules.tournament
        return rejected(Reason.OTHER_TOURNAMENT, rules) if other else None
    kind = type(command)
    if kind in _TAKEN or kind in story.game.commands:
        return None
    return rejected(_WHY.get(kind, Reason.CHIPS_STAY), rules)
