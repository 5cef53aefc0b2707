"""One table's public events folded into its view. It takes any event that ever happened and does not argue.

What all games share stands here; each game's own events are folded in a file of their own.
"""

from typing import Any

from msgspec.structs import replace

from libs.contracts import table_events as e
from libs.contracts.facts import Fact, plain
from services.gateway.views.changing import At, change_seat, put_seat
from services.gateway.views.fold_baccarat import BACCARAT_CHANGES
from services.gateway.views.fold_floor import FLOOR_CHANGES
from services.gateway.views.fold_hand import HAND_CHANGES
from services.gateway.views.fold_no_draw import NO_DRAW_CHANGES
from services.gateway.views.fold_tournament import TOURNAMENT_CHANGES
from services.gateway.views.table_view import Seat, TableView


def fold_table(view: TableView, event: Fact | None, at: At) -> TableView:
    """The view after `event`; None is a fact of a type that this build does not know: only the version moves."""
    change = _CHANGES.get(type(event))
    changed = change(view, event, at) if change else view
    return replace(changed, version=at.version)


def _opened(view: TableView, event: e.TableOpened, _: At) -> TableView:
    return replace(view, name=event.name, configuration=plain(event.configuration), rulebook_hash=event.rulebook_hash)


def _announced(view: TableView, event: e.ConfigurationAnnounced, _: At) -> TableView:
    return replace(view, announced=plain(event.configuration))


def _activated(view: TableView, event: e.ConfigurationActivated, _: At) -> TableView:
    chosen = plain(event.configuration)
    return replace(view, configuration=chosen, rulebook_hash=event.rulebook_hash, announced=None)


def _paused(view: TableView, event: e.TablePaused, _: At) -> TableView:
    return replace(view, status="paused", reason=event.reason)


def _resumed(view: TableView, _: e.TableResumed, __: At) -> TableView:
    return replace(view, status="open", reason=None)


def _suspended(view: TableView, _: e.TableSuspended, __: At) -> TableView:
    return replace(view, suspended=True)


def _closing(view: TableView, event: e.TableClosing, _: At) -> TableView:
    return replace(view, status="closing", reason=event.reason)


def _closed(view: TableView, _: e.TableClosed, __: At) -> TableView:
    return replace(view, status="closed")


def _reserved(view: TableView, event: e.SeatReserved, _: At) -> TableView:
    return put_seat(view, Seat(event.seat, event.player, event.reservation, "reserved", 0, until=event.until))


def _seated(view: TableView, event: e.PlayerSeated, _: At) -> TableView:
    return put_seat(view, Seat(event.seat, event.player, event.reservation, "playing", event.stack))


def _gone(view: TableView, event: e.SeatReleased | e.PlayerLeft, _: At) -> TableView:
    return replace(view, seats={number: seat for number, seat in view.seats.items() if number != event.seat})


def _topping_up(view: TableView, event: e.TopUpRequested, _: At) -> TableView:
    return change_seat(view, event.seat, topping_up=event.amount)


def _topped_up(view: TableView, event: e.TopUpAdded, _: At) -> TableView:
    return change_seat(view, event.seat, stack=event.stack, topping_up=0, notice=None)


def _top_up_failed(view: TableView, event: e.TopUpFailed, _: At) -> TableView:
    return change_seat(view, event.seat, topping_up=0)


def _sat_out(view: TableView, event: e.PlayerSatOut, _: At) -> TableView:
    return change_seat(view, event.seat, status="sitting_out", until=event.until)


def _sat_in(view: TableView, event: e.PlayerSatIn, _: At) -> TableView:
    return change_seat(view, event.seat, status="playing", until=None, notice=None)


def _invited(view: TableView, event: e.PlayerInvitedToLeave, _: At) -> TableView:
    return change_seat(view, event.seat, notice=f"invited: {event.reason}")


def _warned(view: TableView, event: e.PlayerWarned, _: At) -> TableView:
    return change_seat(view, event.seat, notice=f"warned: {event.reason}")


def _leaving(view: TableView, event: e.LeaveRequested, _: At) -> TableView:
    return change_seat(view, event.seat, leaving=True)


_CHANGES: dict[type, Any] = {
    e.TableOpened: _opened,
    e.ConfigurationAnnounced: _announced,
    e.ConfigurationActivated: _activated,
    e.TablePaused: _paused,
    e.TableResumed: _resumed,
    e.TableSuspended: _suspended,
    e.TableClosing: _closing,
    e.TableClosed: _closed,
    e.SeatReserved: _reserved,
    e.SeatReleased: _gone,
    e.PlayerSeated: _seated,
    e.TopUpRequested: _topping_up,
    e.TopUpAdded: _topped_up,
    e.TopUpFailed: _top_up_failed,
    e.PlayerSatOut: _sat_out,
    e.PlayerSatIn: _sat_in,
    e.PlayerInvitedToLeave: _invited,
    e.PlayerWarned: _warned,
    e.LeaveRequested: _leaving,
    e.PlayerLeft: _gone,
    **HAND_CHANGES,
    **FLOOR_CHANGES,
    **NO_DRAW_CHANGES,
    **BACCARAT_CHANGES,
    **TOURNAMENT_CHANGES,
}
