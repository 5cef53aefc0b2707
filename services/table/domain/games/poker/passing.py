"""Which blinds go past who is not dealt in, counted from a button (pt-811-2015 21, 64; pt-217-2007 90).

Asked of each one alone: what would have been due from that seat with its player in play? Who sits between the blinds
is not enough to go by: with two left the button has the small one, and the big one may stay where it was.
"""

from collections.abc import Collection, Iterator
from typing import Literal

from msgspec.structs import replace

from libs.contracts.poker_events import MissedBlind
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.order import clockwise_after, lies_between
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


def counted(state: PokerTable, in_play: list[int]) -> list[int]:
    """For the button and the small blind: of those who come back at once not who sits where a blind has just gone past.
    Button and blinds would go back there, and the same player have the big one again."""
    among = [seat for seat in in_play if not just_passed(state, seat)]
    # Of two the one who stayed has the button, unless that goes with the big blind.
    enough = 1 if len(in_play) == 2 and state.rules.betting.heads_up_blinds == "button_small" else 2
    return among if len(among) >= enough else in_play


def just_passed(state: PokerTable, seat: int) -> bool:
    """Whether the last hand's blinds went past that seat, without its player."""
    if not (state.running and state.big_blind) or state.button_stays or state.rules.tournament:
        return False
    sitter = state.seats.get(seat)
    return not (sitter and sitter.dealt) and lies_between(seat, state.button, state.big_blind)


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
        button = next_button(state, counted(state, with_it))
        return len(with_it) > 1 and seat == blinds_among(button, with_it, state.rules)[1]

    at = (state.big_blind or state.button) - state.button_stays  # a void hand counts as not played
    places = {player: left.seat for player, left in state.departures.items()}
    places |= {each.player: seat for seat, each in state.seats.items()}
    return replace(
        state,
        stopped_with=tuple(sorted(places, key=lambda player: (places[player] <= at, places[player], player))),
        seats={n: each if n in ready else replace(each, due_big=due(n)) for n, each in state.seats.items()},
        departures={
            player: replace(left, due_big=bool(left.seat) and due(left.seat))
            for player, left in state.departures.items()
        },
    )


def goes_on_with(state: PokerTable, ready: list[int]) -> int | None:
    """Whose big blind it is where two or more go on who were there when the table stopped: not who has just had it, but
    first who was not in the last hand (pt-811-2015 21), then as it would have gone on. Two could else get up, change
    seats and sit down again before each draw. Of one with newcomers nobody is named: they are drawn for (46)."""
    here = [seat for seat in ready if state.seats[seat].player in state.stopped_with]
    if len(here) < 2:
        return None

    def place(seat: int) -> tuple[bool, bool, int]:
        sitter = state.seats[seat]
        return sitter.dealt, not sitter.due_big, state.stopped_with.index(sitter.player)

    return min((seat for seat in here if state.seats[seat].player != state.had_big), key=place)


def after_big_blind(state: PokerTable, in_play: list[int], ready: list[int]) -> tuple[int, int, int] | None:
    """Button, small and big blind where no regulation says how the button moves: the big blind goes on by one ready
    seat, and the others stand before it. By who comes and goes nobody has it twice running or for another one.

    None: the button goes on. By rule (pt-811-2015 4.c, 64; mo-97-2010 1.2), in a tournament, after a void hand, or as
    who had the big blind is gone, since another one would have the small blind twice.
    """
    rules, alone = state.rules, state.rules.betting.single_blind
    if rules.regulation or rules.tournament or not (state.running and state.big_blind) or state.button_stays:
        return None
    if state.big_blind not in in_play and not alone:
        return None
    big = clockwise_after(ready, state.big_blind)[0]
    before = [seat for seat in reversed(clockwise_after(counted(state, in_play), big)) if seat != big]
    if not before:
        return None
    if alone:
        return before[0], big, big
    small, *further = before
    return (further[0] if further else big), small, big


def blinds_passed(
    state: PokerTable, button: int, small: int, big: int, dealt: Collection[int]
) -> Iterator[MissedBlind]:
    """By the hand that begins so. A newcomer owes nothing for it (pt-217-2007 80); who is there and waits for the big
    blind is passed over by the small one alone (pt-811-2015 21)."""
    pays = state.rules.entry.entering == "missed_blinds"
    between = _between(state, button, small, big) if pays else {}
    here = [seat for seat in ready_seats(state) if not pays or just_passed(state, seat)]
    for seat, sitter in sorted(state.seats.items()):
        if seat in dealt or seat in here or sitter.newcomer:
            continue
        blinds = {_due_from(state, seat, button), between.get(seat)}
        if "big" in blinds:
            yield MissedBlind(seat, "big")
        elif "small" in blinds:
            yield MissedBlind(seat, "small")


def _between(state: PokerTable, button: int, small: int, big: int) -> dict[int, Literal["small", "big"]]:
    """Where all that passed is paid on return: who sits between button and blinds, too."""
    way = clockwise_after(state.seats, button)
    first = -1 if small in (button, big) else way.index(small)
    return {**dict.fromkeys(way[: max(first, 0)], "small"), **dict.fromkeys(way[first + 1 : way.index(big)], "big")}


def _due_from(state: PokerTable, seat: int, button: int) -> Literal["small", "big"] | None:
    ready = sorted({*ready_seats(state), seat})
    after = after_big_blind(state, sorted({*in_play_of(state, ready), seat}), ready)
    if after is None:
        return blind_of(state, seat, button)
    return "big" if seat == after[2] else "small" if seat == after[1] else None


def blind_of(state: PokerTable, seat: int, button: int) -> Literal["small", "big"] | None:
    """What would be due from that seat if its player were in play; with a drawn button, from where that was drawn."""
    ready = ready_seats(state)
    in_play = sorted({*(in_play_of(state, ready) if state.running else ready), seat})
    if state.running:
        in_play = counted(state, in_play)
        button = next_button(state, in_play)
    small, big = posted_from(button, in_play, sorted({*ready, seat}), state.rules)
    return "big" if seat == big else "small" if seat == small else None
