"""What the auditor remembers of a table's cards, whatever is played: the root, how far the deal is, what is proved."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from libs.cards.card import DECK_SIZE, parse
from libs.contracts import table_events as t
from libs.sealing.deck import ShuffledCards
from libs.sealing.merkle import DeckTree, verify_card
from services.audit.verifying.findings import Kind

Complaint = tuple[Kind, str]


@dataclass(slots=True)
class TakenOut:
    """A report by which hands are out, or would be (pt-217-2007 70.b, 71, 91), or an act that a dealer entered."""

    code: str
    seats: list[int]
    reported_by: str
    recorded_by: str
    decided_by: str = ""
    version: int = 0
    """Of the event that took them."""
    act: str = ""
    """What was entered for the one seat; empty: its hand was to be taken."""


@dataclass(slots=True)
class FaceUp:
    """A card of the stub that a dealer said lay face up there, while its street has not come (pt-217-2007 69.d)."""

    position: int
    reported_by: str
    recorded_by: str
    version: int
    """Of the report."""
    incident: int = 0
    """The last one by which a supervisor is asked of it; 0: none."""
    decided_by: str = ""
    came: bool = False
    """It was among the cards of the very next street, and another one took its place."""


@dataclass(slots=True)
class PublicDecks:
    """Fold of one table, of what everybody may know: its dealing rules and the hand, round or shoe in progress."""

    deal_from: str = "small_blind"
    burn: bool = False
    hole_cards: int = 4
    hand: int = 0
    """Number of the hand, round or coup."""
    root: bytes = b""
    size: int = DECK_SIZE
    """Leaves behind the root."""
    dealt_from: list[int] = field(default_factory=list)
    """Seats in the order in which they are to be dealt."""
    hole: dict[int, list[int]] = field(default_factory=dict)
    sides: dict[str, list[int]] = field(default_factory=dict)
    """Positions dealt to Ponto and Banca, or to the dealer."""
    faces: dict[str, list[str]] = field(default_factory=dict)
    """Cards that Ponto and Banca, or the dealer and seats, have in the open; the third last."""
    suit_tiebreak: bool = True
    """Three of a suit break a tie of high cards (pt-803-2015-no-draw 9)."""
    next_position: int = 0
    by_hand: bool = False
    """Dealt by a human dealer: the order is that of the scans (pt-217-2007 FP-6)."""
    dealer: str = ""
    """Who deals the hand, where a human does."""
    asked: dict[int, TakenOut] = field(default_factory=dict)
    """By incident of the hand, what waits for a supervisor."""
    waits: int = 0
    """Number of the incident of the hand that waits for a supervisor; 0: none."""
    waits_for: int = 0
    """Seat whose player may still act in person meanwhile; 0: none."""
    dealers: int = -1
    """How many dealers were named while the hand runs; -1: none does."""
    pushed_by: str = ""
    """Supervisor by whose word the hand's pot goes against the cards; empty: nobody has said so."""
    taken_out: list[TakenOut] = field(default_factory=list)
    """Of the hand."""
    face_up: list[FaceUp] = field(default_factory=list)
    """Of the hand."""
    scanned: dict[int, list[int]] = field(default_factory=dict)
    hands: int = 0
    cards_proved: int = 0


@dataclass(slots=True)
class Decks(PublicDecks):
    """With the sealed cards of the hand, round or shoe in progress, opened. They are never kept anywhere."""

    deck: ShuffledCards | None = field(default=None, repr=False)
    decks_opened: int = 0


def root_holds(decks: PublicDecks) -> Iterator[Complaint]:
    """Whether the sealed cards, where they were opened, are those that were committed to."""
    if not isinstance(decks, Decks) or decks.deck is None:
        return
    decks.decks_opened += 1
    if DeckTree(decks.deck.cards, decks.deck.salt_secret, decks.size).root != decks.root:
        yield Kind.DECK_ROOT, "the sealed deck does not lead to the root that was published"


def proved(decks: PublicDecks, *shown: t.DeckCard) -> Iterator[Complaint]:
    """Whether each card in the open lay where it says, by its proof and, where it was opened, by the deck itself."""
    for card in shown:
        yield from _proved(decks, card)


def _proved(decks: PublicDecks, shown: t.DeckCard) -> Iterator[Complaint]:
    try:
        card, salt = parse(shown.card), bytes.fromhex(shown.salt)
        proof = [bytes.fromhex(each) for each in shown.proof]
    except ValueError:
        yield Kind.CARD_PROOF, f"the proof of position {shown.position} is not readable"
        return
    if not verify_card(decks.root, shown.position, card, salt, proof, decks.size):
        yield Kind.CARD_PROOF, f"the proof of position {shown.position} does not lead to the root"
        return
    if isinstance(decks, Decks) and decks.deck is not None and decks.deck.cards[shown.position] != card:
        yield Kind.CARD_NOT_IN_DECK, f"another card lies at position {shown.position} of the sealed deck"
        return
    decks.cards_proved += 1
