"""A player's own picture of a table: a view first, then each event in version order. Light, because bots are many."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from libs.client.frames import Event, HoleCards, LegalActs, View
from libs.client.house_round import HOUSE_CHANGES, BankedRound, shown


@dataclass(slots=True)
class SeatState:
    seat: int
    player: str
    status: str
    stack: int
    leaving: bool = False
    notice: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """A decision that the table awaits; `turn` is what the act names, so that a late answer is refused."""

    table: str
    hand: int
    seat: int
    player: str
    turn: int
    street: str
    legal: LegalActs
    until: int
    bank_until: int


@dataclass(slots=True)
class TableState:
    """Follows one table. `apply` says whether an event fitted; after a gap the table is shown anew."""

    table: str
    version: int = 0
    name: str = ""
    status: str = "open"
    configuration: dict[str, Any] = field(default_factory=dict)
    seats: dict[int, SeatState] = field(default_factory=dict)
    button: int | None = None
    hands_played: int = 0
    hand: int | None = None
    hand_over: bool = True
    street: str = "preflop"
    board: list[str] = field(default_factory=list)
    in_hand: set[int] = field(default_factory=set)
    bets: dict[int, int] = field(default_factory=dict)
    pot: int = 0
    turn: Turn | None = None
    hole_cards: list[str] = field(default_factory=list, repr=False)
    cards_of_hand: int | None = None
    house: BankedRound = field(default_factory=BankedRound)
    """The round at a table against the house."""
    left_with: dict[str, int] = field(default_factory=dict)
    """Stack that each player took away, as far as it was seen; who comes back soon must bring it."""

    def seat_of(self, player: str) -> SeatState | None:
        for seat in self.seats.values():
            if seat.player == player:
                return seat
        return None

    def show(self, frame: View) -> None:
        """Takes over a whole view."""
        view = frame.view
        self.version = frame.version
        self.name, self.status, self.configuration = view["name"], view["status"], view["configuration"]
        self.button, self.hands_played = view["button"], view["hands_played"]
        self.seats = {
            seat["seat"]: SeatState(
                seat["seat"], seat["player"], seat["status"], seat["stack"], seat["leaving"], seat["notice"]
            )
            for seat in view["seats"]
        }
        self._show_hand(view["hand"], view["own"]["cards"])
        if view["round"] is not None:
            self.house = shown(view["round"], view["shoe"])
            self.hole_cards, self.cards_of_hand = list(view["own"]["cards"]), view["round"]["round"]

    def apply(self, event: Event) -> bool:
        """Folds the next event; True also for one already folded, False for a gap."""
        if event.version <= self.version:
            return True
        if event.version > self.version + 1:
            return False
        self.version = event.version
        change = _CHANGES.get(event.name)
        if change is not None:
            change(self, event.data, event.version)
        return True

    def deal(self, frame: HoleCards) -> None:
        self.hole_cards, self.cards_of_hand = frame.cards, frame.hand

    def _show_hand(self, hand: dict[str, Any] | None, own: list[str]) -> None:
        self.turn = None
        if hand is None:
            self.hand, self.hand_over = None, True
            return
        self.hand, self.hand_over = hand["hand"], hand["over"]
        self.street, self.board = hand["street"], list(hand["board"])
        self.in_hand = {seat["seat"] for seat in hand["seats"] if not seat["folded"]}
        self.bets = {seat["seat"]: seat["bet"] for seat in hand["seats"]}
        self.pot = sum(seat["staked"] for seat in hand["seats"])
        self.hole_cards, self.cards_of_hand = list(own), hand["hand"]
        if hand["decision"] is not None:
            self._await(hand["decision"], hand["decision"]["turn"])

    def _await(self, data: dict[str, Any], version: int) -> None:
        self.turn = Turn(
            table=self.table,
            hand=self.hand or data.get("hand", 0),
            seat=data["seat"],
            player=data["player"],
            turn=version,
            street=data["street"],
            legal=msgspec.convert(data["legal"], LegalActs),
            until=data["until"],
            bank_until=data["bank_until"],
        )


def _opened(table: TableState, data: dict[str, Any], _: int) -> None:
    table.name, table.configuration = data["name"], data["configuration"]


def _reconfigured(table: TableState, data: dict[str, Any], _: int) -> None:
    table.configuration = data["configuration"]


def _status(status: str) -> Callable[[TableState, dict[str, Any], int], None]:
    def change(table: TableState, _: dict[str, Any], __: int) -> None:
        table.status = status

    return change


def _sits(status: str) -> Callable[[TableState, dict[str, Any], int], None]:
    def change(table: TableState, data: dict[str, Any], _: int) -> None:
        table.seats[data["seat"]] = SeatState(
            data["seat"], data["player"], status, data.get("stack", data.get("chips", 0))
        )

    return change


def _gone(table: TableState, data: dict[str, Any], _: int) -> None:
    table.seats.pop(data["seat"], None)


def _left(table: TableState, data: dict[str, Any], _: int) -> None:
    table.seats.pop(data["seat"], None)
    table.left_with[data["player"]] = data["stack"]


def _set(name: str, value: Callable[[dict[str, Any]], Any]) -> Callable[[TableState, dict[str, Any], int], None]:
    def change(table: TableState, data: dict[str, Any], _: int) -> None:
        if data["seat"] in table.seats:
            setattr(table.seats[data["seat"]], name, value(data))

    return change


def _started(table: TableState, data: dict[str, Any], _: int) -> None:
    table.hand, table.hand_over = data["hand"], False
    table.button, table.street, table.board = data["button"], "preflop", []
    table.in_hand = {seat["seat"] for seat in data["seats"]}
    table.bets, table.pot, table.turn = {}, 0, None
    if table.cards_of_hand != data["hand"]:
        table.hole_cards, table.cards_of_hand = [], data["hand"]
    for seat in data["seats"]:
        if seat["seat"] in table.seats:
            table.seats[seat["seat"]].stack = seat["stack"]


def _chips(table: TableState, data: dict[str, Any], _: int) -> None:
    table.turn = None
    table.bets[data["seat"]] = data["to"]
    table.pot += data["amount"]
    if data["seat"] in table.seats:
        table.seats[data["seat"]].stack = data["stack"]


def _returned(table: TableState, data: dict[str, Any], _: int) -> None:
    table.turn = None
    table.bets[data["seat"]] = max(0, table.bets.get(data["seat"], 0) - data["amount"])
    table.pot -= data["amount"]
    if data["seat"] in table.seats:
        table.seats[data["seat"]].stack = data["stack"]


def _awaited(table: TableState, data: dict[str, Any], version: int) -> None:
    table._await(data, version)


def _folded(table: TableState, data: dict[str, Any], _: int) -> None:
    table.turn = None
    table.in_hand.discard(data["seat"])


def _checked(table: TableState, _: dict[str, Any], __: int) -> None:
    table.turn = None


def _street(table: TableState, data: dict[str, Any], _: int) -> None:
    table.turn, table.street, table.bets = None, data["street"], {}
    table.board = table.board + [card["card"] for card in data["cards"]]


def _ended(table: TableState, data: dict[str, Any], _: int) -> None:
    table.hands_played += 1
    table.turn, table.hand_over, table.pot = None, True, 0
    _stacks(table, data["results"])


def _voided(table: TableState, data: dict[str, Any], _: int) -> None:
    table.turn, table.hand_over, table.pot = None, True, 0
    _stacks(table, data["refunds"])


def _stacks(table: TableState, rows: list[dict[str, Any]]) -> None:
    for row in rows:
        if row["seat"] in table.seats:
            table.seats[row["seat"]].stack = row["stack"]


_CHANGES: dict[str, Callable[[TableState, dict[str, Any], int], None]] = {
    "table_opened": _opened,
    "configuration_activated": _reconfigured,
    "table_paused": _status("paused"),
    "table_resumed": _status("open"),
    "table_closing": _status("closing"),
    "table_closed": _status("closed"),
    "seat_reserved": _sits("reserved"),
    "player_seated": _sits("playing"),
    "seat_released": _gone,
    "player_left": _left,
    "entrant_seated": _sits("playing"),
    "entrant_eliminated": _gone,
    "entrant_moved": _gone,
    "entrant_finished": _gone,
    "top_up_added": _set("stack", lambda data: data["stack"]),
    "player_sat_out": _set("status", lambda _: "sitting_out"),
    "player_sat_in": _set("status", lambda _: "playing"),
    "leave_requested": _set("leaving", lambda _: True),
    "player_invited_to_leave": _set("notice", lambda data: f"invited: {data['reason']}"),
    "player_warned": _set("notice", lambda data: f"warned: {data['reason']}"),
    "hand_started": _started,
    "blind_posted": _chips,
    "bet_placed": _chips,
    "decision_awaited": _awaited,
    "player_folded": _folded,
    "player_checked": _checked,
    "street_dealt": _street,
    "uncalled_bet_returned": _returned,
    "hand_ended": _ended,
    "hand_voided": _voided,
    **HOUSE_CHANGES,
}
