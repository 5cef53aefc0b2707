"""When something of the table falls due: the one list that timers and `WakeTable` read.

Each function gives the first millisecond at which the thing is due, or None when it is not pending.
"""

from services.table.domain.table.readiness import may_deal
from services.table.domain.table.state import Reserved, Sitter, Table


def next_wake(state: Table) -> int | None:
    """Milliseconds since the epoch of the earliest thing due; None: nothing but a command moves this table."""
    if state.status in ("new", "closed"):
        return None
    times: list[int | None] = [lapse_due(reserved) for reserved in state.reserved.values()]
    for sitter in state.seats.values():
        times += [break_due(sitter), invitation_due(state, sitter), removal_due(state, sitter)]
    times += [decision_due(state), hand_due(state)]
    return min((time for time in times if time is not None), default=None)


def lapse_due(reserved: Reserved) -> int:
    return reserved.until + 1


def decision_due(state: Table) -> int | None:
    """A decision exactly at the deadline still counts (pt-811-2015 43)."""
    if state.hand is None or state.hand.turn is None:
        return None
    return state.hand.turn.bank_until + 1


def break_due(sitter: Sitter) -> int | None:
    """pt-811-2015 68: the limit of the break."""
    warned = sitter.notice is not None and sitter.notice.reason == "break_over"
    return None if warned or sitter.leaving is not None else sitter.break_until


def invitation_due(state: Table, sitter: Sitter) -> int | None:
    """pt-811-2015 70.a: below the minimum bet and no top-up in the waiting time."""
    if sitter.short_since is None or sitter.top_up is not None or sitter.leaving is not None:
        return None
    if sitter.notice is not None and sitter.notice.reason != "absent":
        return None
    return sitter.short_since + state.rules.waiting_ms


def removal_due(state: Table, sitter: Sitter) -> int | None:
    """pt-811-2015 71: after the hand that ran when the warning came; if none did, the waiting time once more."""
    notice = sitter.notice
    if notice is None or notice.reason != "below_minimum" or sitter.top_up is not None or sitter.leaving is not None:
        return None
    if not notice.during_hand:
        return notice.at + state.rules.waiting_ms
    return _next_hand_time(state) if state.hand is None else None


def hand_due(state: Table) -> int | None:
    return _next_hand_time(state) if may_deal(state) else None


def _next_hand_time(state: Table) -> int:
    return state.ended_at + state.rules.between_hands_ms
