"""Chips of entrants at a tournament table: they come and go with their entrant, and are counted like all others."""

from collections.abc import Iterator

from libs.contracts import tournament_events as e
from libs.contracts.facts import Fact
from services.audit.verifying.findings import Kind
from services.audit.verifying.table_chips import Chips, Complaint, Step


def _seated(chips: Chips, fact: e.EntrantSeated) -> Iterator[Complaint]:
    if fact.seat in chips.seated or fact.reservation in chips.stacks:
        yield Kind.CHIPS, f"seat {fact.seat} was taken already"
    chips.seated[fact.seat] = fact.reservation
    chips.stacks[fact.reservation] = fact.chips
    chips.brought += fact.chips


def _eliminated(chips: Chips, fact: e.EntrantEliminated) -> Iterator[Complaint]:
    return _gone(chips, fact, 0)


def _with_chips(chips: Chips, fact: e.EntrantMoved | e.EntrantFinished) -> Iterator[Complaint]:
    return _gone(chips, fact, fact.chips)


def _gone(chips: Chips, fact: e.EntrantEvent, amount: int) -> Iterator[Complaint]:
    stack = chips.stacks.pop(fact.reservation, None)
    chips.taken += amount
    if chips.seated.pop(fact.seat, None) != fact.reservation or stack != amount:
        yield Kind.CHIPS, f"seat {fact.seat} is left with {amount}, its stack was {stack}"


TOURNAMENT_STEPS: dict[type[Fact], Step] = {
    e.EntrantSeated: _seated,
    e.EntrantEliminated: _eliminated,
    e.EntrantMoved: _with_chips,
    e.EntrantFinished: _with_chips,
}
