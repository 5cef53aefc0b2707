"""What a poker table does when it is asked or woken; what a command may cause stands in the file it names."""

from collections.abc import Sequence

from libs.sealing.shuffle import Shuffle
from services.table.domain.games.poker.absence import invitation_due, notify_the_short, removal_due, warn_the_absent
from services.table.domain.games.poker.acting import time_out
from services.table.domain.games.poker.readiness import close_if_too_long, closing_due, may_deal, suspend_if_too_few
from services.table.domain.games.poker.starting import start_hand
from services.table.domain.games.poker.state import PokerTable
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.after_round import activate_announced
from services.table.domain.table.closing import fresh_or_pause
from services.table.domain.table.departing import end_breaks


def wake(story: PokerStory, outage: bool) -> None:
    """The clock of a decision, notices, the next hand; in this order."""
    if close_if_too_long(story):
        return
    time_out(story, outage)
    end_breaks(story)
    notify_the_short(story)
    suspend_if_too_few(story)
    if story.is_due(hand_due(story.state)):
        _deal(story)


def _deal(story: PokerStory) -> None:
    fresh = fresh_or_pause(story, Shuffle)
    if fresh is None:
        return
    activate_announced(story)
    warn_the_absent(story)
    start_hand(story, fresh)


def dues(state: PokerTable) -> Sequence[int | None]:
    times: list[int | None] = [decision_due(state), hand_due(state), closing_due(state)]
    for sitter in state.seats.values():
        times += [invitation_due(state, sitter), removal_due(state, sitter)]
    return times


def decision_due(state: PokerTable) -> int | None:
    """First millisecond too late: a decision exactly at the deadline still counts (pt-811-2015 43)."""
    if state.hand is None or state.hand.turn is None:
        return None
    if state.hand.turn.warned and not state.rules.acts_for_the_absent:
        return None
    return state.hand.turn.bank_until + 1


def hand_due(state: PokerTable) -> int | None:
    pause = max(state.rules.timing.between_hands_ms, state.rules.timing.choice_ms if state.rules.dealing.mixed else 0)
    return state.ended_at + pause if may_deal(state) else None
