"""What has to stay secret of one deck or shoe: the cards, their salts, and the hands that nobody was shown."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from libs.cards.card import DECK_SIZE, name_of
from libs.contracts import baccarat_events as b
from libs.contracts import banked_rounds as r
from libs.contracts import no_draw_poker_events as n
from libs.contracts import poker_events as p
from libs.journal.log import Log
from libs.sealing.deck import ShuffledCards
from services.cli.journals import Book, walk


@dataclass(slots=True)
class Hand:
    """One hand or round with its deck, or a shoe with all its coups, opened. Printing it shows no card."""

    table: str
    number: int
    """Of the hand, the round or the shoe."""
    deck: ShuffledCards = field(repr=False)
    hole: dict[int, list[int]] = field(default_factory=dict)
    """Seat to the deck positions it was dealt; the dealer of no-draw poker has seat 0."""
    public: set[int] = field(default_factory=set)
    """Positions of the cards that everybody has seen by now."""
    folded: set[int] = field(default_factory=set)

    def card(self, position: int) -> str:
        return name_of(self.deck.cards[position])

    @property
    def public_cards(self) -> set[str]:
        return {self.card(position) for position in self.public}

    @property
    def of_shoe(self) -> bool:
        """Every card is there several times: a card's name alone says nothing."""
        return len(self.deck.cards) > DECK_SIZE

    @property
    def hidden_cards(self) -> set[str]:
        return set() if self.of_shoe else {self.card(position) for position in range(DECK_SIZE)} - self.public_cards

    def hidden_holes(self) -> list[tuple[str, ...]]:
        """Hole cards that were never shown whole, in the order of the deal."""
        return [
            tuple(self.card(position) for position in positions)
            for positions in self.hole.values()
            if not self.public.issuperset(positions)
        ]


async def hands_of(
    log: Log, book: Book, prefix: str = "", lost: set[tuple[str, int]] | None = None
) -> AsyncIterator[Hand]:
    """Every hand, round and shoe of the table journal, each once, when it is over or the journal ends; `lost` gets
    those whose cards do not open."""
    running: dict[str, Hand] = {}
    async for met in walk(log, (book,), prefix):
        for told in met.told:
            stream, fact = told.event.stream, told.fact
            if getattr(fact, "deck_root", ""):
                if stream in running:
                    yield running.pop(stream)  # a shoe is over when the next one begins
                if told.deck is not None:
                    running[stream] = Hand(stream, number_of(fact), told.deck)
                elif lost is not None:
                    lost.add((stream, number_of(fact)))
            if stream in running:
                note(running[stream], fact)
                if over(running[stream], fact):
                    yield running.pop(stream)
    for hand in running.values():
        yield hand


def over(hand: "Hand", fact: object) -> bool:
    """Whether it ends a hand or round with a deck of its own. A shoe outlives its coups."""
    ends = isinstance(fact, p.HandEnded | p.HandVoided | r.BankedRoundSettled | r.BankedRoundVoided)
    return ends and not hand.of_shoe


def number_of(fact: object) -> int:
    """Of the hand, round or shoe that this fact begins."""
    match fact:
        case p.HandStarted():
            return fact.hand
        case r.BankedDeckDealt():
            return fact.round
        case b.ShoeStarted():
            return fact.shoe
        case _:
            raise TypeError(f"a deck came with {type(fact).__name__}")


def note(hand: Hand, fact: object) -> None:
    """What a fact of the hand makes public."""
    match fact:
        case p.HoleCardsDealt():
            hand.hole = {deal.seat: deal.positions for deal in fact.deals}
        case n.RoundDealt():
            hand.hole = {deal.seat: deal.positions for deal in fact.deals} | {0: fact.dealer}
            hand.public.add(fact.dealer_up.position)
        case p.StreetDealt() | p.CardsShown() | r.BankedCardsShown():
            hand.public |= {card.position for card in fact.cards}
        case b.ThirdCardDealt():
            hand.public.add(fact.card.position)
        case p.PlayerFolded() | n.HandSurrendered():
            hand.folded.add(fact.seat)
        case _:
            pass
