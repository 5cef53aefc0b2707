"""What a search goes through: the sums of all days at all tables, by pair or player, in files without a name.

Of one file at a time all that belongs together is in memory, so that it is bounded however many play. The files go with
`close`, which ends whoever goes through them.

A month may stand behind another one, of days before: then it goes through its own pairs and players with all that is
theirs in both, and what is of nobody in it is passed over undecoded.
"""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import IO, Any, Generic, NamedTuple, TypeVar

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

    def __init__(self, kind: type[EntryT], before: "Spooled[EntryT] | None" = None) -> None:
        """`before`: things that come first, which `close` leaves open."""
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        self._decode = msgspec.msgpack.Decoder(kind).decode
        self._before = before

    def add(self, entry: EntryT) -> None:
        raw = _encode(entry)
        self._file.write(len(raw).to_bytes(_LENGTH, "big") + raw)

    def __iter__(self) -> Iterator[EntryT]:
        """ValueError once it is closed."""
        if self._before is not None:
            yield from self._before
        self._file.seek(0)
        while head := self._file.read(_LENGTH):
            yield self._decode(self._file.read(int.from_bytes(head, "big")))

    def close(self) -> None:
        self._file.close()


class Grouped(Generic[EntryT]):
    """Things by a pair or a player: gone through one of these after the other, with all that is theirs."""

    def __init__(
        self, kind: type[EntryT], files: int = 1, before: "Grouped[EntryT] | None" = None, whole: bool = True
    ) -> None:
        """`before`: what came earlier, which `close` leaves open. Without `whole` only that is gone through of it that
        is of somebody here."""
        self._files: list[Spooled[tuple[bytes, bytes]]] = [
            Spooled[tuple[bytes, bytes]](tuple[bytes, bytes]) for _ in range(len(before._files) if before else files)
        ]
        self._decode = msgspec.msgpack.Decoder(kind).decode
        self._before, self._whole = before, whole

    def add(self, key: tuple[str, ...], entry: EntryT) -> None:
        raw = _encode(key)
        self._files[hash(raw) % len(self._files)].add((raw, _encode(entry)))

    def __iter__(self) -> Iterator[tuple[tuple[str, ...], list[EntryT]]]:
        """Those of a file in the order of their names. ValueError once it is closed."""
        for number in range(len(self._files)):
            together = self._together(number, self._whole)
            for names, raw in sorted((_key(key), key) for key in together):
                yield names, [self._decode(entry) for entry in together.pop(raw)]

    def those(self, wanted: Callable[[tuple[str, ...]], bool]) -> Iterator[tuple[tuple[str, ...], list[EntryT]]]:
        """Of everybody who is wanted, here or before. ValueError once it is closed."""
        for number in range(len(self._files)):
            for raw, entries in self._together(number, whole=True).items():
                if wanted(names := _key(raw)):
                    yield names, [self._decode(entry) for entry in entries]

    def besides(self, other: "Grouped[Any]") -> Iterator[EntryT]:
        """What is of nobody in the other one, which has as many files. ValueError once it is closed."""
        for file, theirs in zip(self._files, other._files, strict=True):
            there = {key for key, _ in theirs}
            yield from (self._decode(entry) for key, entry in file if key not in there)

    def _together(self, number: int, whole: bool) -> dict[bytes, list[bytes]]:
        """By whose it is."""
        together: dict[bytes, list[bytes]] = {}
        for key, entry in self._files[number]:
            together.setdefault(key, []).append(entry)
        if self._before is not None:
            for key, entry in self._before._files[number]:
                if whole or key in together:
                    together.setdefault(key, []).append(entry)
        return together

    def close(self) -> None:
        with ExitStack() as closing:
            for file in self._files:
                closing.callback(file.close)


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

    def __init__(
        self, tables: int = 1, before: "Month | None" = None, since: int | None = None, whole: bool = True
    ) -> None:
        """`tables`: about so many will come. `before`: the days before `since`, which `close` leaves open, and which
        must not change meanwhile; without `whole` it counts only for whom there is something here. Of what is held in
        memory it counts from `take_over` on."""
        files = before.files if before else min(_FILES, 1 + tables // _TABLES)
        self.since, self.whole = since, whole
        self.files: int = files
        self.went: Grouped[WentThere] = Grouped(WentThere, files, before.went if before else None, whole)
        self.quiet: Grouped[QuietThere] = Grouped(QuietThere, files, before.quiet if before else None, whole)
        self.pots: Grouped[int] = Grouped(int, files, before.pots if before else None, whole)
        """Large ones, of each pair; of each player:"""
        self.pots_of = Counter[str]()
        self.decided: Grouped[DecidedThere] = Grouped(DecidedThere, files, before.decided if before else None, whole)
        self.dumps: list[tuple[int, Dump]] = []
        self.folds: list[tuple[int, Fold]] = []
        """And on which day. Both are rare, and held in memory."""
        self.short: dict[tuple[str, Stake], int] = {}
        """As `Stacks.short`."""
        self.known: set[tuple[str, Stake]] = set()
        """Of which tables and stakes it is known whether stacks are short."""
        self.players: dict[Of, set[str]] = {"hands": set(), "tournament": set(), "rounds": set()}
        self.together: dict[Of, Spooled[Together]] = {
            of: Spooled(Together, before.together[of] if before else None) for of in self.players
        }

    def take_over(self, before: "Month") -> None:
        """What is held in memory of the month before; what is known here of a table's stacks stands."""
        self.pots_of.update(before.pots_of)
        self.dumps += before.dumps
        self.folds += before.folds
        for of, players in before.players.items():
            self.players[of] |= players
        self.short |= {where: stack for where, stack in before.short.items() if where not in self.known}
        self.known |= before.known

    def judge_stacks_as(self, other: "Month") -> None:
        """By what is known there of them."""
        self.short, self.known = {**other.short}, {*other.known}

    def add(self, table: str, days: Sequence[tuple[int, Sums]]) -> None:
        """All of a table, in order; of each table once. The days before `since` say only what one sits down with; where
        it is not a whole month, what the month before said of that stands."""
        stacks = Stacks()
        for day, sums in days:
            for stake, brought in sums.stacks.items():
                stacks.note(table, stake, brought.items())
            if self.since is None or day >= self.since:
                self._add(table, day, sums)
        short = stacks.short()
        for where in stacks.known():
            if self.whole or where not in self.known:
                self.short.pop(where, None)
                self.short |= {where: short[where]} if where in short else {}
                self.known.add(where)

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
        return Grouped(kind, self.files)

    def close(self) -> None:
        """ValueError for whoever goes on."""
        with ExitStack() as closing:
            for close in (self.went.close, self.quiet.close, self.pots.close, self.decided.close):
                closing.callback(close)
            for together in self.together.values():
                closing.callback(together.close)


def in_order(entries: Iterable[EntryT]) -> list[EntryT]:
    """Of one pair, or one player, by day and table. A day at one table comes before the same day at another, also where
    they played at both at the same time."""
    return sorted(entries, key=lambda each: each[:2])  # type: ignore[index]
