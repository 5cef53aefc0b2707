"""Which command of the bank is decided where."""

from collections.abc import Mapping

from services.table.domain.games.game import Handler
from services.table.domain.table.bank.changes import approve_bank_change, decline_bank_change, request_bank_change
from services.table.domain.table.bank.commands import ApproveBankChange, DeclineBankChange, RequestBankChange
from services.table.domain.table.commands import Command

BANK_COMMANDS: Mapping[type[Command], Handler] = {
    RequestBankChange: request_bank_change,
    ApproveBankChange: approve_bank_change,
    DeclineBankChange: decline_bank_change,
}
