"""What a walk over all journals has to remember, on disk: in a file without a name that goes with the process.

So memory does not grow with history, and nothing is forgotten either. Ids, amounts and digests alone are kept in it,
never a card or a key.
"""

import sqlite3
from collections.abc import Iterator, MutableMapping
from typing import Any, Generic, Protocol, TypeVar

import msgspec

KeyT = TypeVar("KeyT", str, bytes)
Key_contra = TypeVar("Key_contra", contravariant=True)
ValueT = TypeVar("ValueT")
_CACHE_KB = 4_096


class Known(Protocol[Key_contra]):
    """What was met before: a set, or one that is kept on disk."""

    def __contains__(self, key: Key_contra, /) -> bool: ...
    def add(self, key: Key_contra, /) -> None: ...
    def discard(self, key: Key_contra, /) -> None: ...


class Kept(MutableMapping[KeyT, ValueT]):
    """Values by their keys, in the order of the keys. What comes out is a copy: who changes it puts it back."""

    def __init__(self, kind: Any) -> None:
        """`kind`: type of the values."""
        # Without a name SQLite makes a file of its own, once the cache is full, and unlinks it at once.
        self._at = sqlite3.connect("", isolation_level=None)
        for pragma in ("journal_mode = off", "synchronous = off", f"cache_size = -{_CACHE_KB}"):
            self._at.execute(f"pragma {pragma}")
        self._at.execute("create table kept (key primary key, value blob) without rowid")
        self._at.execute("begin")  # and no end: nothing of it is to last
        self._decode = msgspec.msgpack.Decoder(kind).decode
        self._encode = msgspec.msgpack.Encoder().encode

    def __getitem__(self, key: KeyT) -> ValueT:
        row = self._at.execute("select value from kept where key = ?", (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        value: ValueT = self._decode(row[0])
        return value

    def __setitem__(self, key: KeyT, value: ValueT) -> None:
        self._at.execute("insert or replace into kept values (?, ?)", (key, self._encode(value)))

    def __delitem__(self, key: KeyT) -> None:
        if not self._at.execute("delete from kept where key = ?", (key,)).rowcount:
            raise KeyError(key)

    def __iter__(self) -> Iterator[KeyT]:
        return (key for (key,) in self._at.execute("select key from kept order by key"))

    def __len__(self) -> int:
        count: int = self._at.execute("select count(*) from kept").fetchone()[0]
        return count

    def shrink(self) -> None:
        """For a while nothing is asked: what is held in memory to be at hand goes."""
        self._at.execute("pragma shrink_memory")

    def close(self) -> None:
        self._at.close()


class KeptSet(Generic[KeyT]):
    """Keys alone."""

    def __init__(self) -> None:
        self._kept: Kept[KeyT, None] = Kept(None)

    def __contains__(self, key: KeyT) -> bool:
        return key in self._kept

    def add(self, key: KeyT) -> None:
        self._kept[key] = None

    def discard(self, key: KeyT) -> None:
        self._kept.pop(key, None)

    def shrink(self) -> None:
        self._kept.shrink()

    def close(self) -> None:
        self._kept.close()
