"""How an event changes what is remembered. Takes any event that ever happened and does not argue."""

from typing import assert_never

from msgspec.structs import replace

from services.table.domain.games.poker.events import OfHand
from services.table.domain.games.poker.evolve import evolve_hand
from services.table.domain.table.check import conserved
from services.table.domain.table.events import (
    ButtonDrawn,
    ConfigurationActivated,
    ConfigurationAnnounced,
    LeaveRequested,
    PlayerInvitedToLeave,
    PlayerLeft,
    PlayerSatIn,
    PlayerSatOut,
    PlayerSeated,
    PlayerWarned,
    SeatingEvent,
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
from services.table.domain.table.happenings import TableEvent
from services.table.domain.table.state import Announced, Departure, Notified, Reserved, Sitter, Table, TopUp


def evolve(state: Table, event: TableEvent) -> Table:
    """The state after the event; its version is one higher. ChipsLost when chips were made or lost."""
    numbered = replace(state, version=state.version + 1)
    if isinstance(event, OfHand):
        return conserved(evolve_hand(numbered, event))
    return conserved(_evolve_seating(numbered, event))


def _evolve_seating(state: Table, event: SeatingEvent) -> Table:
    match event:
        case TableOpened():
            return replace(
                state,
                status="open",
                name=event.name,
                configuration=event.configuration,
                rulebook_hash=event.rulebook_hash,
            )
        case ConfigurationAnnounced():
            announced = Announced(configuration=event.configuration, rulebook_hash=event.rulebook_hash, by=event.by)
            return replace(state, announced=announced)
        case ConfigurationActivated():
            return _activated(state, event)
        case TablePaused():
            return replace(state, paused=True)
        case TableResumed():
            return replace(state, paused=False, running=False)  # pt-811-2015 46: resumes with a draw
        case TableSuspended():
            return replace(state, running=False)
        case TableClosing():
            return replace(state, status="closing")
        case TableClosed():
            return replace(state, status="closed", running=False)
        case SeatReserved():
            return _seat_reserved(state, event)
        case SeatReleased():
            return replace(state, reserved={k: r for k, r in state.reserved.items() if k != event.reservation})
        case PlayerSeated():
            return _player_seated(state, event)
        case TopUpRequested():
            used = state.used_ids | {event.top_up}
            top_up = TopUp(id=event.top_up, amount=event.amount, stage="requested")
            return replace(_with(state, replace(state.seats[event.seat], top_up=top_up)), used_ids=used)
        case TopUpDue():
            return _with(state, _staged(state.seats[event.seat], "due"))
        case TopUpFunded():
            return _with(state, _staged(state.seats[event.seat], "funded"))
        case TopUpAdded():
            return _top_up_added(state, event)
        case TopUpFailed():
            return _with(state, replace(state.seats[event.seat], top_up=None))
        case PlayerSatOut():
            sitter = replace(state.seats[event.seat], out=event.reason, break_until=event.until, posts=False)
            return _with(state, sitter)
        case PlayerSatIn():
            return _player_sat_in(state, event)
        case PlayerInvitedToLeave() | PlayerWarned():
            return _notified(state, event)
        case LeaveRequested():
            return _with(state, replace(state.seats[event.seat], leaving=event.reason))
        case PlayerLeft():
            return _player_left(state, event)
        case ButtonDrawn():
            return replace(state, button=event.seat)
        case _:
            assert_never(event)


def _with(state: Table, sitter: Sitter) -> Table:
    return replace(state, seats={**state.seats, sitter.seat: sitter})


def _staged(sitter: Sitter, stage: str) -> Sitter:
    assert sitter.top_up is not None
    return replace(sitter, top_up=replace(sitter.top_up, stage=stage))


def _activated(state: Table, event: ConfigurationActivated) -> Table:
    changed = replace(state, configuration=event.configuration, rulebook_hash=event.rulebook_hash, announced=None)
    least = event.configuration.least_stack
    for sitter in state.seats.values():
        # A higher minimum bet makes stacks short from now on (pt-811-2015 15, 70.a), a lower one ends it.
        below = sitter.notice is not None and sitter.notice.reason == "below_minimum"
        if sitter.stack >= least:
            sitter = replace(sitter, short_since=None, notice=None if below else sitter.notice)
        elif sitter.short_since is None:
            sitter = replace(sitter, short_since=event.at)
        changed = _with(changed, sitter)
    return changed


def _seat_reserved(state: Table, event: SeatReserved) -> Table:
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


def _player_seated(state: Table, event: PlayerSeated) -> Table:
    sitter = Sitter(
        seat=event.seat,
        player=event.player,
        reservation=event.reservation,
        stack=event.stack,
        time_bank=state.rules.time_bank_ms,  # pt-811-2015 44: full on each session start
        waiting=state.running,
    )
    books = replace(state.books, brought=state.books.brought + event.amount, raked=state.books.raked + event.commission)
    return replace(
        state,
        seats={**state.seats, event.seat: sitter},
        reserved={k: r for k, r in state.reserved.items() if k != event.reservation},
        departures={k: d for k, d in state.departures.items() if k != event.player},
        books=books,
    )


def _top_up_added(state: Table, event: TopUpAdded) -> Table:
    sitter = replace(state.seats[event.seat], stack=event.stack, top_up=None)
    if event.stack >= state.rules.least_stack:
        below = sitter.notice is not None and sitter.notice.reason == "below_minimum"
        sitter = replace(sitter, short_since=None, notice=None if below else sitter.notice)
    books = replace(state.books, brought=state.books.brought + event.amount, raked=state.books.raked + event.commission)
    return replace(_with(state, sitter), books=books)


def _player_sat_in(state: Table, event: PlayerSatIn) -> Table:
    sitter = state.seats[event.seat]
    kept = sitter.notice if sitter.notice is not None and sitter.notice.reason != "break_over" else None
    return _with(state, replace(sitter, out="", break_until=None, posts=event.posts_big_blind, notice=kept))


def _notified(state: Table, event: PlayerInvitedToLeave | PlayerWarned) -> Table:
    sitter = state.seats[event.seat]
    notice = Notified(
        reason=event.reason,
        warned=isinstance(event, PlayerWarned),
        at=event.at,
        hand=state.hands,
        during_hand=state.hand is not None,
        absent=sitter.absent,
    )
    return _with(state, replace(sitter, notice=notice))


def _player_left(state: Table, event: PlayerLeft) -> Table:
    books = replace(state.books, left=state.books.left + event.stack)
    sitter = state.seats.get(event.seat)
    if sitter is None or sitter.reservation != event.reservation:
        # A void hand refunded somebody who had gone; the refund follows them home.
        return replace(state, books=replace(books, owed=books.owed - event.stack))
    window = state.rules.reentry_ms
    departures = {k: d for k, d in state.departures.items() if event.at - d.at <= window}
    if window:
        departures[event.player] = Departure(event.stack, event.at)
    seats = {seat: other for seat, other in state.seats.items() if seat != event.seat}
    return replace(state, seats=seats, departures=departures, books=books)
