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
_CACHE_KB = 1_024
"""Of each file, of which a walk has a dozen. What is not in it the machine still has at hand."""


class Known(Protocol[Key_contra]):
    """What was met before: a set, or one that is kept on disk."""

    def __contains__(self, key: Key_contra, /) -> bool: ...
    def add(self, key: Key_contra, /) -> None: ...


class Store:
    """A file of any number of `Kept`."""

    def __init__(self, path: str = "", cache_kb: int = _CACHE_KB) -> None:
        # Without a name SQLite makes a file of its own, once the cache is full, and unlinks it at once.
        self.at = sqlite3.connect(path, isolation_level=None)
        for pragma in ("journal_mode = off", "synchronous = off", f"cache_size = -{cache_kb}"):
            self.at.execute(f"pragma {pragma}")
        self.at.execute("begin")  # and no end, unless `close` is told: nothing of it is to last

    def close(self, lasts: bool = False) -> None:
        if lasts:
            self.at.execute("commit")
        self.at.close()


class Kept(MutableMapping[KeyT, ValueT]):
    """Values by their keys, in the order of the keys. What comes out is a copy: who changes it puts it back."""

    def __init__(self, kind: Any, store: Store | None = None, name: str = "kept") -> None:
        """`kind`: type of the values. `store`: where they lie under `name`; without it in a file of their own."""
        self._own = Store() if store is None else None
        self._at = (store or self._own or Store()).at
        self._name = '"' + name.replace('"', '""') + '"'
        self._at.execute(f"create table if not exists {self._name} (key primary key, value blob) without rowid")
        self._decode = msgspec.msgpack.Decoder(kind).decode
        self._encode = msgspec.msgpack.Encoder().encode

    def __getitem__(self, key: KeyT) -> ValueT:
        row = self._at.execute(f"select value from {self._name} where key = ?", (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        value: ValueT = self._decode(row[0])
        return value

    def __setitem__(self, key: KeyT, value: ValueT) -> None:
        self._at.execute(f"insert or replace into {self._name} values (?, ?)", (key, self._encode(value)))

    def __delitem__(self, key: KeyT) -> None:
        if not self._at.execute(f"delete from {self._name} where key = ?", (key,)).rowcount:
            raise KeyError(key)

    def __iter__(self) -> Iterator[KeyT]:
        return (key for (key,) in self._at.execute(f"select key from {self._name} order by key"))

    def __len__(self) -> int:
        count: int = self._at.execute(f"select count(*) from {self._name}").fetchone()[0]
        return count

    def clear(self) -> None:
        self._at.execute(f"delete from {self._name}")

    def close(self) -> None:
        if self._own is not None:
            self._own.close()


class KeptSet(Generic[KeyT]):
    """Keys alone."""

    def __init__(self, store: Store | None = None, name: str = "kept") -> None:
        self._kept: Kept[KeyT, None] = Kept(None, store, name)

    def __contains__(self, key: KeyT) -> bool:
        return key in self._kept

    def add(self, key: KeyT) -> None:
        self._kept[key] = None

    def discard(self, key: KeyT) -> None:
        self._kept.pop(key, None)

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        self._kept.clear()

    def close(self) -> None:
        self._kept.close()
