"""Who may do what at a live table: the dealer deals, a supervisor decides; at a virtual table neither."""

from libs.decider import Rejected
from services.table.domain.games.poker.live.rejections import Reason
from services.table.domain.games.poker.rejections import Reason as AtPoker
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.commands import Command
from services.table.domain.table.rejections import rejected


def not_live(story: PokerStory) -> Rejected | None:
    """Virtual tables have no dealer's errors, no decks and no scans (FP-6)."""
    return None if story.rules.dealing == "live" else rejected(Reason.NOT_IN_THIS_MODE, story.rules)


def not_the_dealer(command: Command, story: PokerStory) -> Rejected | None:
    refused = not_live(story)
    if refused is None and command.principal_id != story.state.desk.dealer:
        refused = rejected(Reason.NOT_THE_DEALER, story.rules)
    return refused


def no_such_hand(number: int, story: PokerStory) -> Rejected | None:
    """The running hand, dealt by hand, is meant; one that is over can't be changed any more (69)."""
    hand = story.state.hand
    if hand is None or hand.number != number:
        over = 0 < number <= story.state.hands
        return rejected(Reason.HAND_CLOSED if over else AtPoker.WRONG_HAND, story.rules)
    return None
