"""Byte strings that must stand nowhere in clear, looked for as raw bytes, hex and base64, all of them in one pass.

Every form is at least eight bytes long, so its first eight bytes, read as one number, are looked up for each offset of
the text: eight passes over eight-byte words, each at the speed of a set. Of what is ASCII, as nearly all is, only those
parts go through them that are long enough and of the characters of some form.
"""

import re
import sys
from array import array
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from libs.sealing.merkle import salts_of
from services.cli.secrecy.hands import Hand

WORD = 8
FIRST = 16
"""Of all forms but of runs of a deck: so much tells that it is none of another secret."""
_CHUNK = 16
_SHORTEST = 20
"""Of a chunk in base64, wherever it starts."""
_LETTERS = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/_-"
_CARDS = bytes(range(52))
_ONLY_LETTERS = re.compile(rb"[^0-9A-Za-z+/_-]").sub(b" ", bytes(range(256)))
_ARE_CARDS = b"x" * 52 + b" " * 204
_RUN, _RUNS = b"x" * WORD, re.compile(rb"[\x00-\x33]{8,}")
_ASCII = re.compile(rb"[\x00-\x7f]{96,}")
BETWEEN = b"\x7f"
"""Stands in no form that is in ASCII."""
_BASE64URL = bytes.maketrans(b"+/", b"-_")


@dataclass(frozen=True, slots=True)
class Hit:
    """What was found and at which offset of the text; never the thing itself."""

    what: str
    offset: int


@dataclass(slots=True)
class Needles:
    """The first eight bytes of a form lead to its owner's number; the whole secret is derived again on a match."""

    hands: list[Hand] = field(default_factory=list)
    keys: dict[str, bytes] = field(default_factory=dict, repr=False)
    owners: dict[int, int] = field(default_factory=dict, repr=False)
    firsts: "array[int]" = field(default_factory=lambda: array("q"), repr=False)
    """Hashes of how each form of a new hand's secrets begins, as `beginnings` has them of a text."""
    odd: list[bytes] = field(default_factory=list, repr=False)
    """Secrets that are ASCII as they are, as one of 65,000 salts is by chance: they may stand outside all parts."""
    _longest: int = 32
    """Of the forms that are not ASCII; without longer keys that of a salt secret."""

    def add_hand(self, hand: Hand, is_new: bool = True) -> int:
        """How many words more are looked for."""
        owner, before = len(self.hands), len(self.owners)
        self.hands.append(hand)
        for _, form in forms_of_hand(hand):
            self._add(form, owner)
            if is_new:
                self.firsts.append(hash(form[:FIRST] if len(form) >= FIRST else form[:WORD]))
        return len(self.owners) - before

    def add_key(self, name: str, key: bytes) -> None:
        self.keys[name] = key
        for form in forms(key):
            self._add(form, -1)

    def _add(self, form: bytes, owner: int) -> None:
        self.owners[_word(form)] = owner
        if not form.isascii():
            self._longest = max(self._longest, len(form))
        elif (len(form) < _SHORTEST or form.translate(None, _LETTERS)) and form.translate(None, _CARDS):
            self.odd.append(form)

    def parts(self, text: bytes) -> bytes:
        """What of it `find` has to be asked for, with something between the parts."""
        return BETWEEN.join(self.each_part(text))

    def each_part(self, text: bytes) -> list[bytes]:
        if self.odd and any(form in text for form in self.odd):
            return [text]
        if text.isascii():
            return _parts(text)
        found, at = list[bytes](), 0
        for ascii_ in _ASCII.finditer(text):
            found += text[at : ascii_.start() + self._longest], *_parts(ascii_.group())
            at = max(at, ascii_.end() - self._longest)
        return [*found, text[at:]]

    def find(self, text: bytes) -> Iterator[Hit]:
        """Everything found in `text`."""
        for start in range(min(WORD, len(text))):
            view = memoryview(text)[start : start + (len(text) - start) // WORD * WORD].cast("Q")
            for word in set(filter(self.owners.__contains__, view)):
                yield from self._look_closer(text, start, word)

    def _look_closer(self, text: bytes, start: int, word: int) -> Iterator[Hit]:
        """Every place where the word stands as one of the words counted from `start`."""
        beginning = word.to_bytes(WORD, sys.byteorder)
        offset = text.find(beginning, start)
        while offset >= 0:
            if (offset - start) % WORD == 0:
                yield from self._confirm(text, offset, self.owners[word])
            offset = text.find(beginning, offset + 1)

    def _confirm(self, text: bytes, offset: int, owner: int) -> Iterator[Hit]:
        found = forms_of_hand(self.hands[owner]) if owner >= 0 else _forms_of_keys(self.keys)
        for what, form in found:
            if text.startswith(form, offset):
                yield Hit(what, offset)
                return

    def holds_deck_run(self, cards: Sequence[int]) -> Hand | None:
        """The hand in whose deck these eight cards lie one behind the other."""
        run = bytes(cards)
        owner = self.owners.get(_word(run), -1)
        return self.hands[owner] if owner >= 0 and run in self.hands[owner].deck.cards else None


def beginnings(needles: Needles, text: bytes) -> Iterator[int]:
    """Hashes of whatever in a text may be how a form of a secret begins. They tell nothing outside this process, which
    hashes with a key of its own."""
    for part in needles.each_part(text):
        for at in range(len(part) - FIRST + 1):
            yield hash(part[at : at + FIRST])
        for run in _RUNS.finditer(part):  # of which forms that are shorter are made
            for at in range(run.start(), run.end() - WORD + 1):
                yield hash(part[at : at + WORD])


def _parts(text: bytes) -> list[bytes]:
    """Of ASCII: what may be hex or base64, or a run of a deck."""
    found = [each for each in text.translate(_ONLY_LETTERS).split() if len(each) >= _SHORTEST]
    return found + _RUNS.findall(text) if _RUN in text.translate(_ARE_CARDS) else found


def forms_of_hand(hand: Hand) -> Iterator[tuple[str, bytes]]:
    """Salts of cards that were not shown, salt secret, data key, and the deck in runs of eight and of sixteen."""
    deck, name = hand.deck, f"{hand.table} hand {hand.number}"
    run, unseen = f"{name}: a run of its deck", f"{name}: the salt of a card that was not shown"
    for start in range(len(deck.cards) - WORD + 1):
        if not hand.public.issuperset(range(start, start + WORD)):
            yield run, deck.cards[start : start + WORD]
    for start in range(0, len(deck.cards) - _CHUNK + 1, _CHUNK):
        if hand.public.issuperset(range(start, start + _CHUNK)):
            continue
        for form in forms(deck.cards[start : start + _CHUNK]):
            yield run, form
    for form in forms(deck.salt_secret):
        yield f"{name}: its salt secret", form
    for form in forms(deck.data_key):
        yield f"{name}: its data key", form
    for position, salt in enumerate(salts_of(deck.salt_secret, len(deck.cards))):
        for form in forms(salt) if position not in hand.public else ():
            yield unseen, form


def forms(secret: bytes) -> Iterator[bytes]:
    """Raw, hex in both cases, base64 in both alphabets at each of the three places it can start at."""
    yield secret
    yield secret.hex().encode()
    yield secret.hex().upper().encode()
    for skipped in range(3):
        text = b64encode(bytes(skipped) + secret)
        # Only the characters that depend on nothing but the secret.
        core = text[-(-8 * skipped // 6) : 8 * (skipped + len(secret)) // 6]
        yield core
        yield core.translate(_BASE64URL)


def _forms_of_keys(keys: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    for name, key in keys.items():
        for form in forms(key):
            yield f"the {name}", form


def _word(form: bytes) -> int:
    return int.from_bytes(form[:WORD], sys.byteorder)
