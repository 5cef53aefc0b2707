"""Who plays the next hand and from where, counted from the lead seat (mão): it posts the small blind, is dealt first
and opens later rounds (pt-217-2007 29, 30, 80, 81). The usual dealer button would stand one seat before it.
"""

from collections.abc import Iterator
from typing import Literal

import msgspec

from libs.contracts.poker_events import MissedBlind
from services.table.domain.games.poker.order import clockwise_after
from services.table.domain.games.poker.readiness import ready_seats
from services.table.domain.games.poker.state import PokerTable


class Plan(msgspec.Struct, frozen=True):
    button: int
    small_blind: int
    big_blind: int
    entries: tuple[int, ...]
    """Seats that freely post a live big blind to be dealt in at once."""
    dealt: tuple[int, ...]
    """Clockwise from the left of the button."""
    lead: int | None = None
    """The lead seat, where the rulebook has one."""
    missed: tuple[MissedBlind, ...] = ()
    """Blinds that went past who is not dealt in."""
    newcomers: frozenset[int] = frozenset()
    """Of those dealt in, who sat down since the last deal."""


def plan_from_lead(state: PokerTable) -> Plan:
    """At least two seats are ready. Who can't be dealt in is passed over, and the blind booked as missed (30, 90)."""
    ready = ready_seats(state)
    barred = _barred(state, ready)
    lead, before_lead = _lead(state, ready, barred)
    dealt = [seat for seat in ready if seat not in barred]
    after_lead = clockwise_after(state.seats, lead)[:-1]
    big = next(seat for seat in after_lead if seat in dealt)
    before_big = after_lead[: after_lead.index(big)]
    missed = [*_missed(state, before_lead, "small"), *_missed(state, before_big, "big")]
    order = tuple(clockwise_after(dealt, order_start(dealt, lead)))
    return Plan(order[-1], lead, big, (), order, lead, tuple(missed) if state.rules.betting.blinds else ())


def order_start(dealt: list[int], lead: int) -> int:
    """The seat after which the lead comes: where a dealer button would stand."""
    return clockwise_after(dealt, lead)[-2]


def _lead(state: PokerTable, ready: list[int], barred: set[int]) -> tuple[int, list[int]]:
    """The seat, and those that the marker passed on its way."""
    if not state.hands:
        return ready[0], []  # pt-217-2007 29: the first player at the dealer's left
    if state.button_stays and not state.rules.dealing.void_moves_lead and state.button in ready:
        return state.button, []  # a void hand is no distribution of cards (69)
    way = clockwise_after(state.seats, state.button)
    lead = next(seat for seat in way if seat in ready and seat not in barred)
    return lead, way[: way.index(lead)]


def _barred(state: PokerTable, ready: list[int]) -> set[int]:
    """Newcomers on the seat that the lead comes to next; they play from the next hand on (80).

    Unless the hand could not be dealt without them, which must not fall below the least number of players (24).
    """
    barred: set[int] = set()
    if not state.hands or state.button_stays:
        return barred
    for seat in clockwise_after(state.seats, state.button):
        if seat not in ready:
            continue
        if not state.seats[seat].newcomer or len(ready) - len(barred) <= max(2, state.rules.entry.min_players):
            break
        barred.add(seat)
    return barred


def _missed(state: PokerTable, passed: list[int], blind: Literal["small", "big"]) -> Iterator[MissedBlind]:
    """A newcomer owes nothing for the blind that passed him (80)."""
    return (MissedBlind(seat, blind) for seat in passed if not state.seats[seat].newcomer)
