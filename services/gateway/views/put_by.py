"""Tournaments that are over for a while, on disk and undecoded: nobody pays for them before somebody asks.

A file without a name that goes with the process (as `libs/journal/shelf.py`), filled from the kept views at each start.
"""

import sqlite3
import weakref
from collections.abc import Iterable, Mapping
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
    status: Status
    row: bytes
    """JSON; empty as long as it is not over, and of one whose rules are of a later build."""
    players: tuple[str, ...]
    """Who took part or tried to, likewise."""
    view: memoryview
    """Of what it was read from, not copied: a start takes thousands."""


_KEPT = msgspec.msgpack.Decoder(KeptTournament)
_VIEW = msgspec.msgpack.Decoder(TournamentView)


def kept_of(view: TournamentView) -> KeptTournament:
    over = view.status in OVER and view.definition is not None
    row = msgspec.json.encode(tournament_row(view)) if over else b""
    players = tuple(players_in(view)) if over else ()
    return KeptTournament(
        view.tournament, view.version, view.status, row, players, memoryview(msgspec.msgpack.encode(view))
    )  # fmt: skip


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


def _parts(view: TournamentView) -> tuple[Mapping[str, Any], ...]:
    return view.lines, view.entries, view.paying, view.failed


def players_in(view: TournamentView) -> set[str]:
    """Who took part, asks to, or failed to."""
    return {player for part in _parts(view) for player in part}


def is_in(view: TournamentView, player: str) -> bool:
    return any(player in part for part in _parts(view))


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
            "create table put_by (tournament text primary key, version int, status text, line blob, state blob)",
            "create index listed on put_by (status, tournament)",
            "create table takes_part (player text, tournament text, primary key (player, tournament)) without rowid",
            "begin",  # and no end: nothing of it is to last
        ):
            self._at.execute(statement)

    def put(self, kept: KeptTournament, state: bytes) -> None:
        """`state`: what `kept` was decoded from."""
        row = (kept.tournament, kept.version, kept.status, kept.row, state)
        self._at.execute("insert or replace into put_by values (?, ?, ?, ?, ?)", row)
        pairs = ((player, kept.tournament) for player in kept.players)
        self._at.executemany("insert or ignore into takes_part values (?, ?)", pairs)

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

    def drop(self, tournament: str, players: Iterable[str]) -> None:
        self._at.execute("delete from put_by where tournament = ?", (tournament,))
        pairs = ((player, tournament) for player in players)
        self._at.executemany("delete from takes_part where player = ? and tournament = ?", pairs)

    def listed(self, status: Status, after: str, limit: int) -> list[tuple[str, bytes]]:
        """Names and rows, by name."""
        return self._at.execute(
            "select tournament, line from put_by where status = ? and tournament > ? order by tournament limit ?",
            (status, after, limit),
        ).fetchall()

    def own(self, player: str, after: str, limit: int) -> list[str]:
        """Those that the player took part in, or tried to, by name."""
        found = self._at.execute(
            "select tournament from takes_part where player = ? and tournament > ? order by tournament limit ?",
            (player, after, limit),
        )
        return [tournament for (tournament,) in found]
