"""Who is away or short of chips: invited, warned, and after one more hand sent home (pt-811-2015 68 to 71).

In casino poker the right to rest: two hands with the seat kept, not again and again, out after three (pt-217-2007 13).
"""

from collections.abc import Callable
from functools import partial

from libs.contracts.conduct_events import ConductWarned
from libs.contracts.poker_events import RestRefused
from services.table.domain.games.poker.readiness import stands_still
from services.table.domain.games.poker.state import PokerSitter, PokerTable
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.departing import invite, invite_and_warn, send_home, warn
from services.table.domain.table.standstill import ran_out


def invitation_due(state: PokerTable, sitter: PokerSitter) -> int | None:
    """pt-811-2015 70.a: below the minimum bet and no top-up in the waiting time."""
    if sitter.short_since is None or sitter.top_up is not None or sitter.leaving is not None:
        return None
    if sitter.notice is not None and sitter.notice.reason != "absent":
        return None
    return sitter.short_since + state.rules.timing.waiting_ms


def absence_due(state: PokerTable, sitter: PokerSitter) -> int | None:
    """Where no hand can begin none is missed (pt-811-2015 70.b), and a seat would be held for ever: so as long as a
    break, in all since the last hand with the player. None while hands go on, and for a break with its own end."""
    notice = sitter.notice
    if not sitter.out or sitter.out == "break" or sitter.leaving is not None or not stands_still(state):
        return None
    if notice is not None and (notice.warned or notice.reason != "absent"):
        return None
    left = max(0, state.rules.timing.break_ms - sitter.sat_out_ms)
    return max(sitter.out_at or 0, state.ended_at) + left


def removal_due(state: PokerTable, sitter: PokerSitter) -> int | None:
    """pt-811-2015 71: after the hand that ran when the warning came; if none did, the waiting time once more."""
    notice = sitter.notice
    if notice is None or not notice.warned or sitter.top_up is not None or sitter.leaving is not None:
        return None
    if notice.reason != "below_minimum":  # after one more hand, unless none can come
        waited_from, timing = max(notice.at, sitter.out_at or 0, state.ended_at), state.rules.timing
        over = max(0, sitter.sat_out_ms - timing.break_ms)  # sat out after a return, which is no way to stay
        return waited_from + max(0, timing.waiting_ms - over) if sitter.out and stands_still(state) else None
    if not notice.during_round:
        return notice.at + state.rules.timing.waiting_ms
    return state.ended_at + state.rules.timing.between_hands_ms if state.hand is None else None


def send_the_short_home(story: PokerStory, over: Callable[[int | None], bool]) -> None:
    for seat, sitter in sorted(story.state.seats.items()):
        if sitter.notice is not None and over(removal_due(story.state, sitter)):
            assert sitter.notice.reason != "idle", "of banked games alone"
            send_home(story, seat, sitter.notice.reason)
            story.game.seats_changed(story)


def notify_the_short(story: PokerStory, outage: bool) -> None:
    """Who could not top up or return because the house stood still is warned anew, and has the waiting time again."""
    send_the_short_home(story, partial(ran_out, story, outage=outage))
    for _, sitter in sorted(story.state.seats.items()):
        due = removal_due(story.state, sitter) if sitter.notice is not None else None
        if sitter.short_since is not None and story.is_due(due or invitation_due(story.state, sitter)):
            invite_and_warn(story, sitter, "below_minimum")
        elif story.is_due(absence_due(story.state, sitter) or removal_due(story.state, sitter)):
            invite_and_warn(story, sitter, sitter.notice.reason if sitter.notice is not None else "absent")


def warn_the_absent(story: PokerStory) -> None:
    """pt-811-2015 71: the warning is shown before the next hand starts."""
    for _, sitter in sorted(story.state.seats.items()):
        if sitter.notice is not None and sitter.notice.reason == "absent" and not sitter.notice.warned:
            warn(story, sitter, "absent")


def end_absences(story: PokerStory) -> None:
    """After a hand: who was warned and stayed away for one more goes; who has been away too long is invited to."""
    rules = story.rules
    for seat, sitter in sorted(story.state.seats.items()):
        notice = sitter.notice
        if notice is None and sitter.absent > rules.timing.absent_hands and not rules.timing.sit_out_limit:
            invite(story, sitter, "absent")
        elif notice is not None and notice.reason == "absent" and notice.warned and sitter.absent > notice.absent:
            send_home(story, seat, "absent")


def had_break(story: PokerStory, sitter: PokerSitter) -> bool:
    """pt-811-2015 68: how many breaks there are is the table's to say: one, until there was a hand in between. In the
    casino each hand missed counts, break or not (pt-217-2007 13)."""
    return sitter.had_break and not story.rules.timing.sit_out_limit


def refuse_rest(story: PokerStory, sitter: PokerSitter) -> bool:
    """True when the player has rested too often in this game: refused, and a warning."""
    rests, limit = story.state.conduct.rests.get(sitter.player, 0), story.rules.timing.rest_repeat_limit
    if not limit or rests < limit:
        return False
    story.tell(RestRefused(player=sitter.player, seat=sitter.seat, rests=rests))
    count = story.state.conduct.warnings.get(sitter.player, 0) + 1
    story.tell(ConductWarned(player=sitter.player, rule="13", cause="rests again and again", by="house", count=count))
    return True


def end_rests(story: PokerStory) -> None:
    """After a hand: who has not been dealt in for as many as the limit has to leave, with the whole stack."""
    limit = story.rules.timing.sit_out_limit
    for seat in sorted(story.state.seats) if limit else ():
        if story.state.seats[seat].absent >= limit:
            send_home(story, seat, "inactivity")
