"""The rules of a table in one place to start reading: who may ask, which part decides, events or one reason why not."""

from collections.abc import Sequence
from typing import assert_never

from libs.decider import Given, Rejected
from services.table.domain.games.poker.acting import act
from services.table.domain.games.poker.voiding import void_hand
from services.table.domain.table.changing import change_configuration
from services.table.domain.table.commands import (
    Act,
    ChangeConfiguration,
    CloseTable,
    Command,
    ConfirmSeat,
    ConfirmTopUp,
    FailTopUp,
    LeaveTable,
    OpenTable,
    PauseTable,
    PrincipalKind,
    ReleaseSeat,
    RemovePlayer,
    RequestTopUp,
    ResumeTable,
    SitIn,
    SitOut,
    TableCommand,
    TakeSeat,
    VoidHand,
    WakeTable,
)
from services.table.domain.table.evolve import evolve
from services.table.domain.table.happenings import TableEvent
from services.table.domain.table.leaving import leave_table, remove_player
from services.table.domain.table.opening import close_table, open_table, pause_table, resume_table
from services.table.domain.table.rejections import Reason, rejected
from services.table.domain.table.seating import confirm_seat, release_seat, take_seat
from services.table.domain.table.sitting_out import sit_in, sit_out
from services.table.domain.table.state import Table
from services.table.domain.table.story import Story, Supply
from services.table.domain.table.topping_up import confirm_top_up, fail_top_up, request_top_up
from services.table.domain.table.waking import wake_table

_STAFF: tuple[PrincipalKind, ...] = ("staff", "operator")
_MAY_ASK: dict[type[Command], tuple[PrincipalKind, ...]] = {
    OpenTable: _STAFF,
    ChangeConfiguration: _STAFF,
    CloseTable: _STAFF,
    PauseTable: _STAFF,
    ResumeTable: _STAFF,
    TakeSeat: ("player",),
    ConfirmSeat: ("policy",),
    ReleaseSeat: ("policy", "player"),
    RequestTopUp: ("player",),
    ConfirmTopUp: ("policy",),
    FailTopUp: ("policy",),
    SitOut: ("player",),
    SitIn: ("player",),
    LeaveTable: ("player",),
    RemovePlayer: _STAFF,
    Act: ("player",),
    VoidHand: _STAFF,
    WakeTable: ("timer",),
}
_ONLY_WHILE_OPEN = (ChangeConfiguration, CloseTable, PauseTable, ResumeTable, TakeSeat, RequestTopUp)


def decide(state: Table, command: TableCommand, given: Given[Supply]) -> Sequence[TableEvent] | Rejected:
    """Events in the order of public versions; empty: accepted, nothing to do."""
    if command.principal_kind not in _MAY_ASK[type(command)]:
        return rejected(Reason.NOT_ALLOWED, state.configuration)
    story = Story(state, given)
    if isinstance(command, OpenTable):
        refused = open_table(command, story)
    elif isinstance(command, WakeTable):
        wake_table(command, story)
        refused = None
    elif state.status in ("new", "closed") or (state.status == "closing" and isinstance(command, _ONLY_WHILE_OPEN)):
        refused = rejected(Reason.TABLE_NOT_OPEN, state.configuration)
    else:
        refused = _decide_open(command, story)
    return refused if refused is not None else story.events


def _decide_open(command: TableCommand, story: Story) -> Rejected | None:
    match command:
        case Act():
            return act(command, story)
        case TakeSeat():
            return take_seat(command, story)
        case ConfirmSeat():
            return confirm_seat(command, story)
        case ReleaseSeat():
            return release_seat(command, story)
        case RequestTopUp():
            return request_top_up(command, story)
        case ConfirmTopUp():
            return confirm_top_up(command, story)
        case FailTopUp():
            return fail_top_up(command, story)
        case SitOut():
            return sit_out(command, story)
        case SitIn():
            return sit_in(command, story)
        case LeaveTable():
            return leave_table(command, story)
        case RemovePlayer():
            return remove_player(command, story)
        case VoidHand():
            return void_hand(command, story)
        case ChangeConfiguration():
            return change_configuration(command, story)
        case CloseTable():
            return close_table(command, story)
        case PauseTable():
            return pause_table(command, story)
        case ResumeTable():
            return resume_table(command, story)
        case OpenTable() | WakeTable():
            raise AssertionError("decided before")
        case _:
            assert_never(command)


class TableDecider:
    """`libs.decider.Decider` of a table."""

    def initial(self, stream: str) -> Table:
        return Table(table=stream)

    def decide(self, state: Table, command: TableCommand, given: Given[Supply]) -> Sequence[TableEvent] | Rejected:
        return decide(state, command, given)

    def evolve(self, state: Table, event: TableEvent) -> Table:
        return evolve(state, event)
