"""Who may do what at a live table: the dealer deals, a supervisor decides."""

from libs.contracts.commands import TableCommand
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.poker_commands import PokerReason as AtPoker
from libs.decider import Rejected
from services.table.domain.games.live_poker.state import LiveStory
from services.table.domain.table.rejections import rejected


def not_the_dealer(command: TableCommand, story: LiveStory) -> Rejected | None:
    dealer = story.by == story.state.desk.dealer
    return None if dealer else rejected(Reason.NOT_THE_DEALER, story.rules)


def no_such_hand(number: int, story: LiveStory) -> Rejected | None:
    """The running hand, dealt by hand, is meant; one that is over can't be changed any more (69)."""
    hand = story.state.hand
    if hand is None or hand.number != number:
        over = 0 < number <= story.state.hands
        return rejected(Reason.HAND_CLOSED if over else AtPoker.WRONG_HAND, story.rules)
    return None
