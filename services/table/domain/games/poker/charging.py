"""The charge by the hour: sessions, who pays for which, and when one ends (pt-217-2007 7.b, 74)."""

from libs.contracts.facts import taken
from libs.contracts.poker_commands import ConfirmFee, FailFee
from libs.contracts.poker_commands import PokerReason as Reason
from libs.contracts.poker_events import SessionEnded, SessionFeeDue, SessionFeePaid, SessionFeeUnpaid, SessionStarted
from libs.contracts.table_events import PlayerSatOut
from libs.decider import Rejected
from libs.money.rates import part_of
from services.table.domain.games.poker.order import clockwise_after
from services.table.domain.games.poker.state import PokerTable
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.closing import close
from services.table.domain.table.rejections import rejected

LATE_MS = 1_800_000
"""Who takes a seat up to this long after a session began pays for it, the last instant included."""


def fee_of(state: PokerTable) -> int:
    """Minor units, rounded down: a part of the table's maximum or of the initial stack."""
    rules = state.rules
    base = rules.betting.table_max if rules.rake.session_fee_base == "table_max" else rules.entry.buy_in_min
    return part_of(base or 0, rules.rake.bp)


def charge_seated(story: PokerStory) -> None:
    """Everybody seated once a session; nothing leaves a stack, the wallet is asked for it.

    Who could not pay is asked again on coming back from sitting out, however late that is.
    """
    sessions = story.state.sessions
    if sessions.started is None:
        return
    late = story.now > sessions.started + LATE_MS
    for _, sitter in sorted(story.state.seats.items()):
        if sitter.player in story.state.sessions.charged:
            continue
        if sitter.out if sitter.player in sessions.owing else late:
            continue
        fee, amount = _fee_id(story, sitter.player), fee_of(story.state)
        story.tell(taken(SessionFeeDue, sitter, story.rules, fee=fee, session=sessions.number, amount=amount))


def _fee_id(story: PokerStory, player: str) -> str:
    """Another one each time: the wallet answers a charge once, for ever."""
    sessions = story.state.sessions
    asked = sum(1 for each in sessions.fees.values() if each == player)
    return f"{story.table}-{sessions.number}{f'.{asked + 1}' if asked else ''}-{player}"


def confirm_fee(command: ConfirmFee, story: PokerStory) -> Rejected | None:
    """Most are taken at once, and nothing follows."""
    player = _open_fee(story, command.fee)
    if player is None:
        return rejected(Reason.NO_SUCH_FEE, story.rules)
    sessions = story.state.sessions
    if player in sessions.owing:
        story.tell(SessionFeePaid(fee=command.fee, session=sessions.number, player=player))
        story.game.seats_changed(story)
    return None


def fail_fee(command: FailFee, story: PokerStory) -> Rejected | None:
    """Not dealt in until it is paid (7.b); who is not for too many hands leaves (13). A running hand is played on."""
    player = _open_fee(story, command.fee)
    if player is None:
        return rejected(Reason.NO_SUCH_FEE, story.rules)
    number, amount = story.state.sessions.number, fee_of(story.state)
    story.tell(taken(SessionFeeUnpaid, story.rules, fee=command.fee, session=number, player=player, amount=amount))
    sitter = story.state.sitter_of(player)
    if sitter is not None and not sitter.is_out:
        story.tell(taken(PlayerSatOut, sitter, reason="fee_unpaid"))
    story.game.seats_changed(story)
    return None


def _open_fee(story: PokerStory, fee: str) -> str | None:
    """Who was asked for it and has not refused it; None: it is of a session that is over, or was answered.

    An answer may be told again, later than its id is remembered: of several that a player was asked for, the last is
    open."""
    sessions = story.state.sessions
    player = sessions.fees.get(fee)
    last = [each for each, asked in sessions.fees.items() if asked == player][-1:] == [fee]
    return player if last and sessions.started is not None and player in sessions.charged else None


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
