"""The dealer begins a hand: decks ready, enough players, blinds posted or noted as missing (pt-217-2007 68, 81, 91)."""

from libs.contracts.live_commands import DealHand, PassTurn, RecordPost
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_events import LiveDealOpened, TurnPassed
from libs.contracts.poker_commands import PokerReason as AtPoker
from libs.decider import Rejected
from libs.sealing.shuffle import Shuffle
from services.table.domain.games.live_poker.preparing import why_not_dealt
from services.table.domain.games.live_poker.stages import no_such_hand, not_the_dealer, tell_awaited
from services.table.domain.games.live_poker.state import LiveStory, live_of
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.progress import await_decision, go_on
from services.table.domain.games.poker.readiness import enough_ready
from services.table.domain.games.poker.starting import begin_hand, post_all, post_blind
from services.table.domain.table.handlers import unless
from services.table.domain.table.rejections import rejected


def hand_open(command: DealHand, story: LiveStory) -> Rejected | None:
    settled = story.state.hand is None and not story.state.disputes
    return None if settled else rejected(Reason.PREVIOUS_HAND_OPEN, story.rules)


@unless(not_the_dealer, hand_open, why_not_dealt)
def deal_hand(command: DealHand, story: LiveStory) -> Rejected | None:
    state = story.state
    if state.paused or not enough_ready(state):
        return rejected(Reason.TOO_FEW_PLAYERS, story.rules)
    if not isinstance(story.fresh, Shuffle):
        return rejected(Reason.NO_ENTROPY, story.rules)

    plan = begin_hand(story, story.fresh)
    if plan is None:
        return None
    unposted = [seat for seat in command.unposted if seat in (plan.small_blind, plan.big_blind)]
    story.tell(LiveDealOpened(pack=command.deck, dealer=story.by, unposted=unposted))
    post_all(story, plan, unposted)
    tell_awaited(story, "hole_cards")
    return None


@unless(not_the_dealer, no_such_hand)
def record_post(command: RecordPost, story: LiveStory) -> Rejected | None:
    """pt-217-2007 91: the first bet comes late, and the hand is valid."""
    hand = running(story.state)
    if command.seat not in live_of(story.state).unposted:
        return rejected(AtPoker.NOT_YOUR_SEAT, story.rules)
    post_blind(story, command.seat, "small" if command.seat == hand.small_blind else "big")
    if hand.turn is not None:
        await_decision(story, hand.turn.seat)  # what is on offer has changed with the post
    return None


@unless(not_the_dealer, no_such_hand)
def pass_turn(command: PassTurn, story: LiveStory) -> Rejected | None:
    """The dealer goes past a player: an error, which is put right when it is reported (71.i)."""
    hand = running(story.state)
    if live_of(story.state).pending is not None:
        return rejected(Reason.SUPERVISOR_DECISION, story.rules)
    if hand.turn is None or hand.turn.seat != command.seat:
        return rejected(AtPoker.NOT_YOUR_TURN, story.rules)
    story.tell(TurnPassed(seat=command.seat, player=hand.players[command.seat].player, by=story.by))
    go_on(story)
    return None
