"""What has to stay secret of one deck or shoe: the cards, their salts, and the hands that nobody was shown."""

from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from libs.cards.card import DECK_SIZE, name_of
from libs.contracts import baccarat_events as b
from libs.contracts import banked_rounds as r
from libs.contracts import no_draw_poker_events as n
from libs.contracts import poker_events as p
from libs.journal.commit import Commit, Undecodable, decode
from libs.journal.fold import AnyFold, Head, PartitionFold
from libs.journal.log import Log, LogRecord
from libs.journal.machine import AnyMachine
from libs.sealing.deck import ShuffledCards
from services.cli.journals import Book, first_since, journal_ends, records

FOR_EVER = 2**62
"""Later than any time: what runs still ends then."""


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
    began: int = 0
    """When the broker took it in and, of what is over, the end; milliseconds since the epoch."""
    ended: int = FOR_EVER

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


class Hands(Protocol):
    """By table and number."""

    def get(self, place: tuple[str, int], /) -> Hand | None: ...


class Lost(Protocol):
    """By table and number, too."""

    def add(self, place: tuple[str, int], /) -> None: ...


async def hands_of(
    log: Log, book: Book, prefix: str = "", lost: Lost | None = None, since: int = 0
) -> AsyncIterator[Hand]:
    """Every hand, round and shoe of the table journal, each once, when it is over or the journal ends; `lost` gets
    those whose cards do not open.

    `since`: only what began at that time or later (milliseconds). What came before is not read, so what it says of
    streams is believed.
    """
    ends = await journal_ends(log, (book,), prefix)
    for place in book.journal(prefix):
        running: dict[str, Hand] = {}
        fold: AnyFold = PartitionFold(place[1], book.partitions, book.machine.journal_name, None)
        async for record in records(log, *place, ends[place], await first_since(log, place, since)):
            if since:
                _believe(fold, record)
            folded = fold.fold(record)
            commit = folded.commit
            if commit is None or not folded.valid or not commit.events:
                continue
            for over_now in _noted(running, book.machine, commit, record.timestamp, lost):
                yield over_now
        for hand in running.values():
            yield hand


def _believe(fold: AnyFold, record: LogRecord) -> None:
    """The first commit of a stream that is met goes on from one that was not read."""
    if (record.key or b"").decode(errors="replace") in fold.heads:
        return
    with suppress(Undecodable):
        commit = decode(record.value or b"")
        fold.heads.setdefault(commit.stream, Head(commit.base, commit.prev, last_offset=0))


def _noted(running: dict[str, Hand], machine: AnyMachine, commit: Commit, at: int, lost: Lost | None) -> Iterator[Hand]:
    """Hands that are over by this commit."""
    stream = commit.stream
    try:
        deck = machine.unseal(stream, commit.base, commit.sealed) if commit.sealed else None
        facts = [machine.decode_event(*event) for event in commit.events]
    except Exception:  # bytes that were changed break decoding in any way: `croupier verify` tells of it
        return
    for fact in facts:
        if getattr(fact, "deck_root", ""):
            if stream in running:
                yield ended(running.pop(stream), at)  # a shoe is over when the next one begins
            if deck is not None:
                running[stream] = Hand(stream, number_of(fact), deck, began=at)
            elif lost is not None:
                lost.add((stream, number_of(fact)))
        if stream in running:
            note(running[stream], fact)
            if over(running[stream], fact):
                yield ended(running.pop(stream), at)


def ended(hand: Hand, at: int) -> Hand:
    hand.ended = at
    return hand


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
