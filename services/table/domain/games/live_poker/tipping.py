"""A tip for the dealer: known only where there is one, since elsewhere no chip leaves a stack but to the house's rake
or home (pt-217-2007 9.d; pt-811-2015 11.a; mo-97-2010 4.2).
"""

from libs.contracts.conduct_commands import ConductReason as Reason
from libs.contracts.conduct_commands import TipDealer
from libs.contracts.conduct_events import DealerTipped
from libs.contracts.facts import taken
from libs.decider import Rejected
from services.table.domain.games.live_poker.state import LiveStory
from services.table.domain.games.poker.state import PokerSitter
from services.table.domain.table.handlers import of_sitter
from services.table.domain.table.rejections import rejected


@of_sitter
def tip_dealer(command: TipDealer, story: LiveStory, sitter: PokerSitter) -> Rejected | None:
    """Between rounds, into an account of its own: no chip that is bet, none of a running hand."""
    if story.state.is_bound(sitter):
        return rejected(Reason.HAND_RUNNING, story.rules)
    if command.amount > sitter.stack:
        return rejected(Reason.ABOVE_STACK, story.rules)
    left = sitter.stack - command.amount
    story.tell(taken(DealerTipped, sitter, amount=command.amount, stack=left, currency=story.rules.currency))
    story.game.seats_changed(story)
    return None
