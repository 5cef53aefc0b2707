"""What everybody may know of a table beside what the table itself goes by: what differs between the two."""

from typing import Any

from libs.views.table import Seat, TableView, fold_table
from services.table.domain.table.state import Table
from tests.table.under_test import refolded


class Seen:
    """A view that is kept beside the table, and compared after each event."""

    def __init__(self, table: str) -> None:
        self.view, self.state, self.told = TableView(table), Table(table=table), 0

    def follow(self, table: Any) -> None:
        for event, deck in zip(table.told[self.told :], table.decks[self.told :], strict=True):
            self.told += 1
            self.state = refolded(self.state, event, deck)
            self.view = fold_table(self.view, event, self.told)
            assert differences(self.state, self.view) == {}, (self.told, event)


def view_of(table: Any) -> TableView:
    """The view after all that the table has told."""
    view = TableView("t1")
    for version, event in enumerate(table.told, 1):
        view = fold_table(view, event, version)
    return view


def notices(table: Any, seat: int) -> list[str | None]:
    """What is shown at the seat of invitations and warnings, one after another; null where one is lifted."""
    view = TableView("t1")
    shown: list[str | None] = [None]
    for version, event in enumerate(table.told, 1):
        view = fold_table(view, event, version)
        now: Any = view.seats[seat].notice if seat in view.seats else None
        shown += [now] if now != shown[-1] else []
    return shown[1:]


def notice_of(sitter: Any) -> str | None:
    notice = sitter.notice
    return None if notice is None else f"{'warned' if notice.warned else 'invited'}: {notice.reason}"


def differences(state: Any, view: TableView) -> dict[str, tuple[Any, Any]]:
    """By name: what the table goes by, what people are told."""
    entries = state.waiting.entries
    pairs: dict[str, tuple[Any, Any]] = {
        "seats": (
            {**_players(state.seats.values()), **_players(state.reserved.values())},
            _players(view.seats.values()),
        ),
        "waiting": ([(each.player, each.kind, each.seat) for each in entries], [_waits(each) for each in view.waiting]),
        "offered": (state.waiting.offered_seats(), view.offered),
        "status": (_status(state), "open" if view.status == "paused" else view.status),
        "paused": (state.paused and state.status == "open", view.status == "paused"),
        "announced": (state.announced is not None, view.announced is not None),
        "owing": ((getattr(state, "sessions", None) and state.sessions.owing) or frozenset(), frozenset(view.owing)),
    }
    for number, sitter in state.seats.items():
        shown = view.seats[number]
        of_seat = _of_seat(sitter), _of_view(shown)
        pairs |= {f"{name} of {number}": (value, of_seat[1][name]) for name, value in of_seat[0].items()}
    pairs |= _in_hand(state, view) if hasattr(state, "hand") else _in_round(state, view)
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _status(state: Any) -> str:
    return "open" if state.status == "new" else state.status


def _players(seats: Any) -> dict[int, str]:
    return {each.seat: each.player for each in seats}


def _waits(each: Any) -> tuple[str, str, int | None]:
    return each.player, each.kind, each.seat


def _of_seat(sitter: Any) -> dict[str, Any]:
    return {
        "stack": sitter.stack,
        "leaving": sitter.leaving is not None,
        "topping up": sitter.top_up.amount if sitter.top_up is not None else 0,
        "offline": sitter.offline,
        "out": sitter.is_out and not sitter.unseen,
        "break": sitter.break_until,
        "notice": notice_of(sitter),
    }


def _of_view(seat: Seat) -> dict[str, Any]:
    return {
        "stack": seat.stack,
        "leaving": seat.leaving,
        "topping up": seat.topping_up,
        "offline": seat.offline,
        "out": seat.status == "sitting_out",
        "break": seat.until,
        "notice": seat.notice,
    }


def _in_hand(state: Any, view: TableView) -> dict[str, tuple[Any, Any]]:
    hand, seen = state.hand, view.hand
    if hand is None:
        return {"hand": (False, seen is not None and not seen.over)}
    assert seen is not None
    turn = (hand.turn.seat, hand.turn.until) if hand.turn is not None else None
    told = (seen.decision.seat, seen.decision.until) if seen.decision is not None else None
    at = {seat.seat: seat for seat in seen.seats}
    pot = sum(seat.staked for seat in seen.seats)
    return {
        "hand": (hand.number, seen.hand),
        "turn": (turn, told if turn is not None else None),
        "pot": (hand.pot if hand.ending == "" and not seen.awards else pot, pot),
        "board": (len(hand.board), len(seen.board)),
        "staked": ({number: player.staked for number, player in hand.players.items()}, _by(at, "staked")),
        "folded": ({number: player.folded for number, player in hand.players.items()}, _by(at, "folded")),
        "cards": ({number: list(player.hole) for number, player in hand.players.items()}, _by(at, "positions")),
    }


def _in_round(state: Any, view: TableView) -> dict[str, tuple[Any, Any]]:
    playing, seen = state.round, view.round
    if playing is None:
        return {"round": (False, seen is not None and not seen.over)}
    assert seen is not None
    stakes = {number: dict(held.on) for number, held in playing.stakes.items()}
    shown = {number: dict(seat.stakes) for number, seat in seen.seats.items() if seat.stakes}
    until = playing.until if seen.phase in ("betting", "deciding", "extra_time") else None
    return {"until": (until, seen.until), "stakes": (stakes, shown)}


def _by(at: dict[int, Any], name: str) -> dict[int, Any]:
    return {number: getattr(seat, name) for number, seat in at.items()}
