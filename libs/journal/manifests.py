"""The manifest over snapshots (journal 16): a head, and beside it as many pieces as the streams need.

A set is a head with its pieces, of one run of one owner, and nobody else writes to it. What changed since the last
piece stands in the head. A set of which a piece is missing is not there at all (journal 17).
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping

import msgspec

from libs.contracts.reading import read
from libs.journal.log import LogRecord, OutRecord
from libs.journal.out_line import OutLine
from libs.journal.seals import UNSEALED, Sealing
from libs.journal.shelf import Shelf

FORMAT = b"\x01"
HEAD_KEY = b"manifest"
"""Of a whole manifest in one record, as houses wrote it until 24 November 2026; `manifest/<set>` of every other."""
PIECE_KEY = b"piece/"


class Manifest(msgspec.Struct, frozen=True, array_like=True):
    """Everything below `low` is published and in snapshots; `last`, and that of the pieces, names every stream of them
    with a commit that its snapshot covers."""

    journal_name: str
    low: int
    last: dict[str, int]
    folded: int
    """Offset of the last record folded, with its digest: compared on restore (journal 21). -1: none."""
    digest: bytes
    of: str = ""
    """Name of the set."""
    pieces: int = 0
    """So many belong to it, numbered from 0."""
    decided_source: str = ""
    decided: int = -1
    """The highest command of that source which commits up to `folded` name (journal 12), and its effective time. Not
    known of manifests from before 27 November 2026."""
    decided_time: int = 0


class Piece(msgspec.Struct, frozen=True, array_like=True):
    journal_name: str
    of: str
    number: int
    last: dict[str, int]


def head_record(topic: str, partition: int, head: Manifest) -> OutRecord:
    return OutRecord(topic, _head_key(head.of), FORMAT + msgspec.msgpack.encode(head), (), partition)


def piece_record(topic: str, partition: int, piece: Piece) -> OutRecord:
    key = _piece_key(piece.of, piece.number)
    return OutRecord(topic, key, FORMAT + msgspec.msgpack.encode(piece), (), partition)


def _head_key(of: str) -> bytes:
    return HEAD_KEY + b"/" + of.encode() if of else HEAD_KEY


def _piece_key(of: str, number: int) -> bytes:
    return PIECE_KEY + f"{of}/{number}".encode()


def is_of_a_set(key: bytes) -> bool:
    """Whether it is the key of a head or a piece."""
    return key.split(b"/")[0] == HEAD_KEY or key.startswith(PIECE_KEY)


class Sets:
    """What of manifests lies in a snapshots topic."""

    def __init__(self, journal_name: str, is_checked: Callable[[str, int], bool] = lambda of, number: False) -> None:
        """`is_checked`: what the shelf knows of a set's piece; such a one need not be decoded."""
        self._journal_name = journal_name
        self._is_checked = is_checked
        self.heads: dict[str, Manifest] = {}
        """By set: the one with the highest mark."""
        self._pieces: dict[tuple[str, int], bytes] = {}
        self.keys: set[bytes] = set()
        """Of every record that is a head or a piece."""

    def take(self, record: LogRecord) -> bool:
        """Whether the record is a head or a piece. Raises `msgspec.MsgspecError` for a head that can't be decoded: it
        is as if it were not there, and goes with the sets of others."""
        key, value = record.key or b"", record.value
        if not is_of_a_set(key):
            return False
        is_head = not key.startswith(PIECE_KEY)
        if not value:
            self.keys.discard(key)
            if is_head:
                self.heads.pop(key[len(HEAD_KEY) + 1 :].decode(errors="replace"), None)
            else:
                self._pieces.pop(self._number_in(key), None)
            return True
        if value[:1] != FORMAT:
            return True
        self.keys.add(key)
        if not is_head:
            self._pieces[self._number_in(key)] = value
            return True
        head = read(_HEAD, memoryview(value)[1:])
        known = self.heads.get(head.of)
        if head.journal_name == self._journal_name and (known is None or head.low >= known.low):
            self.heads[head.of] = head
        return True

    @staticmethod
    def _number_in(key: bytes) -> tuple[str, int]:
        of, _, number = key[len(PIECE_KEY) :].decode(errors="replace").rpartition("/")
        return of, int(number) if number.isdecimal() else -1

    def whole(self) -> list[Manifest]:
        """Heads of which every piece is there. Each of them is true, whatever the others say."""
        return [
            head for head in self.heads.values() if all(self._stands(head.of, number) for number in range(head.pieces))
        ]

    def _stands(self, of: str, number: int) -> bool:
        if (of, number) in self._pieces and self._is_checked(of, number):
            return True
        return self._piece(of, number) is not None

    def best(self) -> Manifest | None:
        """The one with the highest mark."""
        return max(self.whole(), key=lambda head: head.low, default=None)

    def marks(self, head: Manifest) -> "Marks":
        """What the head says (None) and its pieces do by number, those that are checked left out; a stream may be in
        several."""
        yield None, head.last
        for number in range(head.pieces):
            if self._is_checked(head.of, number):
                continue
            piece = self._piece(head.of, number)
            assert piece is not None, "only of a set that is whole"
            yield number, piece.last

    def _piece(self, of: str, number: int) -> Piece | None:
        raw = self._pieces.get((of, number))
        if raw is None:
            return None
        try:
            piece = read(_PIECE, memoryview(raw)[1:])
        except msgspec.MsgspecError:
            return None
        return piece if (piece.journal_name, piece.of, piece.number) == (self._journal_name, of, number) else None


_PIECE = msgspec.msgpack.Decoder(Piece)
_HEAD = msgspec.msgpack.Decoder(Manifest)


Marks = Iterable[tuple[int | None, Mapping[str, int]]]
"""Number of a piece, or None for the head, and what it says."""


async def start_of(manifest: Manifest | None, marks: Marks, shelf: Shelf) -> int:
    """Where folding starts so that no commit is missed (journal 17). Pieces that hold are checked on the shelf."""
    if manifest is None:
        return 0
    start = manifest.low
    for number, some in marks:
        holds = True
        for stream, last in some.items():
            place = shelf.place(stream)
            if place is None:
                return 0
            if place[1] < last:
                start, holds = min(start, place[0]), False
        if number is not None and holds:
            shelf.check(manifest.of, number)
        await asyncio.sleep(0)
    return start


class ManifestWriter:
    """Of one run of an owner. Every set that was there before goes once the first of its own stands."""

    def __init__(
        self,
        line: OutLine,
        topic: str,
        partition: int,
        run: str,
        size: int,
        before: Iterable[bytes],
        seals: Sealing = UNSEALED,
    ) -> None:
        """`run` differs from that of every other run that ever was; `size`: streams a piece, and in a head; `before`:
        keys of what others have written."""
        self._size = size
        self._sealed = seals.sealed
        self._line = line
        self._topic = topic
        self._partition = partition
        self._run = run
        self._gone = set(before)
        self._since: dict[str, int] = {}
        """What no piece says yet."""
        self._sets = 0
        self._pieces = 0
        self._said = 0
        """Streams that the pieces name, each as often as it is named."""

    async def write(self, head: Manifest, shelf: Shelf) -> None:
        """`head` as of the round's first moment, `last` being the round's; its snapshots are acknowledged and lie on
        the shelf. The head goes after its pieces, and what it takes the place of after the head."""
        self._since |= head.last
        if not self._sets or self._said + len(self._since) > 2 * len(shelf) + self._size:
            await self._begin(head.journal_name, shelf)
        elif len(self._since) > self._size:
            await self._put_piece(head.journal_name, self._since, shelf)
            self._since = {}
        of = self._name
        whole = msgspec.structs.replace(head, last=self._since, of=of, pieces=self._pieces)
        self._line.put(self._sealed(head_record(self._topic, self._partition, whole)))
        await self._line.flushed()
        own = {_head_key(of), *(_piece_key(of, number) for number in range(self._pieces))}
        # Heads first: a set without its head is not looked for.
        for key in sorted(self._gone - own):
            self._line.put(OutRecord(self._topic, key, None, (), self._partition))
        self._gone = own
        shelf.settle()

    @property
    def _name(self) -> str:
        return f"{self._run}.{self._sets}"

    async def _begin(self, journal_name: str, shelf: Shelf) -> None:
        """A new set, of all that the shelf holds: in one head if that will do."""
        self._sets += 1
        self._pieces = self._said = 0
        self._since = {}
        async for some in _paused(shelf.marks(self._size)):
            if len(shelf) <= self._size:
                self._since = some
            else:
                await self._put_piece(journal_name, some, shelf)

    async def _put_piece(self, journal_name: str, last: dict[str, int], shelf: Shelf) -> None:
        """`last` is what the shelf holds, or less."""
        piece = Piece(journal_name, self._name, self._pieces, last)
        self._line.put(self._sealed(piece_record(self._topic, self._partition, piece)))
        self._pieces += 1
        self._said += len(last)
        shelf.check(piece.of, piece.number)
        await self._line.flushed()


async def _paused(some: Iterable[dict[str, int]]) -> AsyncIterator[dict[str, int]]:
    for each in some:
        yield each
        await asyncio.sleep(0)
