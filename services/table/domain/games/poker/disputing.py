"""A player objects to a hand, and the house decides (pt-217-2007 8.c)."""

from libs.contracts.poker_commands import OpenDispute, ResolveDispute
from libs.contracts.poker_commands import PokerReason as Reason
from libs.contracts.poker_events import DisputeOpened, DisputeResolved
from libs.decider import Rejected
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.rejections import rejected


def open_dispute(command: OpenDispute, story: PokerStory) -> Rejected | None:
    """8.c: at any table; what is not delivered waits for the house's decision."""
    sitter = story.state.sitter_of(story.by)
    if sitter is None:
        return rejected(Reason.NOT_YOUR_SEAT, story.rules)
    if not 0 < command.hand <= story.state.hands:
        return rejected(Reason.WRONG_HAND, story.rules)
    story.tell(
        DisputeOpened(
            hand=command.hand,
            dispute=story.state.disputed + 1,
            seat=sitter.seat,
            player=sitter.player,
            text=command.text,
        )
    )
    return None


def resolve_dispute(command: ResolveDispute, story: PokerStory) -> Rejected | None:
    known = [d for d in story.state.disputes if (d.id, d.hand) == (command.dispute, command.hand)]
    if not known:
        return rejected(Reason.NO_SUCH_DISPUTE, story.rules)
    story.tell(
        DisputeResolved(
            hand=command.hand,
            dispute=command.dispute,
            decision=command.decision,
            reason=command.reason,
            decided_by=story.by,
        )
    )
    return None
