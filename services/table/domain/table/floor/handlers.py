"""Which command of the floor is decided where."""

from services.table.domain.table.floor import chatting, conduct, draws, favours, rooms, tipping, waiting
from services.table.domain.table.handlers import handlers_in

FLOOR_COMMANDS = handlers_in(chatting, conduct, draws, favours, rooms, tipping, waiting)
