"""What another one of the staff says to a bank change that waits."""

from libs.contracts.bank_commands import ApproveBankChange
from services.table.domain.table.state import Table


def approval_of(state: Table, change: str) -> ApproveBankChange:
    """Of the change as it stands there; of one that does not wait, of something."""
    waits = state.office.pending.get(change)
    if waits is None:
        return ApproveBankChange(change=change, direction="top_up", amount=1)
    return ApproveBankChange(change=change, direction=waits.direction, amount=waits.amount)
