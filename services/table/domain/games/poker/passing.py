"""Which blinds go past who is not dealt in, counted from a button (pt-811-2015 21, 64; pt-217-2007 90).

Asked of each one alone: what would have been due from that seat with its player in play? Who sits between the blinds
is not enough to go by: with two left the button has the small one, and the big one may stay where it was.
"""

from collections.abc import Collection, Iterator
from typing import Literal

from msgspec.structs import replace

from libs.contracts.poker_events import MissedBlind
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.order import clockwise_after
from services.table.domain.games.poker.readiness import in_play_of, ready_seats
from services.table.domain.games.poker.state import PokerTable


def posted_from(button: int, in_play: list[int], ready: list[int], rules: PokerConfiguration) -> tuple[int, int]:
    """Seats of the small and of the big blind, of more than two (pt-811-2015 21)."""
    small = clockwise_after(in_play, button)[0]
    big = clockwise_after(ready, small)[0]
    if rules.betting.single_blind:
        small = big = clockwise_after(ready, button)[0]
    return small, big


def next_button(state: PokerTable, in_play: list[int]) -> int:
    """The next player in play clockwise; after a void hand the same one if still there (pt-811-2015 4.c, 64)."""
    if state.button_stays and state.button in in_play:
        return state.button
    return clockwise_after(in_play, state.button)[0]


def blinds_among(button: int, seats: list[int], rules: PokerConfiguration) -> tuple[int, int]:
    """The same where all of them are dealt in, of two as well (48)."""
    small, big = posted_from(button, seats, seats, rules)
    if len(seats) == 2 and rules.betting.heads_up_blinds == "button_small":
        small, big = button, small
    return small, big


def stopped(state: PokerTable) -> PokerTable:
    """For want of players. Whose big blind was next, and who is away or has left, has it when the table goes on: the
    draw that there is then (46) would else be asked for before each big blind, by one of two who gets up."""
    if not state.running or state.rules.dealing.positions != "button" or state.rules.tournament:
        return state
    ready = ready_seats(state)
    in_play = in_play_of(state, ready)

    def due(seat: int) -> bool:
        with_it = sorted({*in_play, seat})
        return len(with_it) > 1 and seat == blinds_among(next_button(state, with_it), with_it, state.rules)[1]

    return replace(
        state,
        seats={n: each if n in ready else replace(each, due_big=due(n)) for n, each in state.seats.items()},
        departures={
            player: replace(left, due_big=bool(left.seat) and due(left.seat))
            for player, left in state.departures.items()
        },
    )


def blinds_passed(
    state: PokerTable, button: int, small: int, big: int, dealt: Collection[int]
) -> Iterator[MissedBlind]:
    """By the hand that begins so. A newcomer owes nothing for it (pt-217-2007 80); who is there and waits for the big
    blind is passed over by the small one alone (pt-811-2015 21)."""
    pays = state.rules.entry.entering == "missed_blinds"
    between = _between(state, button, small, big) if pays else {}
    here = () if pays else ready_seats(state)
    for seat, sitter in sorted(state.seats.items()):
        if seat in dealt or seat in here or sitter.newcomer:
            continue
        blinds = {blind_of(state, seat, button), between.get(seat)}
        if "big" in blinds:
            yield MissedBlind(seat, "big")
        elif "small" in blinds:
            yield MissedBlind(seat, "small")


def _between(state: PokerTable, button: int, small: int, big: int) -> dict[int, Literal["small", "big"]]:
    """Where all that passed is paid on return: who sits between button and blinds, too."""
    way = clockwise_after(state.seats, button)
    first = -1 if small in (button, big) else way.index(small)
    return {**dict.fromkeys(way[: max(first, 0)], "small"), **dict.fromkeys(way[first + 1 : way.index(big)], "big")}


def blind_of(state: PokerTable, seat: int, button: int) -> Literal["small", "big"] | None:
    """What would be due from that seat if its player were in play; with a drawn button, from where that was drawn."""
    ready = ready_seats(state)
    in_play = sorted({*(in_play_of(state, ready) if state.running else ready), seat})
    if state.running:
        button = next_button(state, in_play)
    small, big = posted_from(button, in_play, sorted({*ready, seat}), state.rules)
    return "big" if seat == big else "small" if seat == small else None
