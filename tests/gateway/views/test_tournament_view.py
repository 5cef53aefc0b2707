"""What everybody sees of a tournament is what it decided, at every event of a whole one; the page says it in words."""

from types import SimpleNamespace
from typing import Any

import pytest

from libs.contracts import tournament_play_events as p
from libs.contracts.tournaments_commands import ConfirmCancellation, ProposeCancellation
from libs.views.tournament import TournamentView, fold_tournament
from services.gateway.app import tournaments as tournaments_of_the_app
from services.gateway.app.tournaments import Tournaments
from services.gateway.http.directing import direct_tournament
from services.gateway.http.entries import get_entry
from services.gateway.http.tournaments import page_of
from services.tournament.domain.state import Tournament
from tests.tournament.course import DECIDER, FLOOR, START, SUPERVISOR
from tests.tournament.hall import Hall
from tests.tournament.test_late_entries import late

STACK = 10_000
LEVELS = [{"small_blind": n, "big_blind": 2 * n, "lasts_ms": 20_000} for n in (10, 20, 40, 80, 200, 500, 2_000)]
BREAKS = [{"after_level": 2, "lasts_ms": 60_000}, {"after_level": 4, "lasts_ms": 30_000}]


@pytest.fixture(scope="module")
def hall() -> Hall:
    payouts = [{"entries": 2, "shares": [4_000, 2_500, 1_500, 1_000, 600, 400]}]
    return Hall(20, seed=7, seats=7, levels=LEVELS, breaks=BREAKS, payouts=payouts).run()


def test_the_view_is_what_was_decided_at_every_event(hall: Hall) -> None:
    view, state = TournamentView("t-1"), Tournament("t-1")
    for version, event in enumerate(hall.course.events, start=1):
        view, state = fold_tournament(view, event, version), DECIDER.evolve(state, event)
        assert (view.status, view.held, view.version) == (state.phase, state.held, version)
        if state.play.level and state.phase == "running":
            assert {entry: (at.table, at.seat) for entry, at in view.play.seats.items()} == dict(state.play.places)
            assert {entry: at.chips for entry, at in view.play.seats.items()} == dict(state.play.stacks)
            assert (view.play.level, view.play.hand_for_hand) == (state.play.level, state.play.hand_for_hand)
            assert (view.play.break_until is not None) == state.play.on_break
    assert len(view.play.results) == 20


async def test_the_page_of_a_running_tournament(hall: Hall) -> None:
    """Thirteen are out, one more place is unpaid."""
    events = hall.course.events
    bubble = [n for n, event in enumerate(events) if isinstance(event, p.EntryEliminated)][12]
    page = _page(events[: bubble + 1])
    assert page.running is not None
    assert (page.running.players_left, page.running.bubble) == (7, True)
    assert page.running.average_stack == 20 * STACK // 7
    assert sum(page.running.tables.values()) == 7
    assert page.running.pay_ladder == [16_000, 10_000, 6_000, 4_000, 2_400, 1_600]
    assert (page.pool, page.results) == (40_000, [])


async def test_the_clock_on_the_page(hall: Hall) -> None:
    events = hall.course.events

    async def at(kind: type[Any], **which: int) -> Any:
        found = next(
            n for n, e in enumerate(events)
            if isinstance(e, kind) and all(getattr(e, name) == value for name, value in which.items())
        )  # fmt: skip
        return _page(events[: found + 1]).running

    first = await at(p.LevelBegan, level=1)
    assert (first.level.big_blind, first.level.ends_at) == (20, START + 20_000)
    assert (first.next_level.big_blind, first.next_break_at, first.break_until) == (40, START + 40_000, None)
    paused = await at(p.BreakBegan, after_level=2)
    assert (paused.break_until, paused.next_break_at) == (START + 100_000, None)
    third = await at(p.LevelBegan, level=3)
    assert (third.level.ends_at, third.next_break_at) == (START + 120_000, START + 140_000)


async def test_a_player_finds_the_own_table_and_hears_why_it_changed(hall: Hall) -> None:
    events = hall.course.events
    moved = next(n for n, event in enumerate(events) if isinstance(event, p.EntryMoves))
    move: Any = events[moved]
    player: Any = SimpleNamespace(player=move.player)
    shown = await get_entry("t-1", player, _gateway(events[: moved + 1]))
    assert shown.seat is not None
    assert shown.seat.last_move is not None
    assert (shown.seat.table, shown.seat.seat) == (f"t-1.t{move.to_table}", move.to_seat)
    assert (shown.seat.last_move.from_table, shown.seat.last_move.reason) == (f"t-1.t{move.table}", move.reason)
    last: Any = next(event for event in reversed(events) if isinstance(event, p.EntryEliminated))
    shown = await get_entry("t-1", SimpleNamespace(player=last.player), _gateway(events))  # type: ignore[arg-type]
    assert (shown.status, shown.place, shown.seat) == ("eliminated", 2, None)


async def test_the_winner_has_the_first_place_and_no_seat(hall: Hall) -> None:
    events = hall.course.events
    winner = hall.of(p.TournamentCompleted)[0].results[0].player
    shown = await get_entry("t-1", SimpleNamespace(player=winner), _gateway(events))  # type: ignore[arg-type]
    assert (shown.status, shown.place, shown.seat) == ("finished", 1, None)
    before = await get_entry("t-1", SimpleNamespace(player=winner), _gateway(events[:-1]))  # type: ignore[arg-type]
    assert (before.status, before.place, before.seat is None) == ("registered", None, False)


async def test_who_enters_late_puts_back_who_is_out_already() -> None:
    """Found by an attacker: who was out before a late entry was told "2" for good, and the result said 3."""
    hall = Hall(8, seed=3, seats=8, levels=LEVELS, late_entry={"level": 6})
    while not hall.of(p.EntryEliminated):
        assert hall.step()
    first = hall.of(p.EntryEliminated)[0]
    player: Any = SimpleNamespace(player=first.player)
    assert (await get_entry("t-1", player, _gateway(hall.course.events))).place == first.first == 8
    late(hall, "late", hall.now)
    assert (await get_entry("t-1", player, _gateway(hall.course.events))).place == 9
    hall.run()
    view = TournamentView("t-1")
    for version, event in enumerate(hall.course.events, start=1):
        view = fold_tournament(view, event, version)
    assert {entry: out.places(view.entered) for entry, out in view.play.out.items()} == {
        each.entry: (each.first, each.last) for each in view.play.results[1:]
    }
    assert (await get_entry("t-1", player, _gateway(hall.course.events))).place == 9


async def test_after_a_cancellation_the_own_entry_says_so_and_what_came_back() -> None:
    hall = Hall(6, seed=1, seats=6)
    while not hall.of(p.HandDealt):
        assert hall.step()
    hall.course.ask(FLOOR, ProposeCancellation(cause="technical", reason="fire"), hall.now)
    hall.course.ask(SUPERVISOR, ConfirmCancellation(sheet=1), hall.now)
    gateway = _gateway(hall.course.events)
    shown = await get_entry("t-1", SimpleNamespace(player="p1"), gateway)  # type: ignore[arg-type]
    assert (shown.status, shown.seat, shown.refunded) == ("cancelled", None, hall.course.credited()["p1"])
    assert shown.refunded > 0
    page = await direct_tournament("t-1", gateway)
    assert page.refund_sheet is None
    assert page.refunds_carried_out is not None
    assert (page.refunds_carried_out["sheet"], len(page.refunds_carried_out["credits"])) == (1, 6)


async def test_the_result_is_published(hall: Hall) -> None:
    page = _page(hall.course.events)
    assert (page.status, page.running, len(page.results)) == ("completed", None, 20)
    assert sum(result.prize for result in page.results) == page.pool == 40_000
    assert [result.first for result in page.results[:2]] == [1, 2]


def test_a_tournament_whose_event_breaks_stands_alone(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(view: TournamentView, event: Any, version: int) -> TournamentView:
        if (view.tournament, version) == ("t-1", 2):
            raise ZeroDivisionError
        return fold_tournament(view, event, version)

    monkeypatch.setattr(tournaments_of_the_app, "fold_tournament", breaks)
    told = Tournaments()
    for version, event in enumerate(hall.course.events[:3], start=1):
        for name in ("t-1", "t-2"):
            told.on_events([(SimpleNamespace(stream=name, version=version, time=0), event)])  # type: ignore[list-item]
    assert {name: view.version for name, view in told.held.items()} == {"t-1": 1, "t-2": 3}
    assert told.told() == "1 tournaments wait for an event that is missing"


def test_lists_follow_every_event_and_are_the_same_when_taken_over(hall: Hall) -> None:
    """Found by an attacker: the lobby asked every tournament that there ever was, at each request."""
    told = Tournaments()

    def looked_for(*statuses: str) -> list[str]:
        return sorted(name for name, view in told.held.items() if view.status in statuses)

    for version, event in enumerate(hall.course.events, start=1):
        for name in ("t-1", "t-2", "t-0"):
            told.on_events([(SimpleNamespace(stream=name, version=version, time=0), event)])  # type: ignore[list-item]
            others = Tournaments()
            if version % 10 == 0:
                others.take([(each, *told.kept(each)) for each in told.held])
            for held in (told, others) if version % 10 == 0 else (told,):
                for statuses in (("proposed",), ("announced", "registering", "running"), ("completed", "cancelled")):
                    assert held.names("", 9, *statuses) == looked_for(*statuses)
                for player in {player for of in told.held["t-1"].by_player for player in of} | {"nobody"}:
                    theirs = held.names("", 9, f"player/{player}")
                    of = [n for n, view in sorted(told.held.items()) if any(player in each for each in view.by_player)]
                    assert theirs == of
    assert len(told.names("", 9, told.held["t-1"].status)) == 3
    assert told.names("t-0", 1, told.held["t-1"].status) == ["t-1"]


def _page(events: Any) -> Any:
    gateway = _gateway(events)
    return page_of(gateway, gateway.tournaments.published("t-1"))


def _gateway(events: Any) -> Any:
    """As much of a gateway as these questions ask."""
    tournaments = Tournaments()
    for version, event in enumerate(events, start=1):
        tournaments.on_events([(SimpleNamespace(stream="t-1", version=version, time=0), event)])  # type: ignore[list-item]
    floors = SimpleNamespace(gateway=lambda table: None)
    return SimpleNamespace(tournaments=tournaments, floors=floors, complaints="")


def test_a_gateway_keeps_no_more_results_than_it_has_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournaments_of_the_app, "MAX_RESULTS", 3)
    held, written = Tournaments(), list[str]()

    def write(view: TournamentView) -> str:
        written.append(view.tournament)
        return f"result of {view.tournament}"

    for number in range(5):
        held.result(TournamentView(f"t{number}", version=1), "ots", write)
    assert len(held._results) == 3
    held.result(TournamentView("t4", version=1), "ots", write)
    assert written == ["t0", "t1", "t2", "t3", "t4"]
    assert held.result(TournamentView("t0", version=1), "ots", write) == "result of t0"
    assert written[-1] == "t0"
