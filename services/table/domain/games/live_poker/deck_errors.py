"""Misdeals and faults of the deck (pt-217-2007 33, 69): void, or put right where that is certain."""

from typing import Any

from libs.cards.variants import VARIANTS
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_commands import RecordIncident
from libs.contracts.live_events import DeckExposed
from libs.decider import Rejected
from services.table.domain.games.live_poker.recording import board_at_stake, faulty_deck, misdeal, tell_incident
from services.table.domain.games.live_poker.scanning import position_of
from services.table.domain.games.live_poker.stages import after_turn, betting_begun, state_of
from services.table.domain.games.live_poker.state import FACE_UP, LiveStory, live_of
from services.table.domain.games.poker.cards import dealing_order
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.state import Hand
from services.table.domain.table.rejections import rejected

ANY_TIME = (FACE_UP, "DE-69e", "DE-69f")
"""Faults of the deck: no fair result is possible any more, so they may void until the pot is delivered."""


def seen_in_the_cut(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """33: a card was seen during or after the cut, before anything was dealt."""
    pack = story.state.desk.packs.get(command.deck)
    if story.state.hand is not None or pack is None or not pack.shuffled:
        return rejected(Reason.NOT_AWAITED, story.rules)
    by, before = command.reported_by or story.by, state_of(story.state)
    told = DeckExposed(pack=command.deck, code=command.code, by=by, state_before=before, state_after="SHUFFLING")
    story.tell(told)
    return None


def misdealt(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """69.a and 69.g, reported rather than noticed by the scanner."""
    return _too_late(story) or _void(command, story)


def wrong_number(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """69.b: one card short at the end of the deal is dealt; anything else can't be told apart any more."""
    hand = running(story.state)
    if command.seat is None or command.count is None:
        return rejected(Reason.INCOMPLETE_REPORT, story.rules)
    if (refused := _too_late(story)) is not None:
        return refused
    one_short = command.count == VARIANTS[story.rules.variant].hole_cards - 1
    last = dealing_order(hand, story.rules)[-1]
    if one_short and command.seat == last and live_of(story.state).stage == "dealing":
        tell_incident(story, command, command.code, outcome="corrected", seats=[command.seat])
        return None
    return _void(command, story)


def seen_by_another(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """69.c: void only if the card was looked at; if not, it is handed over and the hand goes on."""
    if (refused := _too_late(story)) is not None:
        return refused
    if command.looked:
        return _void(command, story)
    tell_incident(story, command, command.code, outcome="corrected", seats=_seats(command))
    return None


def face_up_in_the_stub(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """69.d: two cards void the hand; a single one is burnt when it comes up, and where much hangs on the board only if
    a supervisor says so. One that has left the stub is there twice (69.e), and is not published."""
    positions = exposed_in(command, running(story.state))
    if positions is None:
        return rejected(Reason.UNKNOWN_CARD, story.rules)
    if not positions:
        return rejected(Reason.INCOMPLETE_REPORT, story.rules, "which card")
    live = live_of(story.state)
    if any(position in live.out for position in positions):
        faulty_deck(story, command, "DE-69e")
        return None
    known = live.face_up
    if {*positions} <= {*known}:
        return rejected(Reason.NO_ERROR, story.rules, "that is known")
    if len({*known, *positions}) > 1:
        # Lived with, they are burnt like a single one; with `go_on` the report is of nothing, and takes no card away.
        choices = ("void", "stands", "go_on")
        faulty_deck(story, command, command.code, exposed=positions, deck_out=False, choices=choices)
        return None
    if board_at_stake(story):
        waits: dict[str, Any] = {"choices": ["stands", "go_on"], "go_on_after": after_turn(running(story.state))}
        tell_incident(story, command, command.code, outcome="to_decide", exposed=positions, **waits)
        return None
    tell_incident(story, command, command.code, outcome="burned_when_it_comes", exposed=positions)
    return None


def deck_fault(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """69.e, 69.f: the deck is out; it is replaced and the new one inspected (4). Once there are bets the report says
    which card it is, or how many were counted; a card that lies face down in a hand is not published with it."""
    hand = running(story.state)
    positions = exposed_in(command, hand)
    if positions is None:
        return rejected(Reason.UNKNOWN_CARD, story.rules)
    counted = command.code == "DE-69e" and command.count is not None
    if betting_begun(hand) and not positions and not counted:
        return rejected(Reason.INCOMPLETE_REPORT, story.rules, "which card, or how many were counted")
    faulty_deck(story, command, command.code, exposed=_undealt(positions, story))
    return None


def exposed_in(command: RecordIncident, hand: Hand) -> list[int] | None:
    """Positions of the cards that everybody saw; None when one of them is no card."""
    positions = [position_of(hand, card) for card in command.cards]
    return None if None in positions else [position for position in positions if position is not None]


def _void(command: RecordIncident, story: LiveStory) -> Rejected | None:
    positions = exposed_in(command, running(story.state))
    if positions is None:
        return rejected(Reason.UNKNOWN_CARD, story.rules)
    misdeal(story, command, command.code, seats=_seats(command), exposed=_undealt(positions, story))
    return None


def _undealt(positions: list[int], story: LiveStory) -> list[int]:
    """What a report may publish on the dealer's word; of a dealt card its scan says whether all have seen it."""
    dealt = live_of(story.state).out
    return [position for position in positions if position not in dealt]


def _too_late(story: LiveStory) -> Rejected | None:
    """71.h: from the first action on a wrong deal stands."""
    return rejected(Reason.MISDEAL_WINDOW_OVER, story.rules) if betting_begun(running(story.state)) else None


def _seats(command: RecordIncident) -> list[int]:
    return [*command.seats, *([] if command.seat is None else [command.seat])]
