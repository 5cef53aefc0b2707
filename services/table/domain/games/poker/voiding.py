"""A hand that can't be finished: void, every bet returned, the button stays (pt-811-2015 72; mo-97-2010 9.2)."""

from libs.contracts.poker_commands import PokerReason as Reason
from libs.contracts.poker_commands import VoidHand
from libs.contracts.poker_events import HandVoided, Refund
from libs.contracts.table_events import PlayerLeft
from libs.decider import Rejected
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.state import Hand
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.after_round import after_round
from services.table.domain.table.rejections import rejected


def void_hand(command: VoidHand, story: PokerStory) -> Rejected | None:
    hand = story.state.hand
    if hand is None:
        return rejected(Reason.NO_HAND, story.rules)
    if command.hand != hand.number:
        return rejected(Reason.WRONG_HAND, story.rules)

    void_running(story, command.cause, story.by)
    return None


def void_running(story: PokerStory, cause: str, by: str) -> None:
    """Every bet of the running hand goes back; its cards do not count."""
    hand = running(story.state)
    refunds = [_refund(story, hand, seat) for seat in sorted(hand.order)]
    gone = [refund for refund in refunds if refund.amount and not _still_there(story, hand, refund.seat)]
    story.tell(
        HandVoided(
            cause=cause,
            by=by,
            refunds=refunds,
            currency=story.rules.currency,
        )
    )
    for refund in gone:
        _send_after(story, hand, refund)
    after_round(story)


def _still_there(story: PokerStory, hand: Hand, seat: int) -> bool:
    sitter = story.state.seats.get(seat)
    return sitter is not None and sitter.reservation == hand.players[seat].reservation


def _refund(story: PokerStory, hand: Hand, seat: int) -> Refund:
    player = hand.players[seat]
    stack = story.state.seats[seat].stack if _still_there(story, hand, seat) else 0
    return Refund(seat, player.player, player.staked, stack + player.staked)


def _send_after(story: PokerStory, hand: Hand, refund: Refund) -> None:
    """Who left during the hand has no stack any more: the refund goes home on its own."""
    story.tell(
        PlayerLeft(
            reservation=hand.players[refund.seat].reservation,
            player=refund.player,
            seat=refund.seat,
            stack=refund.amount,
            currency=story.rules.currency,
            reason="player",
        )
    )
