"""All that was ever dealt, to be looked for window by window: what is held in memory does not grow with the house.

It lies in a file without a name, sealed under a key that this process alone has: a deck stands nowhere in clear.
"""

import os
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import msgspec

from libs.sealing.deck import Deck, Shoe, ShuffledCards
from libs.sealing.sealed import open_sealed, seal
from services.audit.verifying.kept import KeptSet, Store
from services.cli.secrecy.hands import FOR_EVER, Hand

AT_ONCE = 500
"""Hands that begin in one window. Those of the window before are looked for in it as well, 26 kB each,"""
AFTER_MS = 60_000
"""and those that ended so long before it: of a house with a thousand tables more than begin in two windows."""
_CACHE_KB = 4_096
_OPENED = 256
_MARKS = 1 << 20
_WHOLE = 52


class Window(NamedTuple):
    """Texts of these times, in milliseconds since the epoch, are searched at once: from `start`, below `until`."""

    start: int
    until: int
    hands_from: int
    """Looked for in them: all that ended at this time or later and began before `until`."""
    is_first: bool


class _Body(msgspec.Struct, frozen=True, array_like=True):
    secret: bytes
    """Cards, salt secret and data key, one behind the other."""
    hole: dict[int, list[int]]
    public: set[int]
    folded: set[int]


_decode = msgspec.msgpack.Decoder(_Body).decode
_encode = msgspec.msgpack.Encoder().encode


class NotOpened:
    """Of what was dealt, what does not open; on disk, too."""

    def __init__(self) -> None:
        self._kept: KeptSet[str] = KeptSet()
        self._count = 0

    def __contains__(self, place: object) -> bool:
        return isinstance(place, tuple) and f"{place[0]}/{place[1]}" in self._kept

    def __len__(self) -> int:
        return self._count

    def add(self, place: tuple[str, int]) -> None:
        self._count += place not in self
        self._kept.add(f"{place[0]}/{place[1]}")


class Dealt:
    """By table and number."""

    def __init__(self) -> None:
        self._key = os.urandom(32)
        self._at = Store(cache_kb=_CACHE_KB).at
        self._at.execute(
            """create table dealt (place text, number int, began int, ended int, sealed blob,
                                   primary key (place, number)) without rowid"""
        )
        for column in ("began", "ended"):
            self._at.execute(f"create index dealt_{column} on dealt ({column})")
        self._marked = bytearray(_MARKS)
        """Not 0 where a table's name falls: most words of a text are none, and are not asked for in the file."""
        self.get = lru_cache(_OPENED)(self._get)

    def __len__(self) -> int:
        count: int = self._at.execute("select count(*) from dealt").fetchone()[0]
        return count

    def add(self, hand: Hand) -> None:
        deck = hand.deck
        body = _Body(deck.cards + deck.salt_secret + deck.data_key, hand.hole, hand.public, hand.folded)
        sealed = seal(self._key, _encode(body), _bound(hand.table, hand.number))
        row = (hand.table, hand.number, hand.began, hand.ended, sealed)
        self._at.execute("insert or replace into dealt values (?, ?, ?, ?, ?)", row)
        self._marked[hash(hand.table.encode()) % _MARKS] = 1

    def windows(self, since: int = 0) -> list[Window]:
        """All times from `since` on, in order."""
        rows = self._at.execute(
            """select began from (select began, row_number() over (order by began) as n from dealt)
               where n % ? = 1 order by n""",
            (AT_ONCE,),
        )
        starts = [since, *sorted({began for (began,) in rows if began > since})]
        if len(starts) > 1 and since == 0:
            del starts[1]  # what is older than the first hand goes with it
        untils = [*starts[1:], FOR_EVER]
        before = [0, *(min(first, then - AFTER_MS) for first, then in pairwise(starts))]
        return [Window(*each, not n) for n, each in enumerate(zip(starts, untils, before, strict=False))]

    def looked_for(self, window: Window) -> Iterator[tuple[Hand, bool]]:
        """Hands and whether this is the first window that they are looked for in."""
        query = """select place, number, began, ended, sealed from dealt where began >= ?1 and began < ?2
                   union all
                   select place, number, began, ended, sealed from dealt where ended >= ?1 and began < ?1"""
        for place, number, began, ended, sealed in self._at.execute(query, (window.hands_from, window.until)):
            yield self._opened(place, number, began, ended, sealed), began >= window.start or window.is_first

    def _get(self, place: tuple[str, int]) -> Hand | None:
        query = "select began, ended, sealed from dealt where place = ? and number = ?"
        row = self._at.execute(query, place).fetchone()
        return None if row is None else self._opened(*place, *row)

    def is_table(self, name: bytes) -> bool:
        """Whether something was dealt at a table of this name."""
        if not self._marked[hash(name) % _MARKS]:
            return False
        return self._at.execute("select 1 from dealt where place = ? limit 1", (name.decode(),)).fetchone() is not None

    def _opened(self, table: str, number: int, began: int, ended: int, sealed: bytes) -> Hand:
        body = _decode(open_sealed(self._key, sealed, _bound(table, number)))
        kind: type[ShuffledCards] = Deck if len(body.secret) == _WHOLE + 64 else Shoe
        deck = kind.of(body.secret[:-64], body.secret[-64:-32], body.secret[-32:])
        return Hand(table, number, deck, body.hole, body.public, body.folded, began, ended)


def _bound(table: str, number: int) -> bytes:
    return f"{table}/{number}".encode()
