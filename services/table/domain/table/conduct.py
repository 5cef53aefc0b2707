"""Measures against players who disturb, favours that no table grants (pt-811-2015 11.g; pt-217-2007 58).

What players write: sent between rounds, withheld or blocked while one runs (pt-811-2015 11.d; pt-217-2007 14.j).
"""

from collections.abc import Mapping

from libs.contracts import conduct_events as e
from libs.contracts.conduct_commands import AskFavour, MutePlayer, SendMessage, WarnPlayer
from libs.contracts.conduct_commands import ConductReason as Reason
from libs.contracts.facts import taken
from libs.contracts.table_commands import TableReason as AtTable
from libs.contracts.table_events import LeaveRequested
from libs.decider import Rejected
from services.table.domain.table.departing import send_home
from services.table.domain.table.handlers import of_sitter
from services.table.domain.table.rejections import rejected
from services.table.domain.table.state import Sitter
from services.table.domain.table.story import AnyStory

SLOW_PLAY = "71.a"
MOST_IN_ROUND = 10
"""Messages of one player in one round that are withheld or blocked: each is an event for ever, and may be a finding."""
MOST_WITHHELD_CHARACTERS = 100_000
"""Of all, as they are sealed: they are told in the commit that ends the round, and no round may be unable to end."""
_NO: Mapping[str, Reason] = {
    "split_pot": Reason.CHOP_NOT_ALLOWED,
    "move_chips": Reason.TRANSFER_NOT_ALLOWED,
    "take_chips_off": Reason.WITHDRAW_WHILE_SEATED,
    "swap_seats": Reason.SEAT_SWAP_NOT_ALLOWED,
}


@of_sitter
def warn_player(command: WarnPlayer, story: AnyStory, sitter: Sitter) -> Rejected | None:
    count = story.state.conduct.warnings.get(command.player, 0) + 1
    story.tell(taken(e.ConductWarned, command, by=story.by, count=count))
    limit = story.rules.conduct.warning_limit
    if command.grave or (limit and count >= limit):
        dismiss(story, sitter, "conduct", story.by)
    return None


@of_sitter
def mute_player(command: MutePlayer, story: AnyStory, sitter: Sitter) -> None:
    story.tell(taken(e.PlayerMuted, command, by=story.by))


def warn_slow_play(story: AnyStory, sitter: Sitter, whoever: bool = False) -> bool:
    """A decision time ran out (pt-217-2007 71.a): warned, and out at the limit. False: no warning here. `whoever`:
    also who is on the way out, where what follows depends on the warning."""
    limit = story.rules.conduct.slow_warning_limit
    if not limit or (sitter.leaving is not None and not whoever):
        return False
    count = story.state.conduct.slow.get(sitter.player, 0) + 1
    story.tell(e.ConductWarned(player=sitter.player, rule=SLOW_PLAY, cause="slow_play", by="house", count=count))
    if count >= limit:
        dismiss(story, sitter, "slow_play", "house")
    return True


def dismiss(story: AnyStory, sitter: Sitter, cause: str, by: str) -> None:
    """Out when the round is over, with the whole stack; a hand is never void for it."""
    if story.rules.tournament:
        return  # mo-97-2010 4.2: chips stay; the tournament reads the warning and decides
    if sitter.leaving is None:
        story.tell(taken(LeaveRequested, sitter, reason="removed", by=by, cause=cause))
    if not story.state.is_bound(sitter) and not story.state.in_round:
        send_home(story, sitter.seat, "removed")
        story.game.seats_changed(story)


def ask_favour(command: AskFavour, story: AnyStory) -> Rejected | None:
    """What players may not ask of a table is refused with the rule, and the refusal is in the journal."""
    return rejected(_NO[command.favour], story.rules)


def send_message(command: SendMessage, story: AnyStory) -> Rejected | None:
    """A blocked message is on record, and its sender is refused: see `refusal_in`. Of many the first are."""
    state, rules = story.state, story.rules
    if rules.conduct.chat == "off":
        return rejected(Reason.CHAT_CLOSED, rules)
    if state.sitter_of(story.by) is None:
        return rejected(AtTable.NOT_SEATED, rules)
    if command.message in state.chat.used:
        return rejected(Reason.MESSAGE_USED, rules)

    muted = story.by in state.chat.muted
    if muted or (state.in_round and rules.conduct.chat == "block"):
        if state.chat.blocked_in == state.rounds and state.chat.blocked.get(story.by, 0) >= MOST_IN_ROUND:
            return rejected(Reason.TOO_MANY_MESSAGES, rules)
        why = "muted" if muted else "round_running"
        story.tell(taken(e.MessageBlocked, command, player=story.by, round=state.rounds, reason=why))
    elif state.in_round:
        own = sum(each.player == story.by for each in state.chat.withheld)
        if own >= MOST_IN_ROUND or sum(len(each.sealed) for each in state.chat.withheld) >= MOST_WITHHELD_CHARACTERS:
            return rejected(Reason.TOO_MANY_MESSAGES, rules)
        story.tell(taken(e.MessageWithheld, command, player=story.by, round=state.rounds))
    else:
        story.tell(taken(e.MessageSent, command, player=story.by))
    return None


def release_messages(story: AnyStory) -> None:
    """The round is over: what was withheld may be read now."""
    for each in story.state.chat.withheld:
        story.tell(taken(e.MessageSent, each))
