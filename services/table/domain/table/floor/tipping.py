"""Tips go their own way: out of the stack, between rounds, into their own account (pt-217-2007 9.d)."""

from libs.contracts.floor_commands import FloorReason as Reason
from libs.contracts.floor_commands import TipDealer
from libs.contracts.floor_events import DealerTipped
from libs.contracts.table_commands import TableReason as AtTable
from libs.decider import Rejected
from services.table.domain.table.rejections import rejected
from services.table.domain.table.story import AnyStory


def tip_dealer(command: TipDealer, story: AnyStory) -> Rejected | None:
    """Chips already bet can't be tipped, nor those of a hand that runs."""
    sitter = story.state.sitter_of(story.by)
    if sitter is None:
        return rejected(AtTable.NOT_SEATED, story.rules)
    if story.state.is_bound(sitter):
        return rejected(Reason.HAND_RUNNING, story.rules)
    if command.amount > sitter.stack:
        return rejected(Reason.ABOVE_STACK, story.rules)
    story.tell(
        DealerTipped(
            player=sitter.player,
            seat=sitter.seat,
            reservation=sitter.reservation,
            amount=command.amount,
            stack=sitter.stack - command.amount,
            currency=story.rules.currency,
        )
    )
    story.game.seats_changed(story)
    return None
