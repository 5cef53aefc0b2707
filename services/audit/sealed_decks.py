"""Opens every sealed deck and shoe as it is journalled and holds it against the root that was published (RNG-12).

The auditor reads what is private to the table service: the events that carry cards, each in the one format it knows.
"""

from collections.abc import Callable, Iterator

import msgspec

from libs.journal.commit import Commit
from libs.sealing.deck import Deck, Shoe, ShuffledCards
from libs.sealing.merkle import DeckTree
from libs.sealing.sealed import CannotOpen, Keyring, associated_data, open_sealed
from services.audit.verifying.findings import Finding, Kind

_SEALED: dict[str, type[ShuffledCards]] = {"HandStarted.1": Deck, "RoundDealt.1": Deck, "ShoeStarted.1": Shoe}
"""Formats of the events that carry cards, and what is in them."""
_NAMES = tuple(name.removesuffix("1") for name in _SEALED)
Inspect = Callable[[Commit], Iterator[Finding]]


class _Started(msgspec.Struct):
    deck_root: str
    hand: int | None = None
    round: int | None = None
    shoe: int | None = None

    @property
    def what(self) -> str:
        numbers = {"hand": self.hand, "round": self.round, "shoe": self.shoe}
        return next((f"{name} {number}" for name, number in numbers.items() if number is not None), "a deal")


class _SealedDeck(msgspec.Struct):
    kek: str
    key: bytes
    box: bytes


class _Record(msgspec.Struct):
    event: _Started
    deck: _SealedDeck


_RECORD = msgspec.msgpack.Decoder(_Record)


class SealedDecks:
    """Inspects valid commits of table journals. No deck outlives the call."""

    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring
        self.opened = 0

    def inspect(self, commit: Commit) -> Iterator[Finding]:
        for version, (name, payload) in enumerate(commit.events, start=commit.base + 1):
            if name.startswith(_NAMES):
                yield from self._deal(commit.stream, version, name, payload)

    def _deal(self, stream: str, version: int, name: str, payload: bytes) -> Iterator[Finding]:
        kind = _SEALED.get(name)
        if kind is None:
            yield Finding(Kind.DECK_UNREADABLE, stream, f"a deck in the format {name}, not known here", version)
            return
        try:
            record = _RECORD.decode(payload)
            deck = self._open(kind, record.deck, associated_data(stream, version, "deck"))
        except (CannotOpen, msgspec.MsgspecError, ValueError) as wrong:
            yield Finding(Kind.DECK_UNREADABLE, stream, f"a deck does not open: {type(wrong).__name__}", version)
            return
        self.opened += 1
        if DeckTree(deck.cards, deck.salt_secret).root.hex() != record.event.deck_root:
            detail = f"{record.event.what}: the sealed deck does not lead to the root that was published"
            yield Finding(Kind.DECK_ROOT, stream, detail, version)

    def _open(self, kind: type[ShuffledCards], sealed: _SealedDeck, bound_to: bytes) -> ShuffledCards:
        data_key = self._keyring.unwrap(sealed.kek, sealed.key, bound_to)
        return kind.from_material(open_sealed(data_key, sealed.box, bound_to), data_key)
