"""How what happens to entrants changes the table; chips come with an entrant and go with one, and all are counted."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from libs.contracts.facts import TableEvent
from libs.contracts.tournament_events import (
    EntrantEliminated,
    EntrantEvent,
    EntrantFinished,
    EntrantMoved,
    EntrantSeated,
)
from services.table.domain.games.game import Game
from services.table.domain.table.state import Table


def _seated(game: Game, state: Table, event: EntrantSeated) -> Table:
    return replace(
        state,
        seats={**state.seats, event.seat: game.entrant(state, event)},
        used_ids=state.used_ids | {event.reservation},
        books=replace(state.books, brought=state.books.brought + event.chips),
    )


def _with_chips(game: Game, state: Table, event: EntrantMoved | EntrantFinished) -> Table:
    books = replace(state.books, left=state.books.left + event.chips)
    return replace(_gone(game, state, event), books=books)


def _gone(game: Game, state: Table, event: EntrantEvent) -> Table:
    return replace(state, seats={seat: other for seat, other in state.seats.items() if seat != event.seat})


TOURNAMENT_FOLDS: Mapping[type[TableEvent], Callable[[Game, Table, Any], Table]] = {
    EntrantSeated: _seated,
    EntrantEliminated: _gone,
    EntrantMoved: _with_chips,
    EntrantFinished: _with_chips,
}
