"""Which command of a tournament is decided where."""

from collections.abc import Mapping

from services.table.domain.games.game import Handler
from services.table.domain.table.commands import Command
from services.table.domain.table.tournament import commands as c
from services.table.domain.table.tournament.ending import end_tournament
from services.table.domain.table.tournament.entrants import eliminate_entrant, move_entrant, seat_entrant

TOURNAMENT_COMMANDS: Mapping[type[Command], Handler] = {
    c.SeatEntrant: seat_entrant,
    c.EliminateEntrant: eliminate_entrant,
    c.MoveEntrant: move_entrant,
    c.EndTournament: end_tournament,
}
"""At a table that stands already."""
