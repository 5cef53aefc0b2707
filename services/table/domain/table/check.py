"""Chips are neither made nor lost: checked after every event, in production too."""

from services.table.domain.table.state import Table


class ChipsLost(AssertionError):
    """Our own mistake, and reason enough to stop the process."""


def conserved(state: Table) -> Table:
    """The same state, when what was brought is in stacks, pot, commission, or gone home."""
    books = state.books
    stacks = 0
    for sitter in state.seats.values():
        if sitter.stack < 0:
            raise ChipsLost(f"{state.table}/{state.version}: a stack below zero on seat {sitter.seat}")
        stacks += sitter.stack
    pot = state.hand.pot if state.hand is not None else 0
    if pot < 0 or stacks + pot + books.raked + books.left + books.owed != books.brought:
        raise ChipsLost(f"{state.table}/{state.version}: chips in and out differ")
    return state
