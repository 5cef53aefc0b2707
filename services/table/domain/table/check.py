"""Chips are neither made nor lost: checked after every event, in production too."""

from services.table.domain.table.state import Table


class ChipsLost(AssertionError):
    """Our own mistake, and reason enough to stop the process."""


def conserved(state: Table) -> Table:
    """The same state, when what was brought and banked is in stacks, play, bank, commission, or gone home."""
    books = state.books
    stacks = 0
    for sitter in state.seats.values():
        if sitter.stack < 0:
            raise ChipsLost(f"{state.table}/{state.version}: a stack below zero on seat {sitter.seat}")
        stacks += sitter.stack
    in_play = state.in_play
    if in_play < 0 or state.bank < 0:
        raise ChipsLost(f"{state.table}/{state.version}: less than nothing in play or in the bank")
    if (
        stacks + in_play + state.bank + books.raked + books.left + books.owed + books.tipped
        != books.brought + books.banked
    ):
        raise ChipsLost(f"{state.table}/{state.version}: chips in and out differ")
    return state
