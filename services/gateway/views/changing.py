"""What every fold of a table's events needs: where an event stands, and a seat put or changed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from msgspec.structs import replace

from services.gateway.views.table_view import Seat, TableView


@dataclass(frozen=True, slots=True)
class At:
    """Where an event stands: its version and its time (ms)."""

    version: int
    time: int


def put_seat(view: TableView, seat: Seat) -> TableView:
    return replace(view, seats={**view.seats, seat.seat: seat})


def change_seat(view: TableView, number: int, **changes: Any) -> TableView:
    held = view.seats.get(number)
    return view if held is None else put_seat(view, replace(held, **changes))


class _OfPlayer(Protocol):
    @property
    def player(self) -> str: ...


HeldT = TypeVar("HeldT", bound=_OfPlayer)


def in_round(seats: Mapping[int, HeldT], number: int, player: str, fresh: Callable[[int, str], HeldT]) -> HeldT:
    """The seat in a round. Who sat down after it opened, maybe where another had sat, gets in with the first stake."""
    held = seats.get(number)
    return held if held is not None and held.player == player else fresh(number, player)


def change_stack(view: TableView, reservation: str, number: int, stack: int) -> TableView:
    """The stack of a sitting. Who left during a round may have given the seat to somebody else."""
    held = view.seats.get(number)
    return change_seat(view, number, stack=stack) if held and held.reservation == reservation else view
