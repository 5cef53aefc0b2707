"""Changing tables in session mode: only after the whole stack is lost, and never to unbalance (pt-217-2007 26)."""

from libs.contracts.floor_commands import AskTableChange
from libs.contracts.floor_commands import FloorReason as Reason
from libs.contracts.floor_events import TableChangeGranted
from libs.contracts.table_commands import TableReason as AtTable
from libs.decider import Rejected
from services.table.domain.table.departing import send_home
from services.table.domain.table.rejections import rejected
from services.table.domain.table.story import AnyStory


def ask_table_change(command: AskTableChange, story: AnyStory) -> Rejected | None:
    state, rules = story.state, story.rules
    sitter = state.sitter_of(story.by)
    if sitter is None:
        return rejected(AtTable.NOT_SEATED, rules)
    if not rules.timing.in_sessions:
        return rejected(Reason.NOT_A_SESSION_TABLE, rules)
    if sitter.stack > 0 or state.is_bound(sitter):
        return rejected(Reason.STACK_NOT_LOST, rules)
    left = len(state.seats) - 1
    if left < rules.least_players:
        return rejected(Reason.WOULD_DROP_BELOW_MINIMUM, rules)
    if abs(left - (command.players_there + 1)) > 1:
        return rejected(Reason.WOULD_UNBALANCE, rules)

    story.tell(TableChangeGranted(player=sitter.player, to_table=command.to_table))
    send_home(story, sitter.seat, "player")
    story.game.seats_changed(story)
    return None
