"""Opens every sealed deck and shoe as it is journalled and holds it against the root that was published (RNG-12).

The auditor reads what is private to the table service: what lies sealed beside a commit's events. Whether a deck opened
is remembered until the next one is dealt: a round that is void because its cards can't be opened had none that open.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator

import msgspec

from libs.contracts.table_events import CARDS_LOST
from libs.journal.commit import Commit
from libs.sealing.merkle import DeckTree
from libs.sealing.sealed import CannotOpen, Wrapping, associated_data, open_deck
from services.audit.verifying.findings import Finding, Kind

Inspect = Callable[[Commit], Iterator[Finding]]


class _Started(msgspec.Struct):
    """What an event says of the cards that start with it, whichever game it is of."""

    deck_root: str = ""
    deck_leaves: int | None = None
    hand: int | None = None
    round: int | None = None
    shoe: int | None = None

    @property
    def what(self) -> str:
        numbers = {"hand": self.hand, "round": self.round, "shoe": self.shoe}
        return next((f"{name} {number}" for name, number in numbers.items() if number is not None), "a deal")


_STARTED = msgspec.json.Decoder(_Started)


class _Void(msgspec.Struct):
    """Of an event that says it was for lost cards."""

    cause: str = ""


_VOID = msgspec.json.Decoder(_Void)
_SAID = msgspec.json.encode(CARDS_LOST)
_STREAMS = 100_000
"""Whose last deal is remembered, 200 B each; of others a void for lost cards is believed."""


class SealedDecks:
    """Inspects valid commits of table journals, those of a stream in their order. No deck outlives the call."""

    def __init__(self, keyring: Wrapping) -> None:
        self._keyring = keyring
        self._opened: OrderedDict[str, str] = OrderedDict()
        """Stream to its last deal, if that opened."""
        self.opened = 0

    def inspect(self, commit: Commit) -> Iterator[Finding]:
        """One root was published for what is sealed, and it leads there; nothing is dealt without, and no
        cards are said to be lost that open."""
        yield from self._lost(commit)
        started = [
            (version, event)
            for version, (_, payload) in enumerate(commit.events, start=commit.base + 1)
            if b'"deck_root"' in payload and (event := _STARTED.decode(payload)).deck_root
        ]
        if len(started) != bool(commit.sealed):
            said = f"{len(started)} roots published, {int(bool(commit.sealed))} decks sealed"
            yield Finding(Kind.DECK_UNREADABLE, commit.stream, said, commit.version)
            return
        for version, event in started:
            yield from self._deal(commit, version, event)

    def _lost(self, commit: Commit) -> Iterator[Finding]:
        for version, (_, payload) in enumerate(commit.events, start=commit.base + 1):
            if _SAID in payload and _VOID.decode(payload).cause == CARDS_LOST and commit.stream in self._opened:
                what = self._opened[commit.stream]
                detail = f"{what} is void for cards that can't be opened any more, and here they were opened"
                yield Finding(Kind.DECK_UNREADABLE, commit.stream, detail, version)

    def _deal(self, commit: Commit, version: int, started: _Started) -> Iterator[Finding]:
        self._opened.pop(commit.stream, None)
        try:
            deck = open_deck(self._keyring, commit.sealed, associated_data(commit.stream, commit.base, "deck"))
            root = DeckTree(deck.cards, deck.salt_secret, started.deck_leaves).root.hex()
        except (CannotOpen, msgspec.MsgspecError, ValueError) as wrong:
            why = wrong if isinstance(wrong, CannotOpen) else type(wrong).__name__
            said = f"a deck does not open: {why}"
            yield Finding(Kind.DECK_UNREADABLE, commit.stream, said, version)
            return
        self.opened += 1
        self._opened[commit.stream] = started.what
        if len(self._opened) > _STREAMS:
            self._opened.popitem(last=False)
        if root != started.deck_root:
            detail = f"{started.what}: the sealed deck does not lead to the root that was published"
            yield Finding(Kind.DECK_ROOT, commit.stream, detail, version)
