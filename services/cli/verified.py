"""How far `croupier verify` has come: one file, so that the next walk goes on from there and costs a day, not all of
history.

It ends with a MAC over all of it, under a key made of the checkpoints' key: who has the disk alone makes no such file,
and an older one that is put back only makes the walk longer. Nothing of it is read before the MAC is found true. Cards
lie in it as sealed as they lie in snapshots.
"""

import hmac
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType
from typing import Any, Self

import msgspec

from libs.identity.reads import Reached as Trailed
from libs.stack_error import StackError
from services.audit.verifying.checkpoint import Checkpoint, Reached, link
from services.audit.verifying.kept import Kept, Store

FORMAT = 2
"""Of what the walk remembers: a check that is new knows nothing of what an earlier walk has passed."""
_PURPOSE = b"croupier: how far verify has come"
_MAC_BYTES = 32
_PAGE = 1 << 20


class Place(msgspec.Struct, frozen=True):
    """What was verified, and up to where."""

    format: int
    house: str
    """Id of the house, and the prefix of its topics."""
    at: int
    """When the walk began, milliseconds since the epoch."""
    checkpoint: int = 0
    """Number of the last checkpoint that was held against the journals; 0: there was none."""
    link: str = ""
    reached: Reached = ()
    published: dict[str, int] = {}
    """By topic and partition: where the public topic is read on."""
    begins: int = 0
    """At which byte of the checkpoints' file the line of `checkpoint` has begun. A hint: it is looked for where it is
    not there."""
    trails: dict[str, Trailed] = {}
    """By schema: up to where its trail of reads was walked."""


class Point:
    """A file that is gone on with, or begun. Leaving the block without `keep` leaves the file as it was."""

    def __init__(self, file: Path, secret: bytes, house: str) -> None:
        """`secret`: of the checkpoints' key. Raises StackError for a file that we have not written for this house."""
        self._file, self._house = file, house
        self._key = hmac.digest(secret, _PURPOSE, "sha256")
        # A copy is read and not the file: nobody can change it once its MAC was found true.
        self._folder = Path(mkdtemp(prefix="croupier-verify-", dir=os.environ.get("SQLITE_TMPDIR")))
        self._copy = self._folder / "point"
        try:
            if file.exists():
                if not file.is_file():
                    raise StackError(f"{file} is no regular file")
                self._take()
            self.store = Store(str(self._copy))
            self._places: Kept[str, Place] = Kept(Place, self.store, "place")
            self.place = self._places.get("place")
        except BaseException:
            self._gone()
            raise
        self.uncovered: Kept[str, str] = Kept(str, self.store, "uncovered")
        """Digests (hex) of valid commits above what the checkpoints had reached: the next one may sign them."""
        self.trails: dict[str, Trailed] = dict(self.place.trails) if self.place else {}
        """By schema: up to where its trail of reads was walked; `keep` takes what stands here."""
        if self.place and (self.place.format, self.place.house) != (FORMAT, house):
            self._gone()
            raise StackError(f"{file} is of another house or another build: verify from the start, into another file")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._gone()

    def keep(self, at: int, last: Checkpoint | None, published: dict[str, int], begins: int = 0) -> None:
        """What this walk has found true stands in the file from now on, whole or not at all. `begins`: at which byte of
        its file the last checkpoint's line does."""
        before = self.place or Place(FORMAT, self._house, at)
        reached = last.reached if last else before.reached
        covered = {(topic, partition): offset for topic, partition, offset in reached}
        for name in [name for name in self.uncovered if (at_ := place_in(name))[2] <= covered.get(at_[:2], -1)]:
            del self.uncovered[name]
        number, linked = (last.number, link(last)) if last else (before.checkpoint, before.link)
        marked = FORMAT, self._house, at, number, linked, reached, published, begins, self.trails
        self._places["place"] = Place(*marked)
        self.store.close(lasts=True)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        aside = self._file.with_name(self._file.name + ".new")
        with open(aside, "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as out:
            with self._copy.open("rb") as made:
                mac = self._passed(made.read, out.write, self._copy.stat().st_size)
            out.write(mac)
            out.flush()
            os.fsync(out.fileno())
        aside.replace(self._file)

    def _take(self) -> None:
        size = self._file.stat().st_size - _MAC_BYTES
        with self._file.open("rb") as file, self._copy.open("wb") as copy:
            mac = self._passed(file.read, copy.write, max(0, size))
            if not hmac.compare_digest(mac, file.read(_MAC_BYTES + 1)):
                raise StackError(
                    f"{self._file} is not as verify has left it: verify from the start, and ask who wrote it"
                )

    def _passed(self, read: Callable[[int], bytes], write: Callable[[bytes], Any], size: int) -> bytes:
        """Copies so many bytes, and makes their MAC."""
        mac = hmac.new(self._key, digestmod="sha256")
        while size > 0 and (page := read(min(size, _PAGE))):
            mac.update(page)
            write(page)
            size -= len(page)
        return mac.digest()

    def _gone(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def name_of(topic: str, partition: int, offset: int) -> str:
    return f"{topic}/{partition}@{offset}"


def place_in(name: str) -> tuple[str, int, int]:
    """Of a `name_of`."""
    place, _, offset = name.rpartition("@")
    topic, _, partition = place.rpartition("/")
    return topic, int(partition), int(offset)
