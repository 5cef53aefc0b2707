"""Which command of the bank is decided where."""

from services.table.domain.table.bank import changes
from services.table.domain.table.handlers import handlers_in

BANK_COMMANDS = handlers_in(changes)
