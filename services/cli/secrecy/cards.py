"""Cards in readable text: a hidden hand together, eight of a deck in order, one alone beside its hand's name.

Single cards stand everywhere with every right, since every hand uses the same fifty-two. So one card counts only in a
text that names its table and hand, and cards in a row only if they are a hidden hand and not what another hand showed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from libs.cards.card import parse, parse_all
from libs.contracts.registry import ALL_TABLE_EVENTS, ALL_WALLET_EVENTS
from services.cli.secrecy.hands import Hand
from services.cli.secrecy.needles import Hit, Needles

DECK_RUN = 8
_TELLING = 4
"""So many cards in a row are one hand's and no chance, wherever they stand."""
_CARD = rb"[2-9TJQKA][cdhs]"
# Not inside a longer word: hex and base64 are full of such pairs.
_ROW = re.compile(rb"(?<![0-9A-Za-z])" + _CARD + rb"(?:[^0-9A-Za-z]{0,6}" + _CARD + rb")+(?![0-9A-Za-z])")
_ONE = re.compile(_CARD)
_NUMBERS = re.compile(rb"(?<![0-9A-Za-z.])\d{1,2}(?:[,\s]{1,3}\d{1,2}){3,}(?![0-9A-Za-z.])")
# As JSON, Python and logs write it: marks and sealed bytes hold two quotes around a card by chance, now and then.
_QUOTED = re.compile(rb"(?:^|(?<=[\[({,:=\s\\]))[\"'](" + _CARD + rb")\\?[\"'](?=[\])},:;\s]|$)")
_HAND = re.compile(rb"[\"']?(?:hand|round)\\?[\"']?\s*[:=]\s*(\d{1,9})")

_UUID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""In one of 128 of version 7 the third group reads as two cards of clubs and diamonds: `7c8d`."""

_FIELDS = {name for event in (*ALL_TABLE_EVENTS, *ALL_WALLET_EVENTS) for name in event.__struct_fields__}
"""What stands as a key in every record."""


@dataclass(slots=True)
class HiddenCards:
    """All that was never shown, by its cards and by its hand."""

    needles: Needles
    hands: dict[tuple[str, int], Hand] = field(default_factory=dict)
    unseen: dict[tuple[str, int], frozenset[bytes]] = field(default_factory=dict)
    numbers: dict[tuple[str, int], list[list[int]]] = field(default_factory=dict)
    """Hidden hole cards as numbers, but for those that happen to be the positions of a deal."""
    holes: dict[frozenset[str], list[Hand]] = field(default_factory=dict)
    sizes: set[int] = field(default_factory=set)
    """Numbers of cards that a hidden hand has."""
    tables: dict[bytes, re.Pattern[bytes]] = field(default_factory=dict)
    """By id, how a text names it."""

    def add(self, hand: Hand) -> None:
        """A shoe has no hidden hand of its own, and eight of each card: its order and salts are looked for as bytes."""
        if hand.of_shoe:
            return
        self.hands[hand.table, hand.number] = hand
        self.tables.setdefault(hand.table.encode(), _naming(hand.table.encode()))
        self.unseen[hand.table, hand.number] = frozenset(card.encode() for card in hand.hidden_cards)
        as_numbers = [list(parse_all(hole)) for hole in hand.hidden_holes()]
        dealt = list(hand.hole.values())
        self.numbers[hand.table, hand.number] = [hole for hole in as_numbers if hole not in dealt]
        for hole in hand.hidden_holes():
            self.holes.setdefault(frozenset(hole), []).append(hand)
            self.sizes.add(len(set(hole)))

    def find(self, text: bytes) -> Iterator[Hit]:
        """What is found in one record, row or line."""
        text = _UUID.sub(b"." * 36, text)
        named = self._named(text)
        for row in _ROW.finditer(text):
            cards = [card.decode() for card in _ONE.findall(row.group())]
            yield from (Hit(what, row.start()) for what in self._in_a_row(cards, named))
        for row in _NUMBERS.finditer(text):
            numbers = [int(number) for number in re.findall(rb"\d+", row.group())]
            yield from (Hit(what, row.start()) for what in self._as_numbers(numbers, named))
        yield from self._alone(text, named)

    def _named(self, text: bytes) -> list[Hand]:
        """The hands that the text speaks of: a table's name and a hand's number in it."""
        numbers = {int(number) for number in _HAND.findall(text)}
        if not numbers:
            return []
        tables = [table.decode() for table, naming in self.tables.items() if table in text and naming.search(text)]
        return [self.hands[table, number] for table in tables for number in numbers if (table, number) in self.hands]

    def _in_a_row(self, cards: list[str], named: list[Hand]) -> Iterator[str]:
        for size in self.sizes:
            # Two of hold'em are some other hand's board too often to mean anything where their hand is not named.
            for start in range(len(cards) - size + 1 if named or size >= _TELLING else 0):
                together = frozenset(cards[start : start + size])
                for hand in self.holes.get(together, ()):
                    if not _shown_elsewhere(together, hand, named) if size >= _TELLING else hand in named:
                        yield f"{hand.table} hand {hand.number}: hole cards that were not shown"
        yield from self._deck_runs([parse(card) for card in cards])

    def _as_numbers(self, numbers: list[int], named: list[Hand]) -> Iterator[str]:
        if max(numbers) > 51:
            return
        yield from self._deck_runs(numbers)
        for hand in named:
            if numbers in self.numbers[hand.table, hand.number]:
                yield f"{hand.table} hand {hand.number}: hole cards that were not shown, as numbers"

    def _deck_runs(self, cards: list[int]) -> Iterator[str]:
        for order in (cards, cards[::-1]):
            for start in range(len(order) - DECK_RUN + 1):
                hand = self.needles.holds_deck_run(order[start : start + DECK_RUN])
                if hand is not None:
                    yield f"{hand.table} hand {hand.number}: a run of its deck"

    def _alone(self, text: bytes, named: list[Hand]) -> Iterator[Hit]:
        """A quoted card in a text about exactly one hand."""
        if len(named) != 1:
            return
        unseen = self.unseen[named[0].table, named[0].number]
        for card in _QUOTED.finditer(text):
            if card.group(1) in unseen:
                what = f"{named[0].table} hand {named[0].number}: a card that was not shown"
                yield Hit(what, card.start())


def _naming(table: bytes) -> re.Pattern[bytes]:
    """The id as a word of its own: a platform chooses it freely, `ft` stands in `left`, and `hand` before many a colon.

    Ids have letters, digits and `._:-`; a point or colon is within a word only where the word goes on behind it.
    """
    key = rb"(?!\\?[\"']\s*:)" if table.decode() in _FIELDS else b""
    before, after = rb"(?<![0-9A-Za-z_-])(?<![0-9A-Za-z][.:])", rb"(?![0-9A-Za-z_-])(?![.:][0-9A-Za-z])"
    return re.compile(before + re.escape(table) + after + key)


def _shown_elsewhere(together: frozenset[str], hand: Hand, named: list[Hand]) -> bool:
    """The text is about other hands only, and one of them showed these very cards."""
    return hand not in named and any(other.public_cards.issuperset(together) for other in named)
