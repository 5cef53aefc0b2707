"""What the table's own events mean for a poker table: who waits for the blind, who is short, whether it runs."""

from msgspec.structs import replace

from libs.contracts.conduct_events import ConductWarned
from libs.contracts.facts import TableEvent
from libs.contracts.table_events import (
    ConfigurationActivated,
    PlayerSatIn,
    PlayerSatOut,
    TableClosed,
    TableResumed,
    TableSuspended,
    TopUpAdded,
)
from libs.contracts.waiting_list_events import SeatChanged
from services.table.domain.games.poker.moving import moved
from services.table.domain.games.poker.passing import stopped
from services.table.domain.games.poker.state import PokerSitter, PokerTable
from services.table.domain.table.handlers import evolved_in


def follow(state: PokerTable, event: TableEvent) -> PokerTable:
    change = _CHANGES.get(type(event))
    return change(state, event) if change is not None else state


def _closed(state: PokerTable, event: TableClosed) -> PokerTable:
    return replace(state, running=False)


def _suspended(state: PokerTable, event: TableSuspended) -> PokerTable:
    return replace(stopped(state), running=False, suspended_at=event.at)  # pt-811-2015 46: goes on with a draw


def _resumed(state: PokerTable, event: TableResumed) -> PokerTable:
    """Whoever pauses a table would choose who pays its blinds, if everybody came in anew."""
    if event.left_out is None:
        return replace(state, running=False)
    return replace(state, resumes=state.running and (state.resumes or event.left_out))


def _warned(state: PokerTable, event: ConductWarned) -> PokerTable:
    """Where nobody acts for a player, one warning for each decision is enough (pt-217-2007 71.a)."""
    hand = state.hand
    if event.cause != "slow_play" or hand is None or hand.turn is None:
        return state
    return replace(state, hand=replace(hand, turn=replace(hand.turn, warned=True)))


def _activated(state: PokerTable, event: ConfigurationActivated) -> PokerTable:
    """A higher minimum bet makes stacks short from now on (pt-811-2015 15, 70.a), a lower one ends it."""
    least = state.rules.least_stack
    seats = {
        seat: _no_longer_short(sitter)
        if sitter.stack >= least
        else replace(sitter, short_since=sitter.short_since if sitter.short_since is not None else event.at)
        for seat, sitter in state.seats.items()
    }
    return replace(state, seats=seats)


def _topped_up(state: PokerTable, event: TopUpAdded) -> PokerTable:
    sitter = state.seats[event.seat]
    return _with(state, _no_longer_short(sitter)) if event.stack >= state.rules.least_stack else state


def _no_longer_short(sitter: PokerSitter) -> PokerSitter:
    below = sitter.notice is not None and sitter.notice.reason == "below_minimum"
    return replace(sitter, short_since=None, notice=None if below else sitter.notice)


def _sat_out(state: PokerTable, event: PlayerSatOut) -> PokerTable:
    sitter = state.seats[event.seat]
    return _with(state, replace(sitter, posts=False, had_break=sitter.had_break or event.reason == "break"))


def _sat_in(state: PokerTable, event: PlayerSatIn) -> PokerTable:
    return _with(state, replace(state.seats[event.seat], posts=event.posts_big_blind))


def _seat_changed(state: PokerTable, event: SeatChanged) -> PokerTable:
    return moved(state, event)


def _with(state: PokerTable, sitter: PokerSitter) -> PokerTable:
    return replace(state, seats={**state.seats, sitter.seat: sitter})


_CHANGES = evolved_in(globals())
"""The functions above, by the events that they take; a later one goes before."""
