"""Where a player has money or chips in play: whom the house blocks meanwhile plays that to its end, and nothing more.

One of the staff blocks. Were it to end a running hand or a running tournament for the player, one person would decide
who wins them; to put somebody out of a tournament is an exclusion, which holds up the prizes until another one confirms
it.
"""

import time
from dataclasses import dataclass, field

from libs.views.table import TableView
from services.gateway.app.floor import Floor
from services.gateway.app.tournaments import Tournaments

_KNOWN_S = 0.25
"""So long an answer is good: all open tables are looked at for it."""
_MOST_TOURNAMENTS = 1_000
_MOST_KNOWN = 1_000


@dataclass(slots=True)
class InPlay:
    """As this gateway's views have it: with floors, of its own tables and of all tournaments."""

    floor: Floor
    tournaments: Tournaments
    _known: dict[str, tuple[float, frozenset[str], bool]] = field(default_factory=dict, repr=False)

    def is_in(self, player: str) -> bool:
        """At a table, or in a tournament, which may be moving the player from one table to the next."""
        return self._look(player)[2]

    def at(self, player: str) -> frozenset[str]:
        """The tables where it is."""
        return self._look(player)[1]

    def _look(self, player: str) -> tuple[float, frozenset[str], bool]:
        now = time.monotonic()
        known = self._known.get(player)
        if known is None or now - known[0] >= _KNOWN_S:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            known = self._known[player] = (now, *self._found(player))
        return known

    def _found(self, player: str) -> tuple[frozenset[str], bool]:
        running = set[str]()
        for name in self.tournaments.names("", _MOST_TOURNAMENTS, f"player/{player}"):
            view = self.tournaments.view(name)
            entry = view.entries.get(player) if view is not None and view.status == "running" else None
            if view is not None and entry is not None and entry.entry in view.play.seats:
                running.add(name)
        held, at = self.floor.tables.held, set[str]()
        for table in self.floor.tables.listed:
            view_of = held[table].view
            there = view_of.tournament in running if view_of.tournament else _is_in_round(view_of, player)
            if there and view_of.seat_of(player) is not None:
                at.add(table)
        return frozenset(at), bool(at or running)


def _is_in_round(view: TableView, player: str) -> bool:
    if view.hand is not None and not view.hand.over:
        return any(seat.player == player and not seat.folded for seat in view.hand.seats)
    return view.staked_by(player) > 0
