"""What players write: sent between rounds, withheld or blocked while one runs (pt-811-2015 11.d; pt-217-2007 14.j)."""

from libs.contracts.conduct_commands import ConductReason as Reason
from libs.contracts.conduct_commands import SendMessage
from libs.contracts.conduct_events import MessageBlocked, MessageSent, MessageWithheld
from libs.contracts.facts import taken
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
    if command.message in state.chat.used:
        return rejected(Reason.MESSAGE_USED, rules)

    muted = story.by in state.chat.muted
    if muted or (state.in_round and rules.conduct.chat == "block"):
        why = "muted" if muted else "round_running"
        story.tell(taken(MessageBlocked, command, player=story.by, round=state.rounds, reason=why))
    elif state.in_round:
        story.tell(taken(MessageWithheld, command, player=story.by, round=state.rounds))
    else:
        story.tell(taken(MessageSent, command, player=story.by))
    return None


def release_messages(story: AnyStory) -> None:
    """The round is over: what was withheld may be read now."""
    for each in story.state.chat.withheld:
        story.tell(taken(MessageSent, each))
