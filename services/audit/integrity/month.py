"""What a search goes through: the sums of all days at all tables, by pair or player, in files without a name.

Of one file at a time all that belongs together is in memory, so that it is bounded however many play. The files go with
`close`, which ends whoever goes through them.
"""

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Generic, NamedTuple, TypeVar

import msgspec

from services.audit.integrity.cases import HandId
from services.audit.integrity.dumps import Dump
from services.audit.integrity.evenness import Even
from services.audit.integrity.folds import Fold
from services.audit.integrity.stakes import Stacks, Stake
from services.audit.integrity.sums import Of, Quiet, Sums, Went, numbers_of

_LENGTH = 4
_FILES = 32
"""At the most, of each thing that is asked for by pair or player."""
_TABLES = 16
"""So many tables to a file: a few ten thousand entries."""
_encode = msgspec.msgpack.Encoder().encode
_key = msgspec.msgpack.Decoder(tuple[str, ...]).decode
EntryT = TypeVar("EntryT")


class Spooled(Generic[EntryT]):
    """Things in a file, to be gone through in the order in which they came, one iteration at a time."""

    def __init__(self, kind: type[EntryT]) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        self._decode = msgspec.msgpack.Decoder(kind).decode

    def add(self, entry: EntryT) -> None:
        raw = _encode(entry)
        self._file.write(len(raw).to_bytes(_LENGTH, "big") + raw)

    def __iter__(self) -> Iterator[EntryT]:
        """ValueError once it is closed."""
        self._file.seek(0)
        while head := self._file.read(_LENGTH):
            yield self._decode(self._file.read(int.from_bytes(head, "big")))

    def close(self) -> None:
        self._file.close()


class Grouped(Generic[EntryT]):
    """Things by a pair or a player: gone through one of these after the other, with all that is theirs."""

    def __init__(self, kind: type[EntryT], files: int = 1) -> None:
        self._files = [Spooled[tuple[bytes, bytes]](tuple[bytes, bytes]) for _ in range(files)]
        self._decode = msgspec.msgpack.Decoder(kind).decode

    def add(self, key: tuple[str, ...], entry: EntryT) -> None:
        raw = _encode(key)
        self._files[hash(raw) % len(self._files)].add((raw, _encode(entry)))

    def __iter__(self) -> Iterator[tuple[tuple[str, ...], list[EntryT]]]:
        """Those of a file in the order of their names. ValueError once it is closed."""
        for file in self._files:
            together: dict[bytes, list[bytes]] = {}
            for key, entry in file:
                together.setdefault(key, []).append(entry)
            for names, raw in sorted((_key(key), key) for key in together):
                yield names, [self._decode(entry) for entry in together.pop(raw)]

    def close(self) -> None:
        for file in self._files:
            file.close()


class WentThere(NamedTuple):
    """What went between two on a day at a table, at one stake."""

    day: int
    table: str
    currency: str
    big_blind: int
    went: Went

    @property
    def stake(self) -> Stake:
        return self.currency, self.big_blind

    def hands(self, from_first: bool) -> Iterator[tuple[int, str, int]]:
        """Day, table and number of those in which the first of the two, or the second, lost."""
        return ((self.day, self.table, number) for number in numbers_of(self.went.hands[from_first]))


class QuietThere(NamedTuple):
    day: int
    table: str
    quiet: Quiet


class DecidedThere(NamedTuple):
    day: int
    table: str
    even: Even


class Together(NamedTuple):
    """Who was in a hand with whom. Players by name and number; hands by the numbers of who was in them."""

    day: int
    table: str
    players: dict[str, int]
    hands: dict[tuple[int, ...], bytes]

    def of_two(self, first: str, second: str) -> list[tuple[int, HandId]]:
        """Day, and hand, of those in which both were."""
        both = {self.players[first], self.players[second]}
        raw = b"".join(numbers for there, numbers in self.hands.items() if both.issubset(there))
        return [(self.day, (self.table, number)) for number in sorted(numbers_of(raw))]


class Month:
    """All that a search goes through. Hands of tournaments, and rounds against the house, are of interest for who was
    in them alone."""

    def __init__(self, tables: int = 1) -> None:
        """`tables`: about so many will come."""
        files = min(_FILES, 1 + tables // _TABLES)
        self.went = Grouped[WentThere](WentThere, files)
        self.quiet = Grouped[QuietThere](QuietThere, files)
        self.pots = Grouped[int](int, files)
        """Large ones, of each pair; of each player:"""
        self.pots_of = Counter[str]()
        self.decided = Grouped[DecidedThere](DecidedThere, files)
        self.dumps: list[tuple[int, Dump]] = []
        self.folds: list[tuple[int, Fold]] = []
        """And on which day. Both are rare, and held in memory."""
        self.short: dict[tuple[str, Stake], int] = {}
        """As `Stacks.short`."""
        self.players: dict[Of, set[str]] = {"hands": set(), "tournament": set(), "rounds": set()}
        self.together: dict[Of, Spooled[Together]] = {of: Spooled(Together) for of in self.players}
        self._files = files

    def add(self, table: str, days: Sequence[tuple[int, Sums]]) -> None:
        """All of a table, in order; of each table once."""
        stacks = Stacks()
        for day, sums in days:
            for stake, brought in sums.stacks.items():
                stacks.note(table, stake, brought.items())
            self._add(table, day, sums)
        self.short.update(stacks.short())

    def _add(self, table: str, day: int, sums: Sums) -> None:
        names = list(sums.players)
        self.players[sums.of].update(names)
        self.together[sums.of].add(Together(day, table, sums.players, sums.together))
        for (first, second, currency, big_blind), went in sums.went.items():
            self.went.add((names[first], names[second]), WentThere(day, table, currency, big_blind, went))
        for (first, second), quiet in sums.quiet.items():
            self.quiet.add((names[first], names[second]), QuietThere(day, table, quiet))
        for (first, second), pots in sums.pots.items():
            self.pots.add((names[first], names[second]), pots)
        for player, pots in sums.pots_of.items():
            self.pots_of[names[player]] += pots
        for player, even in sums.decided.items():
            self.decided.add((names[player],), DecidedThere(day, table, even))
        self.dumps.extend((day, dump) for dump in sums.dumps)
        self.folds.extend((day, fold) for fold in sums.folds)

    def grouped(self, kind: type[EntryT]) -> Grouped[EntryT]:
        """Room for something else that is as much."""
        return Grouped(kind, self._files)

    def close(self) -> None:
        """ValueError for whoever goes on."""
        for grouped in (self.went, self.quiet, self.pots, self.decided):
            grouped.close()
        for together in self.together.values():
            together.close()


def in_order(entries: Iterable[EntryT]) -> list[EntryT]:
    """Of one pair, or one player, by day and table. A day at one table comes before the same day at another, also where
    they played at both at the same time."""
    return sorted(entries, key=lambda each: each[:2])  # type: ignore[index]
