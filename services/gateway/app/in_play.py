"""Where a player has money or chips in play: whom the house blocks meanwhile plays that to its end, and nothing more.

One of the staff blocks. Were it to end a running hand or a running tournament for the player, one person would decide
who wins them; to put somebody out of a tournament is an exclusion, which holds up the prizes until another one confirms
it. Likewise a session that one of the staff ends plays a running hand or round on, also one of a tournament. The
tournament itself it does not: the player comes in anew, and whoever had stolen the session would go on for hours.
"""

import time
from dataclasses import dataclass, field

from libs.contracts import tournaments_commands as tournament
from libs.contracts.baccarat_commands import WithdrawStake
from libs.contracts.commands import Command
from libs.contracts.live_commands import StatePresence
from libs.contracts.no_draw_poker_commands import DecideHand, WithdrawAnte
from libs.contracts.poker_commands import Act, ChooseVariant, OpenDispute
from libs.contracts.table_commands import LeaveTable, SitIn
from libs.views.table import TableView
from services.gateway.app.commands import Order
from services.gateway.app.floor import Floor
from services.gateway.app.tournaments import Tournaments

_KNOWN_S = 0.25
"""So long an answer is good: all open tables are looked at for it."""
_MOST_TOURNAMENTS = 1_000
_MOST_KNOWN = 1_000
Commands = tuple[type[Command], ...]
OF_A_ROUND: Commands = (
    Act, ChooseVariant, DecideHand, WithdrawStake, WithdrawAnte, StatePresence, OpenDispute, LeaveTable,
)  # fmt: skip
"""What goes on with a hand or round that runs, and brings nothing new into play."""
OF_A_TOURNAMENT: Commands = (
    *OF_A_ROUND, SitIn, tournament.RequestRebuy, tournament.RequestAddOn, tournament.DeclineRebuy,
    tournament.ChooseLanguage, tournament.OpenComplaint,
)  # fmt: skip
"""And with a tournament, by its own rules: who may buy no more chips loses it as well."""


@dataclass(slots=True)
class InPlay:
    """As this gateway's views have it: with floors, of its own tables and of all tournaments."""

    floor: Floor
    tournaments: Tournaments
    _known: dict[tuple[str, int, bool], tuple[float, dict[str, Commands]]] = field(default_factory=dict, repr=False)

    def is_in(self, player: str, since: int) -> bool:
        """Whether something of the player's that was in play at `since` (ms) still is: at a table, or in a tournament,
        which may be moving the player from one table to the next."""
        return bool(self._look(player, since))

    def rounds(self, player: str, since: int) -> tuple[str, ...]:
        """Tables at which the player is in a hand or round that ran at `since` (ms) and still does."""
        return tuple(self._look(player, since, rounds_alone=True))

    def goes_on(self, player: str, since: int, order: Order, rounds_alone: bool = False) -> bool:
        """Whether the order's command goes on with that."""
        return isinstance(order.command, self._look(player, since, rounds_alone).get(order.stream, ()))

    def _look(self, player: str, since: int, rounds_alone: bool = False) -> dict[str, Commands]:
        """Streams, and the commands that go on with what is in play there."""
        now, what = time.monotonic(), (player, since, rounds_alone)
        known = self._known.get(what)
        if known is None or now - known[0] >= _KNOWN_S:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            found = self._rounds(player, since) if rounds_alone else self._found(player, since)
            known = self._known[what] = now, found
        return known[1]

    def _rounds(self, player: str, since: int) -> dict[str, Commands]:
        held = self.floor.tables.held
        return {
            table: OF_A_ROUND for table in self.floor.tables.listed if _is_in_round(held[table].view, player, since)
        }

    def _found(self, player: str, since: int) -> dict[str, Commands]:
        found = dict[str, Commands]()
        for name in self.tournaments.names("", _MOST_TOURNAMENTS, f"player/{player}"):
            view = self.tournaments.view(name)
            entry = view.entries.get(player) if view is not None and view.status == "running" else None
            if view is not None and entry is not None and entry.entry in {*view.play.seats, *view.play.offers}:
                found[name] = OF_A_TOURNAMENT
        held = self.floor.tables.held
        for table in self.floor.tables.listed:
            of = held[table].view
            if of.tournament:
                if of.tournament in found and of.seat_of(player) is not None:
                    found[table] = OF_A_TOURNAMENT
            elif _is_in_round(of, player, since):
                found[table] = OF_A_ROUND
        return found


def _is_in_round(view: TableView, player: str, since: int) -> bool:
    """In one that ran then: a block keeps from the next."""
    if view.hand is not None and not view.hand.over:
        dealt_in = any(seat.player == player and not seat.folded for seat in view.hand.seats)
        return dealt_in and view.hand.started_at <= since
    return view.round is not None and view.round.started <= since and view.staked_by(player) > 0
