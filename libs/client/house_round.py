"""A round against the house in a player's picture of a table."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from libs.client.table_state import TableState

Change = Callable[["TableState", dict[str, Any], int], None]


@dataclass(slots=True)
class BankedRound:
    """A round against the house: `betting` is open until `until`; `to_decide` are the seats that have to choose."""

    round: int | None = None
    betting: bool = False
    over: bool = True
    void: bool = False
    until: int | None = None
    stakes: dict[int, dict[str, int]] = field(default_factory=dict)
    """Seat to what lies on each of its areas."""
    to_decide: set[int] = field(default_factory=set)
    root: str | None = None
    """What the cards were committed to: of this round's deck, or of the shoe."""


def shown(view: dict[str, Any], shoe: dict[str, Any] | None) -> BankedRound:
    """The round of a whole view."""
    phase, seats = view["phase"], view["seats"]
    return BankedRound(
        round=view["round"],
        betting=phase == "betting",
        over=phase in ("over", "void", "lapsed"),
        void=phase == "void",
        until=view["until"],
        stakes={seat["seat"]: _areas(seat) for seat in seats},
        to_decide={seat["seat"] for seat in seats if seat.get("decides")},
        root=shoe["deck_root"] if shoe else view.get("deck_root"),
    )


def _areas(seat: dict[str, Any]) -> dict[str, int]:
    return dict(seat["stakes"]) if "stakes" in seat else {a: seat[a] for a in ("ante", "bet") if seat[a]}


def _betting(table: "TableState", data: dict[str, Any], _: int) -> None:
    root = table.house.root if "shoe" in data else None
    table.house = BankedRound(round=data["round"], betting=True, over=False, until=data["until"], root=root)
    if table.cards_of_hand != data["round"]:
        table.hole_cards, table.cards_of_hand = [], data["round"]


def _deadline(table: "TableState", data: dict[str, Any], _: int) -> None:
    table.house.until = data["until"]


def _no_more_bets(table: "TableState", _: dict[str, Any], __: int) -> None:
    table.house.betting, table.house.until = False, None


def _staked(table: "TableState", data: dict[str, Any], _: int) -> None:
    table.house.stakes.setdefault(data["seat"], {})[data["area"]] = data["total"]
    if data["area"] == "bet":
        table.house.to_decide.discard(data["seat"])
    _stack(table, data)


def _committed(table: "TableState", data: dict[str, Any], _: int) -> None:
    table.house.root = data["deck_root"]


def _to_decide(table: "TableState", data: dict[str, Any], _: int) -> None:
    table.house.to_decide = {choice["seat"] for choice in data["choices"]}
    table.house.until = data["until"]


def _surrendered(table: "TableState", data: dict[str, Any], _: int) -> None:
    table.house.to_decide.discard(data["seat"])


def _stack(table: "TableState", row: dict[str, Any]) -> None:
    if row["seat"] in table.seats:
        table.seats[row["seat"]].stack = row["stack"]


def _round_over(rows: str | None, void: bool = False) -> Change:
    def change(table: "TableState", data: dict[str, Any], _: int) -> None:
        house = table.house
        house.betting, house.over, house.void, house.until, house.to_decide = False, True, void, None, set()
        table.hands_played += rows == "results"
        for row in data[rows] if rows is not None else ():
            _stack(table, row)

    return change


HOUSE_CHANGES: dict[str, Change] = {
    "antes_opened": _betting,
    "coup_opened": _betting,
    "antes_extended": _deadline,
    "antes_closed": _no_more_bets,
    "betting_closed": _no_more_bets,
    "antes_lapsed": _round_over(None),
    "coup_lapsed": _round_over(None),
    "ante_placed": _staked,
    "ante_withdrawn": _staked,
    "second_bet_placed": _staked,
    "stake_placed": _staked,
    "stake_withdrawn": _staked,
    "shoe_started": _committed,
    "round_dealt": _committed,
    "hands_awaited": _to_decide,
    "hands_warned": _deadline,
    "hand_surrendered": _surrendered,
    "round_settled": _round_over("results"),
    "coup_settled": _round_over("results"),
    "round_voided": _round_over("refunds", void=True),
    "coup_voided": _round_over("refunds", void=True),
}
