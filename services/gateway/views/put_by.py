"""Tournaments that are over for a while, on disk and undecoded: nobody pays for them before somebody asks.

A file without a name that goes with the process (as `libs/journal/shelf.py`), filled from the kept views at each start.
"""

import sqlite3
import weakref
from typing import Any

import msgspec

from libs.views.tournament import Status, TournamentView

OVER: frozenset[Status] = frozenset({"declined", "completed", "cancelled"})
_CACHE_KB = 2_048
_RULES = (
    "rulebook", "currency", "starts_at", "registration_opens_at", "min_players", "max_players", "guarantee",
)  # fmt: skip


class KeptTournament(msgspec.Struct, frozen=True, array_like=True):
    """A view as it is kept. Of one that is over, all that a list asks stands beside it: it need not be decoded."""

    tournament: str
    version: int
    lists: tuple[str, ...]
    """In which it stands, see `lists_of`."""
    row: bytes
    """JSON; empty as long as it is not over, and of one whose rules are of a later build."""
    view: memoryview
    """Of what it was read from, not copied: a start takes thousands."""


_KEPT = msgspec.msgpack.Decoder(KeptTournament)
_VIEW = msgspec.msgpack.Decoder(TournamentView)


def kept_of(view: TournamentView) -> KeptTournament:
    over = view.status in OVER and view.definition is not None
    row = msgspec.json.encode(tournament_row(view)) if over else b""
    lists, whole = tuple(lists_of(view)) if over else (), memoryview(msgspec.msgpack.encode(view))
    return KeptTournament(view.tournament, view.version, lists, row, whole)


def kept_in(state: bytes) -> KeptTournament:
    """ValueError for what is none."""
    return _KEPT.decode(state)


def view_in(kept: KeptTournament) -> TournamentView:
    """ValueError for what is none."""
    return _VIEW.decode(kept.view)


def tournament_row(view: TournamentView) -> dict[str, Any]:
    """One tournament in a list; amounts in minor units of `currency`."""
    return {
        "tournament": view.tournament,
        "name": view.name,
        "status": view.status,
        **{name: getattr(view.rules, name) for name in _RULES},
        "buy_in": msgspec.to_builtins(view.rules.buy_in),
        "entries": view.entered,
        "pool": view.pool,
    }


def lists_of(view: TournamentView) -> set[str]:
    """Its status, and `player/` and player of each whose money or ticket is or was in it. What has no rules, for its
    first event is of a later build, is in no list of a status."""
    players = {f"player/{player}" for held in view.by_player for player in held}
    return players | {view.status} if view.definition is not None else players


class PutBy:
    """By name: version, and a `KeptTournament`."""

    def __init__(self) -> None:
        # Without a name SQLite makes a file of its own, once the cache is full, and unlinks it at once.
        self._at = sqlite3.connect("", isolation_level=None)
        weakref.finalize(self, self._at.close)
        for statement in (
            "pragma journal_mode = off",
            "pragma synchronous = off",
            f"pragma cache_size = -{_CACHE_KB}",
            "create table put_by (tournament text primary key, version int, line blob, state blob)",
            "create table listed (list text, tournament text, primary key (list, tournament)) without rowid",
            "begin",  # and no end: nothing of it is to last
        ):
            self._at.execute(statement)

    def put(self, kept: KeptTournament, state: bytes) -> None:
        """`state`: what `kept` was decoded from."""
        row = (kept.tournament, kept.version, kept.row, state)
        self._at.execute("insert or replace into put_by values (?, ?, ?, ?)", row)
        lists = ((each, kept.tournament) for each in kept.lists)
        self._at.executemany("insert or ignore into listed values (?, ?)", lists)

    def get(self, tournament: str) -> tuple[int, bytes] | None:
        """Version and state."""
        found: tuple[int, bytes] | None = self._at.execute(
            "select version, state from put_by where tournament = ?", (tournament,)
        ).fetchone()
        return found

    def version(self, tournament: str) -> int:
        """0: it is not here."""
        found = self._at.execute("select version from put_by where tournament = ?", (tournament,)).fetchone()
        return found[0] if found is not None else 0

    def row(self, tournament: str) -> bytes:
        """KeyError: it is not here."""
        found = self._at.execute("select line from put_by where tournament = ?", (tournament,)).fetchone()
        if found is None:
            raise KeyError(tournament)
        row: bytes = found[0]
        return row

    def drop(self, tournament: str) -> None:
        if (found := self.get(tournament)) is None:
            return
        self._at.execute("delete from put_by where tournament = ?", (tournament,))
        lists = ((each, tournament) for each in kept_in(found[1]).lists)
        self._at.executemany("delete from listed where list = ? and tournament = ?", lists)

    def names(self, of: str, after: str, limit: int) -> list[str]:
        """Those in that list, by name."""
        found = self._at.execute(
            "select tournament from listed where list = ? and tournament > ? order by tournament limit ?",
            (of, after, limit),
        )
        return [tournament for (tournament,) in found]
