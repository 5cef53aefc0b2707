"""How an event changes what is remembered: the table folds its own events, the game those of its rounds."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from msgspec.structs import replace

from libs.contracts.facts import TableEvent
from libs.contracts.table_events import (
    ConfigurationActivated,
    ConfigurationAnnounced,
    ConnectionLost,
    ConnectionRestored,
    LeaveRequested,
    PlayerInvitedToLeave,
    PlayerLeft,
    PlayerSatIn,
    PlayerSatOut,
    PlayerSeated,
    PlayerWarned,
    SeatReleased,
    SeatReserved,
    TableClosed,
    TableClosing,
    TableOpened,
    TablePaused,
    TableResumed,
    TableSuspended,
    TopUpAdded,
    TopUpDue,
    TopUpFailed,
    TopUpFunded,
    TopUpRequested,
)
from services.table.domain.games.game import Game
from services.table.domain.table.bank.folding import BANK_FOLDS
from services.table.domain.table.check import conserved
from services.table.domain.table.floor.folding import fold_floor
from services.table.domain.table.state import Announced, Departure, Notified, Reserved, Sitter, Table, TopUp
from services.table.domain.table.tournament.folding import TOURNAMENT_FOLDS

TableT = TypeVar("TableT", bound=Table)


def fold(game: Game, state: TableT, event: TableEvent) -> TableT:
    """The state after the event; its version is one higher. ChipsLost when chips were made or lost."""
    numbered = replace(state, version=state.version + 1)
    after: Any
    of_game = game.folds.get(type(event))
    if of_game is not None:
        after = of_game(numbered, event)
    else:
        change = _FOLDS.get(type(event))
        after = fold_floor(change(game, numbered, event) if change is not None else numbered, event)
        bank_change = BANK_FOLDS.get(type(event))
        after = bank_change(after, event) if bank_change is not None else after
        after = game.follow(after, event)
    if (
        after.seats is not state.seats
        or after.books is not state.books
        or after.bank != state.bank
        or after.in_play != state.in_play
    ):
        conserved(after)  # states are never changed in place: the same seats hold the same chips
    return after  # type: ignore[no-any-return]


def _opened(game: Game, state: Table, event: TableOpened) -> Table:
    opened = replace(
        state,
        status="open",
        name=event.name,
        configuration=game.rules_of(event.configuration),
        rulebook_hash=event.rulebook_hash,
    )
    return game.opened(opened)


def _announced(game: Game, state: Table, event: ConfigurationAnnounced) -> Table:
    announced = Announced(
        configuration=event.configuration,
        rulebook_hash=event.rulebook_hash,
        by=event.by,
        holds_from=event.holds_from,
    )
    return replace(state, announced=announced)


def _activated(game: Game, state: Table, event: ConfigurationActivated) -> Table:
    rules = game.rules_of(event.configuration)
    return replace(state, configuration=rules, rulebook_hash=event.rulebook_hash, announced=None)


def _paused(game: Game, state: Table, event: TablePaused) -> Table:
    return replace(state, paused=True)


def _resumed(game: Game, state: Table, event: TableResumed) -> Table:
    return replace(state, paused=False)


def _unchanged(game: Game, state: Table, event: TableSuspended) -> Table:
    return state


def _closing(game: Game, state: Table, event: TableClosing) -> Table:
    return replace(state, status="closing")


def _closed(game: Game, state: Table, event: TableClosed) -> Table:
    return replace(state, status="closed")


def _seat_reserved(game: Game, state: Table, event: SeatReserved) -> Table:
    reserved = Reserved(
        reservation=event.reservation,
        player=event.player,
        seat=event.seat,
        amount=event.amount,
        until=event.until,
    )
    return replace(
        state,
        reserved={**state.reserved, event.reservation: reserved},
        used_ids=state.used_ids | {event.reservation},
    )


def _seat_released(game: Game, state: Table, event: SeatReleased) -> Table:
    return replace(state, reserved={k: r for k, r in state.reserved.items() if k != event.reservation})


def _player_seated(game: Game, state: Table, event: PlayerSeated) -> Table:
    books = replace(state.books, brought=state.books.brought + event.amount, raked=state.books.raked + event.commission)
    return replace(
        state,
        seats={**state.seats, event.seat: game.seated(state, event)},
        reserved={k: r for k, r in state.reserved.items() if k != event.reservation},
        departures={k: d for k, d in state.departures.items() if k != event.player},
        books=books,
    )


def _top_up_requested(game: Game, state: Table, event: TopUpRequested) -> Table:
    used = state.used_ids | {event.top_up}
    top_up = TopUp(id=event.top_up, amount=event.amount, stage="requested")
    return replace(_with(state, replace(state.seats[event.seat], top_up=top_up)), used_ids=used)


def _top_up_due(game: Game, state: Table, event: TopUpDue) -> Table:
    return _with(state, _staged(state.seats[event.seat], "due"))


def _top_up_funded(game: Game, state: Table, event: TopUpFunded) -> Table:
    return _with(state, _staged(state.seats[event.seat], "funded"))


def _top_up_added(game: Game, state: Table, event: TopUpAdded) -> Table:
    books = replace(state.books, brought=state.books.brought + event.amount, raked=state.books.raked + event.commission)
    sitter = replace(state.seats[event.seat], stack=event.stack, top_up=None)
    return replace(_with(state, sitter), books=books)


def _top_up_failed(game: Game, state: Table, event: TopUpFailed) -> Table:
    return _with(state, replace(state.seats[event.seat], top_up=None))


def _sat_out(game: Game, state: Table, event: PlayerSatOut) -> Table:
    return _with(state, replace(state.seats[event.seat], out=event.reason, break_until=event.until))


def _sat_in(game: Game, state: Table, event: PlayerSatIn) -> Table:
    sitter = state.seats[event.seat]
    kept = sitter.notice if sitter.notice is not None and sitter.notice.reason != "break_over" else None
    return _with(state, replace(sitter, out="", break_until=None, notice=kept))


def _notified(game: Game, state: Table, event: PlayerInvitedToLeave | PlayerWarned) -> Table:
    sitter = state.seats[event.seat]
    notice = Notified(
        reason=event.reason,
        warned=isinstance(event, PlayerWarned),
        at=event.at,
        round=state.rounds,
        during_round=state.in_round,
        absent=sitter.absent,
    )
    return _with(state, replace(sitter, notice=notice))


def _leave_requested(game: Game, state: Table, event: LeaveRequested) -> Table:
    return _with(state, replace(state.seats[event.seat], leaving=event.reason))


def _player_left(game: Game, state: Table, event: PlayerLeft) -> Table:
    books = replace(state.books, left=state.books.left + event.stack)
    sitter = state.seats.get(event.seat)
    if sitter is None or sitter.reservation != event.reservation:
        # A void round refunded somebody who had gone; the refund follows them home.
        return replace(state, books=replace(books, owed=books.owed - event.stack))
    window = state.rules.timing.reentry_ms
    departures = {k: d for k, d in state.departures.items() if event.at - d.at <= window}
    if window:
        departures[event.player] = Departure(event.stack, event.at)
    seats = {seat: other for seat, other in state.seats.items() if seat != event.seat}
    return replace(state, seats=seats, departures=departures, books=books)


def _connection(game: Game, state: Table, event: ConnectionLost | ConnectionRestored) -> Table:
    return _with(state, replace(state.seats[event.seat], offline=isinstance(event, ConnectionLost)))


def _with(state: Table, sitter: Sitter) -> Table:
    return replace(state, seats={**state.seats, sitter.seat: sitter})


def _staged(sitter: Sitter, stage: str) -> Sitter:
    assert sitter.top_up is not None
    return replace(sitter, top_up=replace(sitter.top_up, stage=stage))


_FOLDS: Mapping[type[TableEvent], Callable[[Game, Table, Any], Table]] = {
    TableOpened: _opened,
    ConfigurationAnnounced: _announced,
    ConfigurationActivated: _activated,
    TablePaused: _paused,
    TableResumed: _resumed,
    TableSuspended: _unchanged,
    TableClosing: _closing,
    TableClosed: _closed,
    SeatReserved: _seat_reserved,
    SeatReleased: _seat_released,
    PlayerSeated: _player_seated,
    TopUpRequested: _top_up_requested,
    TopUpDue: _top_up_due,
    TopUpFunded: _top_up_funded,
    TopUpAdded: _top_up_added,
    TopUpFailed: _top_up_failed,
    PlayerSatOut: _sat_out,
    PlayerSatIn: _sat_in,
    PlayerInvitedToLeave: _notified,
    PlayerWarned: _notified,
    LeaveRequested: _leave_requested,
    PlayerLeft: _player_left,
    ConnectionLost: _connection,
    ConnectionRestored: _connection,
    **TOURNAMENT_FOLDS,
}
