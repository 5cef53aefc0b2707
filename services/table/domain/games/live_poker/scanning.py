"""Cards as the dealer brings them: hole cards in order, burns, the board, and what a wrong one means at once."""

from typing import Any

from libs.cards.card import parse
from libs.cards.variants import VARIANTS
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_commands import ScanCard
from libs.contracts.live_events import CardScanned, Target
from libs.contracts.poker_events import Deal, HoleCardsDealt, StreetDealt
from libs.decider import Rejected
from services.table.domain.games.live_poker.recording import board_at_stake, faulty_deck, misdeal, tell_incident
from services.table.domain.games.live_poker.stages import (
    hole_order,
    next_street,
    no_such_hand,
    not_the_dealer,
    waits_for_supervisor,
)
from services.table.domain.games.live_poker.state import FACE_UP, LiveStory, live_of
from services.table.domain.games.poker.cards import dealing_order, shown
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.progress import begin, go_on
from services.table.domain.games.poker.state import Hand
from services.table.domain.table.after_round import after_round
from services.table.domain.table.handlers import unless
from services.table.domain.table.rejections import rejected


@unless(not_the_dealer, no_such_hand, waits_for_supervisor)
def scan_card(command: ScanCard, story: LiveStory) -> Rejected | None:
    hand = running(story.state)
    position = position_of(hand, command.card)
    if position is None:
        return rejected(Reason.UNKNOWN_CARD, story.rules)
    if position in live_of(story.state).out:
        # 69.e: the same card twice. The pack is not what it should be.
        faulty_deck(story, command, "DE-69e")
        return None
    match command.to:
        case "hole":
            return _hole(command, story, hand, position)
        case "burn":
            return _burn(command, story, hand, position)
        case "board":
            return _board(command, story, hand, position)
        case "aside":
            return rejected(Reason.NOT_AWAITED, story.rules)


def position_of(hand: Hand, card: str) -> int | None:
    """The card's number in this hand; None for what is no card."""
    assert hand.deck is not None
    try:
        return hand.deck.cards.index(parse(card))
    except ValueError:
        return None


def tell_scanned(story: LiveStory, position: int, to: Target, seat: int | None = None, face_up: bool = False) -> None:
    live = live_of(story.state)
    story.tell(
        CardScanned(number=live.scans + 1, position=position, to=to, seat=seat, face_up=face_up, stub=live.stub - 1)
    )


def _hole(command: ScanCard, story: LiveStory, hand: Hand, position: int) -> Rejected | None:
    live = live_of(story.state)
    if live.stage != "dealing" or command.seat is None:
        return rejected(Reason.NOT_AWAITED, story.rules)
    awaited = _next_seat(story, hand)
    face_up = command.face_up or position in live.face_up  # all have seen that one, too
    tell_scanned(story, position, "hole", command.seat, face_up)
    if command.seat != awaited:
        misdeal(story, command, "DE-69a", seats=[command.seat])  # 69.a: not in the regular order
        return None
    if face_up and live.turned:
        misdeal(story, command, "DE-69g", seats=[command.seat], exposed=[position])  # 69.g: more than one turned
        return None
    if face_up:
        seats = [command.seat]
        tell_incident(story, command, "DE-70c", outcome="completed_at_the_end", seats=seats, exposed=[position])
    _finish_dealing(story)
    return None


def _next_seat(story: LiveStory, hand: Hand) -> int | None:
    order = hole_order(story.state, dealing_order(hand, story.rules)[0], VARIANTS[story.rules.variant].hole_cards)
    done = live_of(story.state).scans
    return order[done] if done < len(order) else None


def _finish_dealing(story: LiveStory) -> None:
    hand = running(story.state)
    if _next_seat(story, hand) is not None:
        return
    dealt = live_of(story.state).dealt
    deals = [Deal(seat, list(dealt[seat])) for seat in dealing_order(hand, story.rules)]
    story.tell(HoleCardsDealt(deals=deals))
    begin(story)
    after_round(story)


def _burn(command: ScanCard, story: LiveStory, hand: Hand, position: int) -> Rejected | None:
    """One burn for each street; before the round is closed it may be early, and is still the burn (70.d, 70.e)."""
    live = live_of(story.state)
    early = live.stage == "betting" and hand.street != "river"
    lay_open = live.stage == "board" and position in live.face_up
    if ((not early and live.stage != "board") or live.burnt or live.no_burn or live.drawn) and not lay_open:
        return rejected(Reason.NOT_AWAITED, story.rules)
    due = not (live.burnt or live.no_burn or live.drawn)
    if not due and _asked_of(command, story, position):
        return None
    tell_scanned(story, position, "burn")
    return None


def _board(command: ScanCard, story: LiveStory, hand: Hand, position: int) -> Rejected | None:
    live = live_of(story.state)
    if live.stage != "board":
        return rejected(Reason.NOT_AWAITED, story.rules, "a card turned too early is an incident (70.d to 70.f)")
    if not live.burnt and not live.no_burn:
        # 70.g: turned without a burn, it is the burn.
        tell_scanned(story, position, "burn", face_up=True)
        tell_incident(story, command, "DE-70g", outcome="burned", exposed=[position], burned=[position])
        return None
    if position in live.face_up:  # everybody was told so: it lay open in the stub, and the next one takes its place
        if not _asked_of(command, story, position):
            tell_scanned(story, position, "burn", face_up=True)
        return None
    tell_scanned(story, position, "board", face_up=True)
    finish_street(story)
    return None


def _asked_of(command: ScanCard, story: LiveStory, position: int) -> bool:
    """Whether a supervisor says first if this card lay face up: it was reported while little hung on the board, and now
    much does. Until then it stays where it is, and is scanned again (69.d)."""
    if position in live_of(story.state).agreed or not board_at_stake(story):
        return False
    waits: dict[str, Any] = {"choices": ["stands", "go_on"], "burned": [position]}
    tell_incident(story, command, FACE_UP, outcome="to_decide", seats=[], **waits)
    return True


def finish_street(story: LiveStory) -> None:
    """Opens the next round once its common cards lie on the table."""
    hand, live = running(story.state), live_of(story.state)
    street, cards = next_street(hand.street, story.rules.variant)
    if len(live.drawn) < cards:
        return
    story.tell(StreetDealt(street=street, cards=shown(hand, live.drawn), burned=list(live.burnt)))
    go_on(story)
    after_round(story)
