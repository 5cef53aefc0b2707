"""Decks against their commitment: the sealed deck gives the root, and every card shown lay where it was dealt from.

Rule RNG-12: what the generator gave is what the hand used and recorded. Findings name positions, never cards.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from libs.cards.card import parse
from libs.cards.games import GAMES
from libs.contracts import table_events as t
from libs.contracts.messages import Message, PublicEvent
from libs.sealing.deck import Deck
from libs.sealing.merkle import DeckTree, verify_card
from services.audit.verifying.findings import Finding, Kind

_BOARD_CARDS = {street: cards for game in GAMES.values() for street, cards in game.board}


@dataclass(slots=True)
class PublicDecks:
    """Fold of one table, of what everybody may know: its dealing rules and the hand in progress."""

    deal_from: str = "small_blind"
    burn: bool = False
    hole_cards: int = 4
    hand: int = 0
    root: bytes = b""
    dealt_from: list[int] = field(default_factory=list)
    """Seats in the order in which they are to be dealt."""
    hole: dict[int, list[int]] = field(default_factory=dict)
    next_position: int = 0
    hands: int = 0
    cards_proved: int = 0


@dataclass(slots=True)
class Decks(PublicDecks):
    """With the sealed deck of the hand in progress, opened. It is never kept anywhere."""

    deck: Deck | None = field(default=None, repr=False)
    decks_opened: int = 0


def check_deck(decks: PublicDecks, event: PublicEvent, fact: Message, deck: Deck | None = None) -> Iterator[Finding]:
    """Folds one event of a table. `deck` comes with `HandStarted`; without it only the public proofs are checked."""
    if isinstance(fact, t.HandStarted) and isinstance(decks, Decks):
        decks.deck = deck
    step = _STEPS.get(type(fact))
    for kind, detail in step(decks, fact) if step else ():
        yield Finding(kind, event.stream, f"hand {decks.hand}: {detail}", event.version)


Complaint = tuple[Kind, str]


def _configured(decks: PublicDecks, fact: t.TableOpened | t.ConfigurationActivated) -> Iterator[Complaint]:
    if isinstance(fact.configuration, t.Configuration):
        decks.deal_from = fact.configuration.deal_from
        decks.burn = fact.configuration.burn_before_board
        decks.hole_cards = GAMES[fact.configuration.variant].hole_cards
    return iter(())


def _started(decks: PublicDecks, fact: t.HandStarted) -> Iterator[Complaint]:
    decks.hand, decks.root = fact.hand, bytes.fromhex(fact.deck_root)
    decks.hole, decks.next_position = {}, 0
    decks.dealt_from = _order(decks.deal_from, fact)
    decks.hands += 1
    if not isinstance(decks, Decks) or decks.deck is None:
        return
    decks.decks_opened += 1
    if DeckTree(decks.deck.cards, decks.deck.salt_secret).root != decks.root:
        yield Kind.DECK_ROOT, "the sealed deck does not lead to the root that was published"


def _order(deal_from: str, fact: t.HandStarted) -> list[int]:
    seats = sorted(seat.seat for seat in fact.seats)
    if deal_from == "small_blind":
        return [s for s in seats if s >= fact.small_blind] + [s for s in seats if s < fact.small_blind]
    return [s for s in seats if s > fact.button] + [s for s in seats if s <= fact.button]


def _dealt(decks: PublicDecks, fact: t.HoleCardsDealt) -> Iterator[Complaint]:
    players = len(decks.dealt_from)
    # One card at a time, round after round (mo-97-2010 3.2; pt-811-2015 25).
    laps = range(decks.hole_cards)
    due = {seat: [place + lap * players for lap in laps] for place, seat in enumerate(decks.dealt_from)}
    decks.hole = {deal.seat: deal.positions for deal in fact.deals}
    decks.next_position = players * decks.hole_cards
    if decks.hole != due:
        yield Kind.DEAL_ORDER, "hole cards do not come from the positions that the dealing rule gives"


def _street(decks: PublicDecks, fact: t.StreetDealt) -> Iterator[Complaint]:
    burns, cards = int(decks.burn), _BOARD_CARDS.get(fact.street, 0)
    first = decks.next_position
    due = (list(range(first, first + burns)), list(range(first + burns, first + burns + cards)))
    decks.next_position = first + burns + cards
    if (fact.burned, [card.position for card in fact.cards]) != due:
        yield Kind.DEAL_ORDER, f"the {fact.street} does not come from the positions that follow"
    for card in fact.cards:
        yield from _proved(decks, card)


def _shown(decks: PublicDecks, fact: t.CardsShown) -> Iterator[Complaint]:
    if [card.position for card in fact.cards] != decks.hole.get(fact.seat):
        yield Kind.DEAL_ORDER, f"seat {fact.seat} shows cards from positions that it was not dealt"
    for card in fact.cards:
        yield from _proved(decks, card)


def _proved(decks: PublicDecks, shown: t.DeckCard) -> Iterator[Complaint]:
    try:
        card, salt = parse(shown.card), bytes.fromhex(shown.salt)
        proof = [bytes.fromhex(each) for each in shown.proof]
    except ValueError:
        yield Kind.CARD_PROOF, f"the proof of position {shown.position} is not readable"
        return
    if not verify_card(decks.root, shown.position, card, salt, proof):
        yield Kind.CARD_PROOF, f"the proof of position {shown.position} does not lead to the root"
        return
    if isinstance(decks, Decks) and decks.deck is not None and decks.deck.cards[shown.position] != card:
        yield Kind.CARD_NOT_IN_DECK, f"another card lies at position {shown.position} of the sealed deck"
        return
    decks.cards_proved += 1


_STEPS: dict[type[Message], Callable[[PublicDecks, Any], Iterator[Complaint]]] = {
    t.TableOpened: _configured,
    t.ConfigurationActivated: _configured,
    t.HandStarted: _started,
    t.HoleCardsDealt: _dealt,
    t.StreetDealt: _street,
    t.CardsShown: _shown,
}
