"""The dealer begins a hand: decks ready, enough players, blinds posted or noted as missing (pt-217-2007 68, 81, 91).

And ends it: all cards on the table, the dealer announces, the cards decide, the pot is delivered.
"""

from typing import Any

from libs.contracts.live_commands import DealHand, DeliverPot, PassTurn, RecordPost
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_events import LiveDealOpened, Share, TurnPassed, WinnerAnnounced
from libs.contracts.poker_commands import CancelAct, ResolveDispute
from libs.contracts.poker_commands import PokerReason as AtPoker
from libs.decider import Rejected
from libs.sealing.shuffle import Shuffle
from services.table.domain.games.live_poker.limiting import bar_of
from services.table.domain.games.live_poker.preparing import why_not_dealt
from services.table.domain.games.live_poker.recording import pot_at_stake, tell_incident
from services.table.domain.games.live_poker.stages import (
    dealt_in,
    no_such_hand,
    not_the_dealer,
    someone_remote,
    tell_awaited,
    waits_for_supervisor,
)
from services.table.domain.games.live_poker.state import WRONG_WINNER, LiveStory, live_of
from services.table.domain.games.poker import acting as poker
from services.table.domain.games.poker import correcting
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.progress import await_decision, go_on
from services.table.domain.games.poker.readiness import enough_ready
from services.table.domain.games.poker.showdown import due_by_the_cards, pay_by_the_cards, winners_by_the_cards
from services.table.domain.games.poker.starting import begin_hand, post_all, post_blind
from services.table.domain.table.after_round import after_round
from services.table.domain.table.handlers import unless
from services.table.domain.table.rejections import rejected

STOPPING = 3
"""So many disputes of one player within a day the next hand waits for; more are decided while the game goes on."""


def hand_open(command: DealHand, story: LiveStory) -> Rejected | None:
    """The next hand waits for what may still correct the one before: its end, and the disputes of it (8.c, 70.a). What
    was dealt before that one nothing corrects any more, and no player stops the table for ever."""
    state = story.state
    waits = any(each.hand == state.hands and each.nth <= STOPPING for each in state.disputes)
    return rejected(Reason.PREVIOUS_HAND_OPEN, story.rules) if state.hand is not None or waits else None


@unless(not_the_dealer, hand_open, why_not_dealt)
def deal_hand(command: DealHand, story: LiveStory) -> Rejected | None:
    if story.state.paused or not enough_ready(story.state):
        return rejected(Reason.TOO_FEW_PLAYERS, story.rules)
    if (refused := someone_remote(story, command.unposted)) is not None:
        return refused  # a remote player's blind is posted by the house
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


@unless(not_the_dealer, no_such_hand, waits_for_supervisor)
def record_post(command: RecordPost, story: LiveStory) -> Rejected | None:
    """pt-217-2007 91: the first bet comes late, and the hand is valid. Not while a supervisor is asked: the turn that
    stands meanwhile would be asked anew, with a clock that runs and no way to answer."""
    hand = running(story.state)
    if command.seat not in live_of(story.state).unposted or hand.players[command.seat].folded:
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
    if command.seat in live_of(story.state).passed:  # each time its clock would begin anew
        return rejected(Reason.NOT_AWAITED, story.rules, "passed over in this round already")
    if (refused := someone_remote(story, [command.seat])) is not None:
        return refused
    if story.rules.acts_for_the_absent and story.is_due(poker.late_at(story.state)):
        return rejected(AtPoker.TOO_LATE, story.rules)
    story.tell(TurnPassed(seat=command.seat, player=hand.players[command.seat].player, by=story.by))
    go_on(story)
    return None


@unless(not_the_dealer, no_such_hand, waits_for_supervisor)
def deliver_pot(command: DeliverPot, story: LiveStory) -> Rejected | None:
    """On the dealer's word, where not much lies there."""
    if live_of(story.state).stage != "paying":
        return rejected(Reason.NOT_SHOWDOWN, story.rules)
    return hand_over(command, story, asks=pot_at_stake(story))


def hand_over(command: DeliverPot, story: LiveStory, asks: bool) -> Rejected | None:
    """A wrong announcement is rectified before money moves, unless the chips were pushed already (70.a). `asks`: a
    supervisor says first whether they were (8.c), for who got them may leave once the next hand has begun."""
    hand = running(story.state)
    if any(dispute.hand == hand.number for dispute in story.state.disputes):
        return rejected(Reason.DISPUTE_OPEN, story.rules)
    winners = winners_by_the_cards(story)
    wrong = command.winner is not None and command.winner not in winners
    if wrong and command.winner not in {player.seat for player in hand.alive}:
        return rejected(AtPoker.NOT_YOUR_SEAT, story.rules)
    if wrong and command.pushed and (refused := someone_remote(story, sorted(winners))) is not None:
        return refused  # on a screen no chips go anywhere before the cards have decided
    if wrong and command.pushed and asks:
        waits: dict[str, Any] = {"seats": [command.winner, *sorted(winners)], "choices": ["stands", "go_on"]}
        tell_incident(story, command, WRONG_WINNER, outcome="to_decide", **waits)
        return None
    if command.winner is not None:
        best, by = sorted(winners), story.state.desk.dealer
        due = [Share(*each) for each in sorted(due_by_the_cards(story).items())] if wrong and command.pushed else []
        told = WinnerAnnounced(seat=command.winner, by_the_cards=best, pushed=command.pushed, due=due, by=by)
        story.tell(told)
    if wrong and not command.pushed:
        assert command.winner is not None
        tell_incident(story, command, WRONG_WINNER, outcome="rectified", seats=[command.winner, *sorted(winners)])
    pay_by_the_cards(story, command.winner if wrong and command.pushed else None)
    after_round(story)
    return None


def cancel_act(command: CancelAct, story: LiveStory) -> Rejected | None:
    """Always refused; a player bound to an unfinished bet gets that as the reason (71.c)."""
    hand = story.state.hand
    player = hand.players.get(command.seat) if hand is not None and hand.number == command.hand else None
    if player is not None and bar_of(story.state, player) is Reason.BET_BINDING:
        return rejected(Reason.BET_BINDING, story.rules)
    return poker.cancel_act(command, story)


def resolve_dispute(command: ResolveDispute, story: LiveStory) -> Rejected | None:
    """Not by the dealer whose hand it was."""
    if dealt_in(story, command.hand):
        return rejected(Reason.NOT_A_SUPERVISOR, story.rules)
    return correcting.resolve_dispute(command, story)
