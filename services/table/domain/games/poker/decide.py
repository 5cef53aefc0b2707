"""What a poker table does when it is asked or woken; what a command may cause stands in the file it names."""

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from libs.sealing.shuffle import Shuffle
from services.table.domain.games.poker.absence import (
    absence_due,
    invitation_due,
    notify_the_short,
    removal_due,
    send_the_short_home,
    warn_the_absent,
)
from services.table.domain.games.poker.acting import late_at, time_out, void_if_interrupted
from services.table.domain.games.poker.readiness import (
    close_if_too_long,
    closing_due,
    enough_ready,
    may_deal,
    suspend_if_too_few,
)
from services.table.domain.games.poker.starting import start_hand
from services.table.domain.games.poker.state import PokerTable
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.after_round import activate_announced
from services.table.domain.table.closing import fresh_or_pause
from services.table.domain.table.departing import end_breaks
from services.table.domain.table.standstill import ran_out

WITHOUT_PLAYERS_MS = 5_000
"""Between two hands in which the house acts for everybody, at once: else one would follow the other without end."""


def wake(story: PokerStory, outage: bool) -> None:
    """The clock of a decision, notices, the next hand; in this order."""
    if close_if_too_long(story):
        return
    time_out(story, outage)
    end_breaks(story)
    notify_the_short(story, outage)
    suspend_if_too_few(story)
    if story.is_due(hand_due(story.state)) and not story.is_due(story.state.allowed_until):
        _deal(story)


def lapse(story: PokerStory) -> None:
    """Too long suspended, and the table is closed (pt-217-2007 24); too long short of chips, and home (811 71)."""
    if not close_if_too_long(story):
        void_if_interrupted(story)  # pt-811-2015 72, whoever asks for something first
        send_the_short_home(story, partial(ran_out, story))


def _deal(story: PokerStory) -> None:
    fresh = fresh_or_pause(story, Shuffle)
    if fresh is None:
        return
    activate_announced(story)
    suspend_if_too_few(story)
    if not enough_ready(story.state):
        return  # a higher minimum bet, in force from now on, leaves too few with enough
    warn_the_absent(story)
    start_hand(story, fresh)


def dues(state: PokerTable) -> Sequence[int | None]:
    times: list[int | None] = [late_at(state), hand_due(state), closing_due(state)]
    for sitter in state.seats.values():
        times += [invitation_due(state, sitter), absence_due(state, sitter), removal_due(state, sitter)]
    return times


def hand_due(state: PokerTable) -> int | None:
    pause = max(state.rules.timing.between_hands_ms, state.rules.timing.choice_ms if state.rules.dealing.mixed else 0)
    if state.seats and all(sitter.away or sitter.absent for sitter in state.seats.values()):
        pause = max(pause, WITHOUT_PLAYERS_MS)
    due = state.ended_at + pause if may_deal(state) else None
    too_late = due is not None and state.allowed_until is not None and due >= state.allowed_until
    return None if too_late else due


def left_out(state: PokerTable, now: int) -> bool:
    """Whether a hand would have begun but for the pause that ends now."""
    due = hand_due(replace(state, paused=False))
    return due is not None and due <= now
