"""Who is ready to be dealt in, and whether the table goes on: suspended, resumed in time, or closed for good.

pt-811-2015 7, 15; mo-97-2010 2.3; pt-217-2007 24.
"""

from libs.contracts.poker_events import GameResumed
from libs.contracts.table_events import TableSuspended
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.state import PokerSitter, PokerTable
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.closing import close


def missed_by(sitter: PokerSitter, rules: PokerConfiguration) -> int:
    """What the sitter pays for blinds that passed while away (pt-217-2007 90, FP-3); minor units."""
    return rules.betting.small_blind * sitter.owes_small + rules.betting.big_blind * sitter.owes_big


def dead_with_post(sitter: PokerSitter, rules: PokerConfiguration) -> int:
    """What goes dead beside the big blind that is freely posted, where a blind went past who was away: else sitting out
    before it would dodge one, or have it dodged by the next player. Waiting costs nothing (pt-811-2015 21, 64, 68)."""
    if rules.entry.entering != "with_big_blind" or not sitter.owes_small:
        return 0
    return rules.betting.big_blind_ante + (0 if rules.betting.single_blind else rules.betting.small_blind)


def ready_seats(state: PokerTable) -> list[int]:
    """Present, staying, owing no session's charge, with enough to be dealt in and pay for missed blinds; ascending.

    Newcomers who wait for the big blind count as ready too.
    """
    rules = state.rules
    least = rules.least_stack
    pays = rules.entry.entering == "missed_blinds"
    return [
        seat
        for seat, sitter in sorted(state.seats.items())
        if sitter.stack >= least
        and not sitter.out
        and sitter.leaving is None
        and sitter.player not in state.sessions.owing
        and (not (pays and (sitter.owes_small or sitter.owes_big)) or sitter.stack >= least + missed_by(sitter, rules))
    ]


def in_play_of(state: PokerTable, ready: list[int]) -> list[int]:
    """Those of the ready seats that do not wait for the big blind."""
    seats = state.seats
    return [seat for seat in ready if not seats[seat].waiting]


def may_deal(state: PokerTable) -> bool:
    """Whether a next hand is to come at all, whenever it is due."""
    by_hand = state.rules.live  # then the dealer begins (pt-217-2007 68)
    open_table = state.status == "open" and not state.paused and state.hand is None
    allowed = state.allowed is None or state.hands < state.allowed
    return open_table and allowed and not by_hand and enough_ready(state)


def enough_ready(state: PokerTable) -> bool:
    """As many as the rulebook wants for a hand (pt-217-2007 24)."""
    return len(ready_seats(state)) >= state.rules.entry.min_players


def stands_still(state: PokerTable) -> bool:
    """Whether no hand can begin for want of players, at a table that is open and not paused."""
    return state.status == "open" and not state.paused and state.hand is None and not enough_ready(state)


def suspend_if_too_few(story: PokerStory) -> None:
    state = story.state
    if not state.running or state.hand is not None or state.status != "open":
        return
    if len(in_play_of(state, ready_seats(state))) < state.rules.entry.min_players:
        story.tell(TableSuspended())


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
