"""The end of a live hand: all cards on the table, the dealer announces, the cards decide, the pot is delivered."""

from libs.contracts.live_commands import DeliverPot
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_events import WinnerAnnounced
from libs.contracts.poker_commands import CancelAct, ResolveDispute
from libs.contracts.poker_commands import PokerReason as AtPoker
from libs.decider import Rejected
from services.table.domain.games.live_poker.limiting import bar_of
from services.table.domain.games.live_poker.recording import tell_incident
from services.table.domain.games.live_poker.stages import no_such_hand, not_the_dealer
from services.table.domain.games.live_poker.state import LiveStory, live_of
from services.table.domain.games.poker import acting as poker
from services.table.domain.games.poker import correcting
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.showdown import pay_by_the_cards, winners_by_the_cards
from services.table.domain.table.after_round import after_round
from services.table.domain.table.handlers import unless
from services.table.domain.table.rejections import rejected


@unless(not_the_dealer, no_such_hand)
def deliver_pot(command: DeliverPot, story: LiveStory) -> Rejected | None:
    """A wrong announcement is rectified before money moves, unless the chips were pushed already (70.a)."""
    hand = running(story.state)
    if live_of(story.state).stage != "paying":
        return rejected(Reason.NOT_SHOWDOWN, story.rules)
    if any(dispute.hand == hand.number for dispute in story.state.disputes):
        return rejected(Reason.DISPUTE_OPEN, story.rules)
    winners = winners_by_the_cards(story)
    wrong = command.winner is not None and command.winner not in winners
    if wrong and command.winner not in hand.players:
        return rejected(AtPoker.NOT_YOUR_SEAT, story.rules)
    if command.winner is not None:
        best = sorted(winners)
        story.tell(WinnerAnnounced(seat=command.winner, by_the_cards=best, pushed=command.pushed, by=story.by))
    if wrong and not command.pushed:
        assert command.winner is not None
        tell_incident(story, command, "DE-70a", outcome="rectified", seats=[command.winner, *sorted(winners)])
    pay_by_the_cards(story, command.winner if wrong and command.pushed else None)
    after_round(story)
    return None


def cancel_act(command: CancelAct, story: LiveStory) -> Rejected | None:
    """Always refused; a player bound to an unfinished bet gets that as the reason (71.c)."""
    hand = story.state.hand
    bound = hand is not None and hand.number == command.hand and bar_of(story.state, hand.players[command.seat])
    if bound is Reason.BET_BINDING:
        return rejected(bound, story.rules)
    return poker.cancel_act(command, story)


def resolve_dispute(command: ResolveDispute, story: LiveStory) -> Rejected | None:
    """Not by the dealer whose hand it was."""
    if story.by == story.state.desk.dealer:
        return rejected(Reason.NOT_A_SUPERVISOR, story.rules)
    return correcting.resolve_dispute(command, story)
