"""Which command of a live table is decided where."""

from services.table.domain.games.live_poker import dealing, deciding, delivering, incidents, preparing, scanning
from services.table.domain.table.handlers import handlers_in

LIVE_COMMANDS = handlers_in(dealing, deciding, delivering, incidents, preparing, scanning)
