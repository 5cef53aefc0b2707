"""Cards in readable text: a hidden hand together, eight of a deck in order, one alone beside its hand's name.

Single cards stand everywhere with every right, since every hand uses the same fifty-two. So one card counts only in a
text that names its table and hand, and cards in a row only if they are a hidden hand and not what another hand showed.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from libs.cards.card import parse, parse_all
from libs.contracts.registry import ALL_TABLE_EVENTS, ALL_WALLET_EVENTS
from services.cli.secrecy.hands import Hand, Hands
from services.cli.secrecy.needles import Hit, Needles, forms_of_hand

DECK_RUN = 8
_TELLING = 4
"""So many cards in a row are one hand's and no chance, wherever they stand."""
_CARD = rb"[2-9TJQKA][cdhs]"
# Each pattern begins with what it looks for, and what must stand before that is asked behind it: so the search passes
# over all other bytes at once.
# Not inside a longer word: hex and base64 are full of such pairs.
_ROW = re.compile(_CARD + rb"(?<![0-9A-Za-z]" + _CARD + rb")(?:[^0-9A-Za-z]{0,6}" + _CARD + rb")+(?![0-9A-Za-z])")
_ONE = re.compile(_CARD)
_NUMBERS = re.compile(rb"\d(?<![0-9A-Za-z.]\d)\d?(?:[,\s]{1,3}\d{1,2}){3,}(?![0-9A-Za-z.])")
# As JSON, Python and logs write it: marks and sealed bytes hold two quotes around a card by chance, now and then.
_QUOTED = re.compile(
    rb"[\"'](" + _CARD + rb")(?:(?<=[\[({,:=\s\\][\"']" + _CARD + rb")|(?<![\x00-\xff][\"']" + _CARD + rb"))"
    rb"\\?[\"'](?=[\])},:;\s]|$)"
)
_HAND = re.compile(rb"(?:hand|round)\\?[\"']?\s*[:=]\s*(\d{1,9})")

_UUID = re.compile(rb"-(?<=[0-9a-f]{8}-)[0-9a-f]{4}(?:-[0-9a-f]{4}){2}-[0-9a-f]{12}")
"""But for its first eight digits. In one of 128 of version 7 the third group reads as two cards of clubs and diamonds:
`7c8d`."""
_HEAD = 8

_MARKS = b"._:~-"
_RUNS = re.compile(rb"[^0-9A-Za-z._:~-]").sub(b" ", bytes(range(256)))
"""Leaves of a text what an id may be in, or part of: each begins with a letter or a digit."""
_LONGEST_RUN = 4_096
_WORDS = 50_000

_FIELDS = {name for event in (*ALL_TABLE_EVENTS, *ALL_WALLET_EVENTS) for name in event.__struct_fields__}
"""What stands as a key in every record."""


Place = tuple[str, int]
"""Table and number of a hand."""


@dataclass(slots=True)
class HiddenCards:
    """What was never shown of the hands that are looked for everywhere, by its cards; of all others in texts that name
    them."""

    needles: Needles
    older: Hands = field(default_factory=dict[Place, Hand])
    """Those that are not looked for everywhere, and maybe others."""
    has_older: Callable[[bytes], bool] = lambda table: False
    """Whether there are any of this table."""
    hands: dict[Place, Hand] = field(default_factory=dict)
    unseen: dict[Place, frozenset[bytes]] = field(default_factory=dict)
    numbers: dict[Place, list[list[int]]] = field(default_factory=dict)
    """Hidden hole cards as numbers, but for those that happen to be the positions of a deal."""
    holes: dict[frozenset[str], list[Hand]] = field(default_factory=dict)
    sizes: set[int] = field(default_factory=set)
    """Numbers of cards that a hidden hand has."""
    tables: set[bytes] = field(default_factory=set)
    _no_tables: set[bytes] = field(default_factory=set)
    """Words that name none; most come again and again."""

    def add(self, hand: Hand) -> None:
        """A shoe has no hidden hand of its own, and eight of each card: its order and salts are looked for as bytes."""
        if hand.of_shoe:
            return
        self.hands[hand.table, hand.number] = hand
        self.tables.add(hand.table.encode())
        self.unseen[hand.table, hand.number] = _unseen(hand)
        self.numbers[hand.table, hand.number] = _as_numbers(hand)
        for hole in hand.hidden_holes():
            self.holes.setdefault(frozenset(hole), []).append(hand)
            self.sizes.add(len(set(hole)))

    def find(self, text: bytes) -> Iterator[Hit]:
        """What is found in one record, row or line."""
        text = _without_uuids(text)
        named = self._named(text)
        for row in _ROW.finditer(text):
            cards = [card.decode() for card in _ONE.findall(row.group())]
            yield from (Hit(what, row.start()) for what in self._in_a_row(cards, named))
        for row in _NUMBERS.finditer(text):
            numbers = [int(number) for number in re.findall(rb"\d+", row.group())]
            yield from (Hit(what, row.start()) for what in self._as_numbers(numbers, named))
        yield from self._alone(text, named)
        for hand in named:
            if (hand.table, hand.number) not in self.hands:
                yield from _bytes_of(hand, text)

    def _named(self, text: bytes) -> list[Hand]:
        """The hands that the text speaks of: a table's name and a hand's number in it."""
        numbers = {int(number) for number in _HAND.findall(text)}
        if not numbers:
            return []
        words = set(text.translate(_RUNS).split()) - self._no_tables
        tables = {name for word in words for name in self._tables_in(word)}
        places = ((name, number) for name in tables if _naming(name).search(text) for number in numbers)
        found = (self.hands.get(place) or self.older.get(place) for place in places)
        return [hand for hand in found if hand is not None and not hand.of_shoe]

    def _tables_in(self, run: bytes) -> list[str]:
        run, whole = run.lstrip(_MARKS), run
        is_one = b"~" not in run and run[-1:] not in (b".", b":")  # nearly all
        found = [each for each in ((run,) if is_one else _ids(run)) if each in self.tables or self.has_older(each)]
        if not found:
            if len(self._no_tables) >= _WORDS:
                self._no_tables.clear()
            self._no_tables.add(whole)
        return [each.decode() for each in found]

    def _in_a_row(self, cards: list[str], named: list[Hand]) -> Iterator[str]:
        older = [hand for hand in named if (hand.table, hand.number) not in self.hands]
        for hand in older:
            for hole in map(frozenset, hand.hidden_holes()):
                if any(frozenset(cards[at : at + len(hole)]) == hole for at in range(len(cards) - len(hole) + 1)):
                    yield f"{hand.table} hand {hand.number}: hole cards that were not shown"
        for size in self.sizes:
            # Two of hold'em are some other hand's board too often to mean anything where their hand is not named.
            for start in range(len(cards) - size + 1 if named or size >= _TELLING else 0):
                together = frozenset(cards[start : start + size])
                for hand in self.holes.get(together, ()):
                    if not _shown_elsewhere(together, hand, named) if size >= _TELLING else hand in named:
                        yield f"{hand.table} hand {hand.number}: hole cards that were not shown"
        yield from self._deck_runs([parse(card) for card in cards], named)

    def _as_numbers(self, numbers: list[int], named: list[Hand]) -> Iterator[str]:
        if max(numbers) > 51:
            return
        yield from self._deck_runs(numbers, named)
        for hand in named:
            known = self.numbers.get((hand.table, hand.number))
            if numbers in (_as_numbers(hand) if known is None else known):
                yield f"{hand.table} hand {hand.number}: hole cards that were not shown, as numbers"

    def _deck_runs(self, cards: list[int], named: list[Hand]) -> Iterator[str]:
        for order in (cards, cards[::-1]):
            for start in range(len(order) - DECK_RUN + 1):
                run = order[start : start + DECK_RUN]
                hand = self.needles.holds_deck_run(run)
                hand = hand or next((each for each in named if bytes(run) in each.deck.cards), None)
                if hand is not None:
                    yield f"{hand.table} hand {hand.number}: a run of its deck"

    def _alone(self, text: bytes, named: list[Hand]) -> Iterator[Hit]:
        """A quoted card in a text about exactly one hand."""
        if len(named) != 1:
            return
        unseen = self.unseen.get((named[0].table, named[0].number)) or _unseen(named[0])
        for card in _QUOTED.finditer(text):
            if card.group(1) in unseen:
                what = f"{named[0].table} hand {named[0].number}: a card that was not shown"
                yield Hit(what, card.start())


def may_be_told_by_cards_alone(text: bytes) -> bool:
    """Whether a hand that the text does not name may be found in it by its cards. Those that it names are found
    whenever they were dealt (`HiddenCards.older`)."""
    text = _without_uuids(text)
    if any(len(_ONE.findall(row.group())) >= min(_TELLING, DECK_RUN) for row in _ROW.finditer(text)):
        return True
    return any(len(re.findall(rb"\d+", row.group())) >= DECK_RUN for row in _NUMBERS.finditer(text))


def _unseen(hand: Hand) -> frozenset[bytes]:
    return frozenset(card.encode() for card in hand.hidden_cards)


def _as_numbers(hand: Hand) -> list[list[int]]:
    dealt = list(hand.hole.values())
    return [hole for hole in (list(parse_all(hole)) for hole in hand.hidden_holes()) if hole not in dealt]


def _bytes_of(hand: Hand, text: bytes) -> Iterator[Hit]:
    """One hand's secrets in one text, as `Needles` looks for those of many in much."""
    for what, form in forms_of_hand(hand):
        if (at := text.find(form)) >= 0:
            yield Hit(what, at)


def _without_uuids(text: bytes) -> bytes:
    """Dots in their place."""
    kept, at, start = list[bytes](), 0, 0
    while found := _UUID.search(text, start):
        begins, start = found.start() - _HEAD, found.start() + 1
        if begins >= at:  # else its first digits are the end of the one before
            kept += text[at:begins], b"." * (found.end() - begins)
            at = start = found.end()
    return b"".join((*kept, text[at:])) if kept else text


def _ids(run: bytes) -> Iterator[bytes]:
    """Everything in it that may be an id; a point or colon may belong to it or not, and a platform's mark."""
    parts = run.split(b"~") if len(run) <= _LONGEST_RUN else []
    for first in range(len(parts)):
        for last in range(first + 1, min(first + 4, len(parts)) + 1):
            each = b"~".join(parts[first:last]).lstrip(b"._:~-")
            yield each
            while each[-1:] in (b".", b":"):
                each = each[:-1]
                yield each


@lru_cache(256)
def _naming(name: str) -> re.Pattern[bytes]:
    """The id as a word of its own: a platform chooses it freely, `ft` stands in `left`, and `hand` before many a colon.

    Ids have letters, digits and `._:-`; a point or colon is within a word only where the word goes on behind it.
    """
    table = name.encode()
    key = rb"(?!\\?[\"']\s*:)" if name in _FIELDS else b""
    before, after = rb"(?<![0-9A-Za-z_-])(?<![0-9A-Za-z][.:])", rb"(?![0-9A-Za-z_-])(?![.:][0-9A-Za-z])"
    return re.compile(before + re.escape(table) + after + key)


def _shown_elsewhere(together: frozenset[str], hand: Hand, named: list[Hand]) -> bool:
    """The text is about other hands only, and one of them showed these very cards."""
    return hand not in named and any(other.public_cards.issuperset(together) for other in named)
