"""What is over, on disk and undecoded: nobody pays for it before somebody asks.

A file without a name that goes with the process (as `libs/journal/shelf.py`), filled from the kept views at each start.
"""

import sqlite3
import weakref

_CACHE_KB = 2_048


class Undecoded:
    """By name: a version, a state, a line that is read without it, and when its last event was (ms, UTC; 0: nobody
    says)."""

    def __init__(self) -> None:
        # Without a name SQLite makes a file of its own, once the cache is full, and unlinks it at once.
        self._at = sqlite3.connect("", isolation_level=None)
        weakref.finalize(self, self._at.close)
        for statement in (
            "pragma journal_mode = off",
            "pragma synchronous = off",
            f"pragma cache_size = -{_CACHE_KB}",
            "create table over (name text primary key, version int, line blob, state blob, at int)",
            "create index by_age on over (at) where at > 0",
            "begin",  # and no end: nothing of it is to last
        ):
            self._at.execute(statement)

    def put(self, name: str, version: int, state: bytes, line: bytes = b"", at: int = 0) -> None:
        self._at.execute("insert or replace into over values (?, ?, ?, ?, ?)", (name, version, line, state, at))

    def get(self, name: str) -> tuple[int, bytes] | None:
        """Version and state."""
        found: tuple[int, bytes] | None = self._at.execute(
            "select version, state from over where name = ?", (name,)
        ).fetchone()
        return found

    def version(self, name: str) -> int:
        """0: it is not here."""
        found = self._at.execute("select version from over where name = ?", (name,)).fetchone()
        return found[0] if found is not None else 0

    def line(self, name: str) -> bytes:
        """KeyError: it is not here."""
        found = self._at.execute("select line from over where name = ?", (name,)).fetchone()
        if found is None:
            raise KeyError(name)
        line: bytes = found[0]
        return line

    def until(self, at: int) -> list[str]:
        """Those whose last event was at that time (ms) or before, the oldest first."""
        found = self._at.execute("select name from over where at > 0 and at <= ? order by at", (at,))
        return [name for (name,) in found]

    def drop(self, name: str) -> None:
        self._at.execute("delete from over where name = ?", (name,))
