"""Chips are neither made nor lost: counted after every event that moved any, in production too."""

from services.table.domain.table.state import Table


class ChipsLost(AssertionError):
    """Our own mistake, and reason enough to stop the process."""


def conserved(state: Table) -> None:
    """ChipsLost unless what was brought and banked is in stacks, play, bank, commission, or gone home."""
    books, in_play = state.books, state.in_play
    stacks = [sitter.stack for sitter in state.seats.values()]
    if min(stacks, default=0) < 0 or in_play < 0 or state.bank < 0:
        raise ChipsLost(f"{state.table}/{state.version}: less than nothing in a stack, in play or in the bank")
    held = sum(stacks) + in_play + state.bank
    if held + books.raked + books.left + books.owed + books.tipped != books.brought + books.banked:
        raise ChipsLost(f"{state.table}/{state.version}: chips in and out differ")
