"""Tournaments that are over for a while, undecoded, with what a list shows of them beside it."""

from typing import Any

import msgspec

from libs.views.tournament import Status, TournamentView
from services.gateway.views.undecoded import Undecoded

OVER: frozenset[Status] = frozenset({"declined", "completed", "cancelled"})
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
    at: int = 0
    """When the last event was (ms, UTC) of one that is over; 0: it is not, or an earlier build has written it."""


_KEPT = msgspec.msgpack.Decoder(KeptTournament)
_VIEW = msgspec.msgpack.Decoder(TournamentView)


def kept_of(view: TournamentView, at: int = 0) -> KeptTournament:
    """`at`: of its last event (ms, UTC), if it is over."""
    over = view.status in OVER and view.definition is not None
    row = msgspec.json.encode(tournament_row(view)) if over else b""
    lists, whole = tuple(lists_of(view)) if over else (), memoryview(msgspec.msgpack.encode(view))
    return KeptTournament(view.tournament, view.version, lists, row, whole, at)


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


class PutBy(Undecoded):
    """By name: version, and a `KeptTournament`; its row is the line."""

    def __init__(self) -> None:
        super().__init__()
        self._at.execute("create table listed (list text, name text, primary key (list, name)) without rowid")

    def put_kept(self, kept: KeptTournament, state: bytes) -> None:
        """`state`: what `kept` was decoded from."""
        self.put(kept.tournament, kept.version, state, kept.row, kept.at)
        lists = ((each, kept.tournament) for each in kept.lists)
        self._at.executemany("insert or ignore into listed values (?, ?)", lists)

    def drop(self, name: str) -> None:
        if (found := self.get(name)) is None:
            return
        super().drop(name)
        lists = ((each, name) for each in kept_in(found[1]).lists)
        self._at.executemany("delete from listed where list = ? and name = ?", lists)

    def names(self, of: str, after: str, limit: int) -> list[str]:
        """Those in that list, by name."""
        found = self._at.execute(
            "select name from listed where list = ? and name > ? order by name limit ?", (of, after, limit)
        )
        return [name for (name,) in found]
