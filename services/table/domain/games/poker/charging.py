"""The charge by the hour: sessions, who pays for which, and when one ends (pt-217-2007 7.b, 74)."""

from libs.contracts.facts import taken
from libs.contracts.poker_events import SessionEnded, SessionFeeDue, SessionStarted
from libs.money.rates import part_of
from services.table.domain.games.poker.order import clockwise_after
from services.table.domain.games.poker.state import PokerTable
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.closing import close

LATE_MS = 1_800_000
"""Who takes a seat up to this long after a session began pays for it, the last instant included."""


def fee_of(state: PokerTable) -> int:
    """Minor units, rounded down: a part of the table's maximum or of the initial stack."""
    rules = state.rules
    base = rules.betting.table_max if rules.rake.session_fee_base == "table_max" else rules.entry.buy_in_min
    return part_of(base or 0, rules.rake.bp)


def charge_seated(story: PokerStory) -> None:
    """Everybody seated once a session; nothing leaves a stack, the wallet is asked for it."""
    sessions = story.state.sessions
    if sessions.started is None or story.now > sessions.started + LATE_MS:
        return
    for _, sitter in sorted(story.state.seats.items()):
        if sitter.player in story.state.sessions.charged:
            continue
        fee, amount = f"{story.table}-{sessions.number}-{sitter.player}", fee_of(story.state)
        story.tell(taken(SessionFeeDue, sitter, story.rules, fee=fee, session=sessions.number, amount=amount))


def keep_session(story: PokerStory, lead: int) -> bool:
    """Before a hand whose lead is `lead`: the session that is over ends, the next begins. False: the table closes."""
    if story.rules.rake.mode != "session":
        return True
    sessions = story.state.sessions
    if sessions.started is not None:
        if not _is_over(story.state, lead, story.now):
            return True
        story.tell(SessionEnded(number=sessions.number))
        if story.rules.rake.sessions is not None and sessions.number >= story.rules.rake.sessions:
            close(story, "house", "last_session_over")
            return False
    story.tell(SessionStarted(number=sessions.number + 1, until=story.now + story.rules.rake.session_ms))
    charge_seated(story)
    return True


def _is_over(state: PokerTable, lead: int, now: int) -> bool:
    """The hour is over, and the marker comes to where the session's first hand had it, or past it."""
    started = state.sessions.started
    if started is None or now < started + state.rules.rake.session_ms:
        return False
    if state.rules.rake.session_tail == "current_hand" or state.session_lead is None:
        return True
    seats = {*state.seats, state.session_lead, state.button, lead}
    way = clockwise_after(seats, state.button)
    return state.session_lead in way[: way.index(lead) + 1] and lead != state.button
