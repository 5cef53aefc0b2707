"""What every hand keeps secret: its deck, its salts, and the hole cards that nobody was shown."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from libs.cards.card import name_of
from libs.contracts import table_events as t
from libs.journal.log import Log
from libs.sealing.deck import Deck
from services.cli.evidence import walk
from services.cli.journals import Book


@dataclass(slots=True)
class Hand:
    """One hand, its deck opened. Printing it shows no card."""

    table: str
    number: int
    deck: Deck = field(repr=False)
    hole: dict[int, list[int]] = field(default_factory=dict)
    """Seat to the deck positions it was dealt."""
    public: set[int] = field(default_factory=set)
    """Positions of the cards that everybody has seen by now."""
    folded: set[int] = field(default_factory=set)

    def card(self, position: int) -> str:
        return name_of(self.deck.cards[position])

    @property
    def public_cards(self) -> set[str]:
        return {self.card(position) for position in self.public}

    @property
    def hidden_cards(self) -> set[str]:
        return {self.card(position) for position in range(52)} - self.public_cards

    def hidden_holes(self) -> list[tuple[str, ...]]:
        """Hole cards that were never shown whole, in the order of the deal."""
        return [
            tuple(self.card(position) for position in positions)
            for positions in self.hole.values()
            if not self.public.issuperset(positions)
        ]


async def hands_of(log: Log, book: Book, prefix: str = "") -> AsyncIterator[Hand]:
    """Every hand of the table journal, each once, when it is over or the journal ends."""
    running: dict[str, Hand] = {}
    async for met in walk(log, (book,), prefix):
        for told in met.told:
            stream, fact = told.event.stream, told.fact
            if isinstance(fact, t.HandStarted):
                assert told.deck is not None, "a hand starts with its deck"
                running[stream] = Hand(stream, fact.hand, told.deck)
            elif stream in running:
                note(running[stream], fact)
                if isinstance(fact, t.HandEnded | t.HandVoided):
                    yield running.pop(stream)
    for hand in running.values():
        yield hand


def note(hand: Hand, fact: object) -> None:
    """What a fact of the hand makes public."""
    match fact:
        case t.HoleCardsDealt():
            hand.hole = {deal.seat: deal.positions for deal in fact.deals}
        case t.StreetDealt() | t.CardsShown():
            hand.public |= {card.position for card in fact.cards}
        case t.PlayerFolded():
            hand.folded.add(fact.seat)
        case _:
            pass
