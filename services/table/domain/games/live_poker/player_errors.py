"""Errors of players (pt-217-2007 53, 55, 71, 91): what binds, what goes back, and who is out of the hand."""

from typing import Any, Literal

from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_commands import RecordIncident
from libs.contracts.live_events import HeldAct
from libs.contracts.poker_commands import Act
from libs.decider import Rejected
from services.table.domain.games.live_poker.deck_errors import ANY_TIME, exposed_in
from services.table.domain.games.live_poker.limiting import put_in
from services.table.domain.games.live_poker.recording import (
    EXAMINED,
    faulty_deck,
    left_to_a_supervisor,
    left_to_another,
    out_by,
    ownerless,
    take_out,
    tell_incident,
)
from services.table.domain.games.live_poker.stages import after_turn, betting_begun
from services.table.domain.games.live_poker.state import UNDECIDED, LiveStory, live_of
from services.table.domain.games.poker.acting import act, late_at, warn_if_late
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.limits import raise_range
from services.table.domain.games.poker.progress import go_on
from services.table.domain.table.after_round import after_round
from services.table.domain.table.rejections import rejected
from services.table.domain.table.standstill import ran_out


def announced_and_placed(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """53: the announcement counts and the dealer makes change; who has less is all-in with it."""
    hand, seat = running(story.state), command.seat
    if seat is None or command.act is None or command.to is None or command.placed is None:
        return rejected(Reason.INCOMPLETE_REPORT, story.rules)
    if hand.turn is None or hand.turn.seat != seat:
        return rejected(Reason.NOT_AWAITED, story.rules)
    player = hand.players[seat]
    to = min(command.to, player.in_round + story.state.seats[seat].stack)
    returned = max(0, command.placed - (to - player.in_round))
    tell_incident(
        story, command, command.code, outcome="announcement_counts", seats=[seat], amount=to, returned=returned
    )
    wish = Act(hand=command.hand, seat=seat, act=command.act, to=None if command.act == "call" else to)
    return act(wish, story)


def string_bet(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """55: chips added after the others have been looked at go back; the bet stays what it was."""
    if command.seat is None or command.placed is None:
        return rejected(Reason.INCOMPLETE_REPORT, story.rules)
    tell_incident(
        story, command, command.code, outcome="bet_stays", seats=[command.seat], returned=command.placed,
        amount=running(story.state).players[command.seat].in_round,
    )  # fmt: skip
    return None


def undecided(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """71.a: who was warned, at the table or elsewhere, and still does not decide. A supervisor says that the turn is
    over, or that the player is asked once more; until then the player may decide in person."""
    hand, seat = running(story.state), command.seat
    if seat is None:
        return rejected(Reason.INCOMPLETE_REPORT, story.rules)
    if hand.turn is None or hand.turn.seat != seat:
        return rejected(Reason.NOT_AWAITED, story.rules)
    if seat in live_of(story.state).unposted:
        return rejected(Reason.BLIND_NOT_POSTED, story.rules)  # PE-91 says what follows
    if story.rules.acts_for_the_absent:
        return rejected(Reason.NOT_AWAITED, story.rules, "the clock acts")
    if not (hand.turn.warned or ran_out(story, late_at(story.state))):
        return rejected(Reason.NOT_AWAITED, story.rules, "the time for this decision has not run out")
    warn_if_late(story)
    choices = ["check" if hand.turn.legal.check else "against", "go_on"]
    tell_incident(story, command, UNDECIDED, outcome="to_decide", seats=[seat], choices=choices)
    return None


def mucked(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """71.b: cards among the discards; the scans of the deal say which they were, and if not, the hand is dead."""
    hand, seat = running(story.state), command.seat
    if seat is None:
        return rejected(Reason.INCOMPLETE_REPORT, story.rules)
    if len(hand.players[seat].hole) == (command.count or len(hand.players[seat].hole)):
        tell_incident(story, command, command.code, outcome="reconstructed", seats=[seat])
        return None
    if live_of(story.state).stage == "paying" and not hand.players[seat].folded:
        # It may be the best hand, and nobody but the dealer says that it can't be told any more.
        tell_incident(story, command, command.code, outcome="to_decide", seats=[seat], choices=["against", "go_on"])
        return None
    return _annul(command, story, [seat])


def underpaid(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """71.c: too few chips for a call stay where they are; the player may complete them, or fold and lose them."""
    hand, seat = running(story.state), command.seat
    if seat is None or command.placed is None:
        return rejected(Reason.INCOMPLETE_REPORT, story.rules)
    if hand.turn is None or hand.turn.seat != seat:
        return rejected(Reason.NOT_AWAITED, story.rules)
    if seat in live_of(story.state).unposted:
        return rejected(Reason.BLIND_NOT_POSTED, story.rules)
    player, stack = hand.players[seat], story.state.seats[seat].stack
    if not 0 < command.placed < min(hand.bet - player.in_round, stack):
        return rejected(Reason.NO_ERROR, story.rules)  # all that a player has is an all-in call (49)
    begun = HeldAct(seat, "call", player.in_round + command.placed, command.placed, story.by)
    if left_to_another(story, command, command.code, begun):
        return None
    tell_incident(
        story, command, command.code, outcome="to_complete", seats=[seat], amount=command.placed, restricted=[seat],
        limit="bound",
    )  # fmt: skip
    put_in(story, seat, command.placed, story.by)
    go_on(story)
    return None


def unannounced_raise(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """71.d: without a word it is a call, and what is above goes back."""
    hand, seat = running(story.state), command.seat
    if seat is None or command.placed is None:
        return rejected(Reason.INCOMPLETE_REPORT, story.rules)
    if hand.turn is None or hand.turn.seat != seat:
        return rejected(Reason.NOT_AWAITED, story.rules)
    if seat in live_of(story.state).unposted:
        return rejected(Reason.BLIND_NOT_POSTED, story.rules)
    owed = hand.bet - hand.players[seat].in_round
    if owed == 0 or command.placed <= owed:  # where nobody has bet there is no call that it could be
        return rejected(Reason.NO_ERROR, story.rules)
    held = HeldAct(seat, "call", hand.bet, owed, story.by)
    if left_to_another(story, command, command.code, held):
        return None
    tell_incident(
        story, command, command.code, outcome="call", seats=[seat], amount=owed, returned=command.placed - owed,
        held=held, go_on_after=after_turn(hand),
    )  # fmt: skip
    go_on(story)
    return None


def showed_cards(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """71.e: the hand stays valid, and what everybody saw is in the record."""
    hand = running(story.state)
    positions = exposed_in(command, hand)
    if command.seat is None or positions is None:
        return rejected(Reason.UNKNOWN_CARD, story.rules)
    if not set(positions) <= set(hand.players[command.seat].hole):
        return rejected(Reason.UNKNOWN_CARD, story.rules)
    tell_incident(story, command, command.code, outcome="valid", seats=[command.seat], exposed=positions)
    return None


def out_of_turn(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """71.f: it is valid, waits for the player's turn and can't be made more then."""
    hand, seat = running(story.state), command.seat
    if seat is None or command.act is None or (command.act in ("bet", "raise") and command.to is None):
        return rejected(Reason.INCOMPLETE_REPORT, story.rules)
    player = hand.players[seat]
    if hand.turn is None or hand.turn.seat == seat or player.folded or seat in live_of(story.state).held:
        return rejected(Reason.NO_ERROR, story.rules)
    wished = command.to if command.to is not None else hand.bet
    wished = min(wished, player.in_round + story.state.seats[seat].stack)
    held = _bound_to(story, command, wished)
    if left_to_another(story, command, command.code, held):
        return None
    tell_incident(
        story, command, command.code, outcome="held", seats=[seat], amount=held.chips, held=held,
        returned=max(0, wished - held.to) if command.act in ("call", "bet", "raise") else 0,
    )  # fmt: skip
    return None


def _bound_to(story: LiveStory, command: RecordIncident, wished: int) -> HeldAct:
    hand, seat = running(story.state), command.seat
    assert seat is not None
    assert command.act is not None
    player = hand.players[seat]
    if command.act == "fold":
        return HeldAct(seat, "fold", player.in_round, 0, story.by)
    lowest, _ = raise_range(hand, player, story.state.seats[seat].stack, story.rules)
    raising = wished > hand.bet and wished >= lowest and story.game.why_no_raise(story.state, player) is None
    to = wished if raising else min(wished, hand.bet)  # between call and least raise it is a call (71.d)
    if command.act == "check" or to <= player.in_round:  # a call of nothing is a check
        return HeldAct(seat, "check", player.in_round, 0, story.by)
    act: Literal["call", "bet", "raise"] = ("raise" if hand.bet else "bet") if raising else "call"
    return HeldAct(seat, act, to, to - player.in_round, story.by)


def mixed_cards(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """71.g: both hands are annulled, wilfully or not; their bets stay."""
    if len(command.seats) < 2:
        return rejected(Reason.INCOMPLETE_REPORT, story.rules)
    return _annul(command, story, command.seats)


def reported_late(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """71.h: in time a reported dealing error voids; later it costs the hand of who kept silent."""
    hand, seat = running(story.state), command.seat
    if seat is None or not command.error:
        return rejected(Reason.INCOMPLETE_REPORT, story.rules)
    if not betting_begun(hand) or command.error in ANY_TIME:
        faulty_deck(story, command, command.error, seats=[seat], deck_out=command.error in ("DE-69e", "DE-69f"))
        return None
    return _annul(command, story, [seat])


def passed_over(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """71.i: the supervisor examines and decides. Past whom nobody has acted yet simply decides at the turn."""
    seat = command.seat
    if seat is None or seat not in live_of(story.state).missed or running(story.state).players[seat].folded:
        return rejected(Reason.NO_ERROR, story.rules)
    tell_incident(story, command, command.code, outcome="to_decide", seats=[seat], choices=EXAMINED)
    return None


def first_bet_missing(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """91: who will not post is out; if nobody knows who it was, a supervisor has the hand played with less."""
    unposted = live_of(story.state).unposted
    if not unposted:
        return rejected(Reason.NO_ERROR, story.rules)
    if live_of(story.state).stage == "dealing":
        return rejected(Reason.NOT_AWAITED, story.rules)  # nobody is asked yet, and who is missing may still post
    if command.seat is None:
        after = after_turn(running(story.state))
        waits: dict[str, Any] = {"choices": ["reduced_pot", "go_on"], "go_on_after": after}
        tell_incident(story, command, command.code, outcome="to_decide", seats=[], **waits)
        return None
    if command.seat not in unposted:
        return rejected(Reason.NO_ERROR, story.rules)
    return _annul(command, story, [command.seat])


def _annul(command: RecordIncident, story: LiveStory, seats: list[int]) -> Rejected | None:
    """Takes the hands; where nobody could win a pot any more, a supervisor says where it goes (71.g)."""
    hand = running(story.state)
    if live_of(story.state).stage in ("dealing", "paying"):  # nobody has cards to lose yet, or all have shown them
        return rejected(Reason.NOT_AWAITED, story.rules)
    out = tuple(seats)
    if len(set(out)) < len(out) or any(hand.players[seat].folded for seat in out):
        return rejected(Reason.NO_ERROR, story.rules, "that hand is out already")
    if ownerless(hand, out):
        waits: dict[str, Any] = {"choices": ["return_contributions", "go_on"], "go_on_after": after_turn(hand)}
        tell_incident(story, command, command.code, outcome="to_decide", seats=list(seats), **waits)
        return None
    if left_to_a_supervisor(story, command, seats):
        return None
    go_on_after, why = after_turn(hand, out), out_by(command.code)
    for seat in seats:
        take_out(story, seat, why)
    tell_incident(story, command, command.code, outcome=why, seats=list(seats), go_on_after=go_on_after)
    go_on(story)
    after_round(story)
    return None
