"""Chips are neither made nor lost: checked after every event, in production too."""

from services.table.domain.table.state import Table


class ChipsLost(AssertionError):
    """Our own mistake, and reason enough to stop the process."""


def conserved(state: Table, before: Table) -> None:
    """ChipsLost unless what was brought and banked is in stacks, play, bank, commission, or gone home.

    Counted anew whenever one of them changed; states are never changed in place, so the same seats hold the same chips.
    """
    books, in_play = state.books, state.in_play
    if (
        state.seats is before.seats
        and in_play == before.in_play
        and books is before.books
        and state.bank == before.bank
    ):
        return
    stacks = [sitter.stack for sitter in state.seats.values()]
    if min(stacks, default=0) < 0 or in_play < 0 or state.bank < 0:
        raise ChipsLost(f"{state.table}/{state.version}: less than nothing in a stack, in play or in the bank")
    held = sum(stacks) + in_play + state.bank
    if held + books.raked + books.left + books.owed + books.tipped != books.brought + books.banked:
        raise ChipsLost(f"{state.table}/{state.version}: chips in and out differ")
