"""Entrants of a tournament in the view of one of its tables; their stacks are chips."""

from typing import Any

from msgspec.structs import replace

from libs.contracts import tournament_events as e
from services.gateway.views.changing import At, put_seat
from services.gateway.views.table_view import Seat, TableView


def _seated(view: TableView, event: e.EntrantSeated, _: At) -> TableView:
    return put_seat(view, Seat(event.seat, event.player, event.reservation, "playing", event.chips))


def _gone(view: TableView, event: e.EntrantEvent, _: At) -> TableView:
    return replace(view, seats={number: seat for number, seat in view.seats.items() if number != event.seat})


TOURNAMENT_CHANGES: dict[type, Any] = {
    e.EntrantSeated: _seated,
    e.EntrantEliminated: _gone,
    e.EntrantMoved: _gone,
    e.EntrantFinished: _gone,
}
