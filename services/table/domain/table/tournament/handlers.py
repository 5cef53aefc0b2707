"""Which command of a tournament is decided where."""

from services.table.domain.table.handlers import handlers_in
from services.table.domain.table.tournament import ending, entrants

TOURNAMENT_COMMANDS = handlers_in(ending, entrants)
"""At a table that stands already."""
