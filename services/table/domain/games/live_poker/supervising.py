"""A supervisor's decision on an incident: recorded, and carried out (8.c, 69, 71, 91)."""

from typing import Any

from libs.contracts.facts import taken
from libs.contracts.live_commands import DecideIncident, DeliverPot
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_events import HandState, SupervisorDecided
from libs.contracts.poker_events import UncalledBetReturned
from libs.decider import Rejected
from services.table.domain.games.live_poker.dealer_errors import withdraw
from services.table.domain.games.live_poker.dealing import hand_over
from services.table.domain.games.live_poker.limiting import put_in
from services.table.domain.games.live_poker.recording import at_once, out_by, take_out
from services.table.domain.games.live_poker.stages import dealt_in, no_such_hand, predecessor
from services.table.domain.games.live_poker.state import (
    PASSED_OVER,
    ROUNDS,
    UNDECIDED,
    WRONG_WINNER,
    LiveStory,
    Pending,
    live_of,
)
from services.table.domain.games.poker.acting import act_for, awaited, carry_out
from services.table.domain.games.poker.correcting import void_running
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.progress import go_on
from services.table.domain.games.poker.state import Hand
from services.table.domain.table.after_round import after_round
from services.table.domain.table.handlers import unless
from services.table.domain.table.rejections import rejected


@unless(no_such_hand)
def decide_incident(command: DecideIncident, story: LiveStory) -> Rejected | None:
    hand = running(story.state)
    if dealt_in(story, hand.number):
        return rejected(Reason.NOT_A_SUPERVISOR, story.rules)
    pending = live_of(story.state).pending
    if pending is None or pending.incident != command.incident:
        return rejected(Reason.NOTHING_TO_DECIDE, story.rules)
    if command.decision not in pending.choices:
        return rejected(Reason.NO_SUCH_DECISION, story.rules, ", ".join(pending.choices))

    match command.decision:
        case "against" | "check" if pending.code == UNDECIDED:
            _tell(command, story, pending)
            act_for(story, awaited(story.state), time_bank_left=0)  # 71.a: as the clock does where it acts
            return None
        case "in_favour":
            after = predecessor(hand, pending.seats[0])
            _tell(command, story, pending, restricted=list(pending.seats), go_on_after=after)
        case "go_on" if pending.code == PASSED_OVER:  # it decides now as well, with all its rights
            _tell(command, story, pending, go_on_after=predecessor(hand, pending.seats[0]))
        case "against":
            for seat in pending.seats:
                take_out(story, seat, out_by(pending.code))
            _tell(command, story, pending, go_on_after=hand.last_actor)  # where it was interrupted
        case "stands" if pending.code == WRONG_WINNER:
            _tell(command, story, pending)
            pushed = DeliverPot(hand=hand.number, winner=pending.seats[0], pushed=True)
            return hand_over(pushed, story, asks=False)  # refused by what has come up since, a dispute for instance
        case "stands" | "go_on" if live_of(story.state).stage != "betting":
            _tell(command, story, pending)  # the dealer goes on: what was awaited still is
            return None
        case "stands":
            _tell(command, story, pending)
            if (held := pending.held) is not None and at_once(pending.code) == "carried_out":
                carry_out(story, held.seat, held.act, held.to, held.by)
                return None
            if held is not None and at_once(pending.code) == "put_in":
                put_in(story, held.seat, held.chips, held.by)
            if pending.aside:
                withdraw(story, None, pending.code, pending.named, pending.aside)
        case "reduced_pot":
            _reduced_pot(command, story, pending, hand)
        case "void":
            _tell(command, story, pending, state="VOID")
            void_running(story, pending.code, story.by)
            return None
        case "go_on":
            _tell(command, story, pending)
        case _:
            return _return_contributions(command, story, pending, hand)
    go_on(story)
    after_round(story)
    return None


def _reduced_pot(command: DecideIncident, story: LiveStory, pending: Pending, hand: Hand) -> None:
    """91: both count as having posted; nobody is debited, and what is short is on record."""
    waived = list(live_of(story.state).unposted)
    blinds = {hand.small_blind: story.rules.betting.small_blind, hand.big_blind: story.rules.betting.big_blind}
    _tell(command, story, pending, waived=waived, shortage=sum(blinds[seat] for seat in waived))


def _return_contributions(command: DecideIncident, story: LiveStory, pending: Pending, hand: Hand) -> Rejected | None:
    """71.g: a pot that no live hand can win goes back to who put it in."""
    left = [player for player in hand.alive if player.seat not in pending.seats]
    _tell(command, story, pending, state="VOID" if not left else None)
    if not left:
        void_running(story, pending.code, story.by)
        return None
    claimed = max(player.committed for player in left)
    for seat in pending.seats:
        take_out(story, seat, "annulled")
    for player in hand.players.values():
        sitter = story.state.seats.get(player.seat)
        there = sitter is not None and sitter.reservation == player.reservation
        if player.committed > claimed and there:  # what somebody has left there stays in the pot
            _give_back(story, player.seat, player.committed - claimed)
    go_on(story)
    after_round(story)
    return None


def _give_back(story: LiveStory, seat: int, amount: int) -> None:
    player, stack = running(story.state).players[seat], story.state.seats[seat].stack + amount
    story.tell(taken(UncalledBetReturned, player, story.rules, amount=amount, stack=stack))


def _tell(
    command: DecideIncident, story: LiveStory, pending: Pending, state: HandState | None = None, **follows: Any
) -> None:
    """`follows`: what comes of it, by field of the event."""
    live, street = live_of(story.state), running(story.state).street
    stages: dict[str, HandState] = {"dealing": "DEALING", "paying": "PAYING"}
    back: HandState = stages.get(live.stage, ROUNDS[street])
    told = {"decision": command.decision, "reason": command.reason, "by": story.by, "state_after": state or back}
    story.tell(taken(SupervisorDecided, pending, **told, **follows))
