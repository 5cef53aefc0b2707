"""Errors of the dealer that leave the hand valid (pt-217-2007 70)."""

from collections.abc import Sequence
from typing import Any

from libs.cards.variants import Street
from libs.contracts.facts import taken
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_commands import RecordIncident
from libs.contracts.live_events import IncidentRecorded, PotReversed
from libs.decider import Rejected
from services.table.domain.games.live_poker.deck_errors import exposed_in
from services.table.domain.games.live_poker.recording import (
    board_at_stake,
    faulty_deck,
    left_to_a_supervisor,
    take_out,
    tell_incident,
)
from services.table.domain.games.live_poker.scanning import position_of, tell_scanned
from services.table.domain.games.live_poker.stages import after_turn, next_street
from services.table.domain.games.live_poker.state import LastHand, LiveStory, live_of
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.progress import go_on
from services.table.domain.games.poker.showdown import winners_by_the_cards
from services.table.domain.games.poker.state import Hand, PokerSitter
from services.table.domain.table.after_round import after_round
from services.table.domain.table.rejections import rejected

_EXPOSED_IN: dict[str, Street] = {"DE-70d": "preflop", "DE-70e": "flop", "DE-70f": "turn"}
"""The betting round in which the card must not have been turned yet."""


def wrong_winner(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """70.a, before the pot is delivered: the cards decide, and no money goes to the seat that was announced."""
    if live_of(story.state).stage != "paying":
        return rejected(Reason.NOT_SHOWDOWN, story.rules)
    winners = winners_by_the_cards(story)
    if command.announced is None or command.announced in winners:
        return rejected(Reason.NO_ERROR, story.rules)
    tell_incident(story, command, command.code, outcome="rectified", seats=[command.announced, *sorted(winners)])
    return None


def dealt_to_an_absent(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """70.b: not there when the turn comes; the cards are taken unseen and the hand goes on."""
    hand = running(story.state)
    if command.seat is None:
        return rejected(Reason.INCOMPLETE_REPORT, story.rules)
    if hand.turn is None or hand.turn.seat != command.seat:
        return rejected(Reason.NOT_AWAITED, story.rules, "who is back before the turn plays")
    if left_to_a_supervisor(story, command, [command.seat]):
        return None
    tell_incident(story, command, command.code, outcome="withdrawn", seats=[command.seat])
    take_out(story, command.seat, "withdrawn")
    go_on(story)
    after_round(story)
    return None


def exposed_early(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """70.d, 70.e, 70.f with 70.h: what was drawn is set aside, and who still decides may only match; where much hangs
    on the board only if a supervisor says so. No more are drawn than the street has cards: any further one lies face up
    in the stub (69.d)."""
    hand = running(story.state)
    live = live_of(story.state)
    shown, hidden = exposed_in(command, hand), [position_of(hand, card) for card in command.hidden]
    if shown is None or None in hidden:
        return rejected(Reason.UNKNOWN_CARD, story.rules)
    if not shown or live.stage != "betting" or not _too_early(command.code, hand):
        return rejected(Reason.NOT_AWAITED, story.rules)
    drawn = [*shown, *(position for position in hidden if position is not None)]
    if any(position in live.out for position in drawn) or len(set(drawn)) != len(drawn):
        faulty_deck(story, command, "DE-69e")
        return None
    street, size = next_street(hand.street, story.rules.variant)
    if len(drawn) > size:
        return rejected(Reason.NOT_AWAITED, story.rules, f"cards of the {street} are no more than {size}")
    if board_at_stake(story):
        waits: dict[str, Any] = {"choices": ["stands", "go_on"], "go_on_after": after_turn(hand)}
        tell_incident(story, command, command.code, outcome="to_decide", exposed=shown, aside=drawn, **waits)
        return None
    withdraw(story, command, command.code, shown, drawn)
    go_on(story)
    return None


def withdraw(
    story: LiveStory, command: RecordIncident | None, code: str, shown: Sequence[int], drawn: Sequence[int]
) -> None:
    """Without a `command` it is a supervisor who lets the dealer's report stand."""
    hand, live = running(story.state), live_of(story.state)
    for position in drawn:
        tell_scanned(story, position, "aside", face_up=position in shown)
    cards: dict[str, Any] = {"exposed": shown, "aside": list(drawn), "burned": list(live.burnt)}
    bound: dict[str, Any] = {"seats": _undecided(hand), "restricted": _undecided(hand), "go_on_after": after_turn(hand)}
    if command is None:
        bound |= {"by": story.state.desk.dealer, "decided_by": story.by}
    tell_incident(story, command, code, outcome="call_only", **cards, **bound)


def _too_early(code: str, hand: Hand) -> bool:
    """Whether the code is that of the street that comes next; single common cards go by 70.f (S.12)."""
    single = hand.street.startswith("card_") and code == "DE-70f"
    return single or _EXPOSED_IN[code] == hand.street


def _undecided(hand: Hand) -> list[int]:
    """Everybody who may still have a decision in this round, also who has called and may face a raise (70.h)."""
    return [player.seat for player in hand.alive if not player.all_in and _still_open(hand, player.seat)]


def _still_open(hand: Hand, seat: int) -> bool:
    player = hand.players[seat]
    return player.answered is None or player.in_round < hand.bet


def is_same(last: LastHand, sitter: PokerSitter) -> bool:
    """Whether who sits there now was dealt into that hand."""
    return last.sittings.get(sitter.seat, sitter.reservation) == sitter.reservation


def wrong_winner_paid(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """After the next hand has started only a dispute remains (8.c)."""
    last = story.state.desk.last_hand
    if last is None or last.hand != command.hand:
        return rejected(Reason.HAND_CLOSED, story.rules)
    shares = last.shares or {last.due: last.amount}
    seats = story.state.seats
    at_the_table = all(seat in seats and is_same(last, seats[seat]) for seat in (last.paid, *shares))
    if not at_the_table or seats[last.paid].stack < last.amount:
        return rejected(Reason.HAND_CLOSED, story.rules, "the chips are not at the table any more")
    number = last.incidents + 1
    report = {"code": command.code, "reason": command.reason, "reported_by": command.reported_by or story.by}
    report |= {"recorded_by": story.by}
    report |= {"state_before": "CLOSED", "state_after": "CLOSED", "outcome": "reversed", "decided_by": story.by}
    told = {"incident": number, "seats": [last.paid, *sorted(shares)]}
    story.tell(taken(IncidentRecorded, last, story.rules, **told, **report))
    for seat, amount in sorted(shares.items()):
        paid, due = story.state.seats[last.paid], story.state.seats[seat]
        back = {"from_seat": last.paid, "from_player": paid.player, "from_stack": paid.stack - amount}
        to = {"to_seat": seat, "to_player": due.player, "to_stack": due.stack + amount, "amount": amount}
        story.tell(taken(PotReversed, last, story.rules, incident=number, **back, **to))
    after_round(story)
    return None
