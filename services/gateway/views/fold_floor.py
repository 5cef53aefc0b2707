"""What goes on around the play, and at a live dealer's desk, as everybody at the table sees it."""

from typing import Any

from msgspec.structs import replace

from libs.contracts import floor_events as f
from libs.contracts import live_events as v
from libs.contracts import poker_events as p
from services.gateway.views.changing import At, change_seat
from services.gateway.views.table_view import TableView


def _joined(view: TableView, event: f.WaitingListJoined, _: At) -> TableView:
    return replace(view, waiting=(*view.waiting, {"player": event.player, "kind": event.kind, "seat": event.seat}))


def _left_list(view: TableView, event: f.WaitingListLeft, _: At) -> TableView:
    offered = {seat: player for seat, player in view.offered.items() if player != event.player}
    return replace(view, waiting=tuple(w for w in view.waiting if w["player"] != event.player), offered=offered)


def _offered(view: TableView, event: f.SeatOffered, _: At) -> TableView:
    return replace(view, offered={**view.offered, event.seat: event.player})


def _moved(view: TableView, event: f.SeatChanged, _: At) -> TableView:
    seats = {number: seat for number, seat in view.seats.items() if number != event.from_seat}
    if event.from_seat in view.seats:
        seats[event.to_seat] = replace(view.seats[event.from_seat], seat=event.to_seat)
    return replace(view, seats=seats)


def _warned(view: TableView, event: f.ConductWarned, _: At) -> TableView:
    seat = next((seat for seat in view.seats.values() if seat.player == event.player), None)
    return change_seat(view, seat.seat, notice=f"warned: {event.rule}") if seat is not None else view


def _tipped(view: TableView, event: f.DealerTipped, _: At) -> TableView:
    return change_seat(view, event.seat, stack=event.stack)


def _resumed(view: TableView, _: f.GameResumed, __: At) -> TableView:
    return replace(view, suspended=False)


def _chosen(view: TableView, event: p.VariantChosen, _: At) -> TableView:
    return replace(view, configuration={**view.configuration, "variant": event.variant})


def _corrected(view: TableView, event: p.DealCorrected, _: At) -> TableView:
    if view.hand is None or not event.cards:
        return view
    return replace(view, hand=replace(view.hand, board=tuple(card.card for card in event.cards)))


def _awaited(view: TableView, event: v.CardsAwaited, _: At) -> TableView:
    return replace(view, hand=replace(view.hand, awaits=event.what, decision=None)) if view.hand else view


def _dealer(view: TableView, event: v.DealerAssigned, _: At) -> TableView:
    return replace(view, dealer=event.dealer)


def _incident(view: TableView, event: v.IncidentRecorded, _: At) -> TableView:
    if view.hand is None:
        return view
    told = {
        "incident": event.incident,
        "code": event.code,
        "outcome": event.outcome,
        "seats": event.seats,
        "cards": [card.card for card in event.exposed],
        "state": event.state_after,
    }
    decision = None if event.choices else view.hand.decision
    return replace(view, hand=replace(view.hand, incidents=(*view.hand.incidents, told), decision=decision))


def _reversed(view: TableView, event: v.PotReversed, _: At) -> TableView:
    view = change_seat(view, event.from_seat, stack=event.from_stack)
    return change_seat(view, event.to_seat, stack=event.to_stack)


FLOOR_CHANGES: dict[type, Any] = {
    f.WaitingListJoined: _joined,
    f.WaitingListLeft: _left_list,
    f.SeatOffered: _offered,
    f.SeatChanged: _moved,
    f.ConductWarned: _warned,
    f.DealerTipped: _tipped,
    f.GameResumed: _resumed,
    p.VariantChosen: _chosen,
    p.DealCorrected: _corrected,
    v.CardsAwaited: _awaited,
    v.DealerAssigned: _dealer,
    v.IncidentRecorded: _incident,
    v.PotReversed: _reversed,
}
