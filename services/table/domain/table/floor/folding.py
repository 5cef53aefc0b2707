"""How events around the play change what is remembered of the floor."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from msgspec.structs import replace

from libs.contracts import floor_events as e
from libs.contracts import table_events as at_table
from libs.contracts.facts import TableEvent
from services.table.domain.table.floor.state import Floor, Session, Waiting, Withheld
from services.table.domain.table.state import Table

TableT = TypeVar("TableT", bound=Table)


def fold_floor(state: TableT, event: TableEvent) -> TableT:
    """Events of the floor itself, and what the table's own mean for it."""
    change = _CHANGES.get(type(event))
    changed: Any = replace(state, floor=change(state.floor, event)) if change is not None else state
    also = _STACKS.get(type(event))
    after: TableT = also(changed, event) if also is not None else changed
    return after


def _sent(floor: Floor, event: e.MessageSent) -> Floor:
    return replace(
        floor,
        withheld=tuple(each for each in floor.withheld if each.message != event.message),
        used_messages=floor.used_messages | {event.message},
    )


def _withheld(floor: Floor, event: e.MessageWithheld) -> Floor:
    kept = Withheld(message=event.message, player=event.player, sealed=event.sealed)
    return replace(floor, withheld=(*floor.withheld, kept), used_messages=floor.used_messages | {event.message})


def _blocked(floor: Floor, event: e.MessageBlocked) -> Floor:
    return replace(floor, used_messages=floor.used_messages | {event.message})


def _warned(floor: Floor, event: e.ConductWarned) -> Floor:
    if event.cause == "slow_play":
        return replace(floor, slow={**floor.slow, event.player: event.count})
    return replace(floor, warnings={**floor.warnings, event.player: event.count})


def _muted(floor: Floor, event: e.PlayerMuted) -> Floor:
    return replace(floor, muted=floor.muted | {event.player})


def _joined(floor: Floor, event: e.WaitingListJoined) -> Floor:
    entry = Waiting(entry=event.entry, player=event.player, kind=event.kind, at=event.at, seat=event.seat)
    return replace(floor, waiting=(*floor.waiting, entry), touched=event.at)


def _left_list(floor: Floor, event: e.WaitingListLeft) -> Floor:
    waiting = tuple(each for each in floor.waiting if each.entry != event.entry)
    return replace(floor, waiting=waiting, touched=event.at)


def _offered(floor: Floor, event: e.SeatOffered) -> Floor:
    waiting = tuple(
        replace(each, offered=event.seat, until=event.until) if each.entry == event.entry else each
        for each in floor.waiting
    )
    return replace(floor, waiting=waiting)


def _touched(floor: Floor, event: TableEvent) -> Floor:
    return replace(floor, touched=event.at)


def _drawn(floor: Floor, event: e.SeatsDrawn) -> Floor:
    return replace(floor, draws=event.draw)


def _places(floor: Floor, event: e.TablesDrawn | e.PlacesAssigned) -> Floor:
    places = {**floor.places, **{card.player: card.of_table for card in event.cards}}
    draws = event.draw if isinstance(event, e.TablesDrawn) else floor.draws
    return replace(floor, places=places, draws=draws, touched=event.at)


def _session_started(floor: Floor, event: e.SessionStarted) -> Floor:
    return replace(floor, session=Session(number=event.number, started=event.at), sessions=event.number)


def _fee(floor: Floor, event: e.SessionFeeDue) -> Floor:
    assert floor.session is not None
    session = replace(floor.session, charged=floor.session.charged | {event.player})
    return replace(floor, session=session, played=floor.played | {event.player})


def _session_ended(floor: Floor, event: e.SessionEnded) -> Floor:
    played = floor.session.charged if floor.session is not None else floor.played
    return replace(floor, session=None, played=played)


def _rested(floor: Floor, event: at_table.PlayerSatOut) -> Floor:
    if event.reason == "timeout":
        return floor
    return replace(floor, rests={**floor.rests, event.player: floor.rests.get(event.player, 0) + 1})


def _seated(floor: Floor, event: at_table.PlayerSeated) -> Floor:
    return replace(floor, touched=event.at)


def _closed(floor: Floor, event: at_table.TableClosed) -> Floor:
    return replace(floor, waiting=())


def _moved(state: Table, event: e.SeatChanged) -> Table:
    seats = {seat: sitter for seat, sitter in state.seats.items() if seat != event.from_seat}
    seats[event.to_seat] = replace(state.seats[event.from_seat], seat=event.to_seat)
    return replace(state, seats=seats)


def _tipped(state: Table, event: e.DealerTipped) -> Table:
    seats = {**state.seats, event.seat: replace(state.seats[event.seat], stack=event.stack)}
    return replace(state, seats=seats, books=replace(state.books, tipped=state.books.tipped + event.amount))


def _entry_used(state: Table, event: e.WaitingListJoined) -> Table:
    return replace(state, used_ids=state.used_ids | {event.entry})


_CHANGES: Mapping[type[TableEvent], Callable[[Floor, Any], Floor]] = {
    e.MessageSent: _sent,
    e.MessageWithheld: _withheld,
    e.MessageBlocked: _blocked,
    e.ConductWarned: _warned,
    e.PlayerMuted: _muted,
    e.WaitingListJoined: _joined,
    e.WaitingListLeft: _left_list,
    e.SeatOffered: _offered,
    e.SeatChanged: _touched,
    e.SeatsDrawn: _drawn,
    e.TablesDrawn: _places,
    e.PlacesAssigned: _places,
    e.SessionStarted: _session_started,
    e.SessionFeeDue: _fee,
    e.SessionEnded: _session_ended,
    at_table.PlayerSatOut: _rested,
    at_table.PlayerSeated: _seated,
    at_table.PlayerLeft: _touched,
    at_table.SeatReleased: _touched,
    at_table.TableClosed: _closed,
}
_STACKS: Mapping[type[TableEvent], Callable[[Any, Any], Any]] = {
    e.SeatChanged: _moved,
    e.DealerTipped: _tipped,
    e.WaitingListJoined: _entry_used,
}
