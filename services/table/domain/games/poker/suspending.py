"""Too few players: suspended, resumed within the time, or closed for good (pt-217-2007 24; pt-811-2015 7)."""

from libs.contracts.poker_events import GameResumed
from services.table.domain.games.poker.readiness import ready_seats, suspend_if_too_few
from services.table.domain.games.poker.state import PokerTable
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.closing import close


def seats_changed(story: PokerStory) -> None:
    suspend_if_too_few(story)
    state = story.state
    if state.suspended_at is None or state.rules.timing.close_after_ms is None or state.status != "open":
        return
    players = len(ready_seats(state))
    if players >= state.rules.entry.min_players:
        story.tell(GameResumed(players=players))


def closing_due(state: PokerTable) -> int | None:
    """First millisecond at which it is too late to go on; the last instant still counts (pt-217-2007 24)."""
    after = state.rules.timing.close_after_ms
    if state.suspended_at is None or after is None or state.status != "open":
        return None
    return state.suspended_at + after + 1


def close_if_too_long(story: PokerStory) -> bool:
    """True when the table has just been closed."""
    due = closing_due(story.state)
    if due is None or due > story.now:
        return False
    close(story, "house", "below_four_players" if story.rules.entry.min_players == 4 else "too_few_players")
    return True
