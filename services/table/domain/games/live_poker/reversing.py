"""Chips that went to the wrong seat come back, as long as the next hand has not begun (pt-217-2007 70.a)."""

from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_commands import RecordIncident
from libs.contracts.live_events import IncidentRecorded, PotReversed
from libs.decider import Rejected
from services.table.domain.games.live_poker.state import LiveStory
from services.table.domain.table.rejections import rejected


def wrong_winner_paid(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """After the next hand has started only a dispute remains (8.c)."""
    last = story.state.desk.last_hand
    if last is None or last.hand != command.hand:
        return rejected(Reason.HAND_CLOSED, story.rules)
    paid, due = story.state.seats.get(last.paid), story.state.seats.get(last.due)
    if paid is None or due is None or paid.stack < last.amount:
        return rejected(Reason.HAND_CLOSED, story.rules, "the chips are not at the table any more")
    story.tell(
        IncidentRecorded(
            hand=last.hand,
            incident=last.incidents + 1,
            code=command.code,
            state_before="CLOSED",
            state_after="CLOSED",
            seats=[last.paid, last.due],
            amount=last.amount,
            currency=story.rules.currency,
            outcome="reversed",
            reported_by=command.reported_by or story.by,
            decided_by=story.by,
            reason=command.reason,
        )
    )
    story.tell(
        PotReversed(
            hand=last.hand,
            incident=last.incidents + 1,
            from_seat=last.paid,
            from_player=paid.player,
            to_seat=last.due,
            to_player=due.player,
            amount=last.amount,
            from_stack=paid.stack - last.amount,
            to_stack=due.stack + last.amount,
            currency=story.rules.currency,
        )
    )
    return None
