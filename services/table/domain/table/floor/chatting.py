"""What players write: sent between rounds, withheld or blocked while one runs (pt-811-2015 11.d; pt-217-2007 14.j)."""

from typing import Any, Literal

from libs.contracts.floor_commands import FloorReason as Reason
from libs.contracts.floor_commands import SendMessage
from libs.contracts.floor_events import MessageBlocked, MessageSent, MessageWithheld
from libs.contracts.table_commands import TableReason as AtTable
from libs.decider import Rejected
from services.table.domain.table.rejections import rejected
from services.table.domain.table.story import AnyStory


def send_message(command: SendMessage, story: AnyStory) -> Rejected | None:
    """A blocked message is on record, and its sender is refused: see `refusal_in`."""
    state, rules = story.state, story.rules
    if rules.conduct.chat == "off":
        return rejected(Reason.CHAT_CLOSED, rules)
    if state.sitter_of(story.by) is None:
        return rejected(AtTable.NOT_SEATED, rules)
    if command.message in state.floor.used_messages:
        return rejected(Reason.MESSAGE_USED, rules)

    written: dict[str, Any] = {
        "at": story.now,
        "table": story.table,
        "message": command.message,
        "player": story.by,
        "sealed": command.sealed,
    }
    muted = story.by in state.floor.muted
    if muted or (state.in_round and rules.conduct.chat == "block"):
        why: Literal["muted", "round_running"] = "muted" if muted else "round_running"
        story.tell(MessageBlocked(**written, round=state.rounds, reason=why, names_cards=command.names_cards))
    elif state.in_round:
        story.tell(MessageWithheld(**written, round=state.rounds, names_cards=command.names_cards))
    else:
        story.tell(MessageSent(**written))
    return None


def release_messages(story: AnyStory) -> None:
    """The round is over: what was withheld may be read now."""
    for each in story.state.floor.withheld:
        story.tell(MessageSent(message=each.message, player=each.player, sealed=each.sealed))
