"""Lists and seats: pt-217-2007 8.a, 10, 11, 12, 14.k, 25, 26, 27; pt-811-2015 6.b."""

from collections import Counter
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from libs.contracts import draw_commands as draws
from libs.contracts.conduct_commands import ConductReason
from libs.contracts.draw_commands import DrawReason
from libs.contracts.draw_events import PlacesAssigned, SeatsDrawn, TableChangeGranted, TablesDrawn
from libs.contracts.messages import Principal
from libs.contracts.table_commands import LeaveTable
from libs.contracts.table_commands import TableReason as AtTable
from libs.contracts.table_events import PlayerSeated, TableClosed, TableClosing
from libs.contracts.waiting_list_commands import WaitingListReason as Reason
from libs.contracts.waiting_list_events import SeatChanged, SeatOffered, WaitingListLeft
from services.table.domain.games.poker.entering import stack_to_enter
from services.table.domain.games.poker.state import PokerTable
from services.table.domain.games.registry import game_of
from services.table.domain.table.draws import seats_by_lot, tables_by_suit
from services.table.domain.table.state import WaitingList
from tests.table.asking import FLOOR, ask_change, draw, draw_tables, favour, join, player
from tests.table.baccarat.play import CoupTable
from tests.table.casino.play import casino, rule
from tests.table.luck import seeded_shuffler
from tests.table.no_draw.play import NoDraw
from tests.table.play import PORTUGAL, TableUnderTest

HOUR = 3_600_000


def portugal(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-811-2015", *refs)


def full(**changes: Any) -> TableUnderTest:
    return casino(*range(1, 11), **changes)


def waiting(table: TableUnderTest) -> list[str]:
    return [entry.player for entry in table.state.waiting.entries]


def offered(table: TableUnderTest) -> list[tuple[str, int]]:
    return [(event.player, event.seat) for event in table.of(SeatOffered)]


@rule("8.a")
def test_the_list_keeps_its_order_kinds_and_times_over_a_restart() -> None:
    table = full()
    assert join(table, "x") is None
    table.now += 5_000
    assert join(table, "y") is None
    assert ask_change(table, "p2") is None
    raw = msgspec.msgpack.encode(table.state.waiting)
    listed = msgspec.msgpack.decode(raw, type=WaitingList).entries
    assert [(each.player, each.kind) for each in listed] == [
        ("x", "entry"),
        ("y", "entry"),
        ("p2", "seat_change"),
    ]
    assert listed[1].at - listed[0].at == 5_000
    assert join(table, "x") == Reason.ALREADY_WAITING


@rule("12.a", "8.a")
def test_who_sits_here_changes_first_and_the_seat_left_goes_to_the_list() -> None:
    table = full()
    assert join(table, "x") is None
    table.now += 1
    assert ask_change(table, "p2") is None
    assert table.leave(6) is None
    table.wake()
    (changed,) = table.of(SeatChanged)
    assert (changed.player, changed.from_seat, changed.to_seat) == ("p2", 2, 6)
    table.wake()
    assert offered(table) == [("x", 2)] or table.state.waiting.offered_seats() == {2: "x"}
    assert table.state.seats[6].player == "p2"
    assert table.take(2, 20_000, "z") == Reason.SEAT_OFFERED
    assert table.take(2, stack_to_enter(table.state), "x") is None


@rule("12.b")
def test_two_seats_for_three_are_called_in_order_and_drawn_between_the_two() -> None:
    seats, shuffler = set(), seeded_shuffler()
    for _ in range(40):
        table = full()
        table.shuffler = shuffler
        for name in ("x", "y", "z"):
            table.now += 1
            assert join(table, name) is None
        assert table.leave(3) is None
        assert table.leave(8) is None
        table.wake()
        (drawn,) = table.of(SeatsDrawn)
        assert {each.player for each in drawn.seats} == {"x", "y"}
        assert {each.seat for each in drawn.seats} == {3, 8}
        assert drawn.generator
        assert (drawn.waiting, waiting(table)[-1]) == (["z"], "z")
        seats.add(next(each.seat for each in drawn.seats if each.player == "x"))
    assert seats == {3, 8}, "the lot, and not the list, says which seat"


@rule("12.b")
def test_equal_times_are_resolved_by_a_recorded_draw() -> None:
    won, shuffler = set(), seeded_shuffler()
    for _ in range(40):
        table = full()
        table.shuffler = shuffler
        assert join(table, "w") is None
        assert join(table, "z") is None
        assert table.leave(4) is None
        table.wake()
        (drawn,) = table.of(SeatsDrawn)
        won.add(drawn.seats[0].player)
        assert len(drawn.seats) == 1
    assert won == {"w", "z"}


@rule("12.b")
def test_a_seat_that_is_not_taken_in_time_goes_to_the_next() -> None:
    table = full(offer_ms=60_000)
    for name in ("x", "y"):
        table.now += 1
        assert join(table, name) is None
    assert table.leave(3) is None
    table.wake()
    assert table.due is not None
    assert offered(table) == [("x", 3)]
    table.now += 60_001
    table.wake()
    assert [event.reason for event in table.of(WaitingListLeft, True)] == ["lapsed"]
    if table.state.hand is not None:
        table.folds_round()
        table.wake()
    assert table.state.waiting.offered_seats() == {3: "y"}
    assert table.take(None, stack_to_enter(table.state), "y") is None
    assert table.confirm(3) is None
    assert waiting(table) == []


@rule("10")
def test_one_seat_for_one_player() -> None:
    table = casino(1, 2, 3, 4)
    assert table.take(4, 20_000, "p9") == AtTable.SEAT_TAKEN
    assert table.take(7, 20_000, "p4") == AtTable.ALREADY_SEATED


@rule("11", "27")
def test_seats_are_drawn_among_the_registered_and_nobody_sits_before() -> None:
    table = casino(seats_by_draw=True)
    names = [f"n{number}" for number in range(7)]
    for name in names:
        assert join(table, name) is None
    assert table.take(1, 20_000, "n0") == Reason.SEATS_BY_DRAW
    assert draw(table) is None
    (drawn,) = table.of(SeatsDrawn)
    seats = [each.seat for each in drawn.seats]
    assert len(set(seats)) == 7
    assert set(seats) <= set(range(1, 11))
    assert (drawn.draw, drawn.by) == (1, "floor-1")
    seat = next(each.seat for each in drawn.seats if each.player == "n3")
    assert table.take(None, 20_000, "n3") is None
    assert table.confirm(seat) is None
    (seated,) = table.of(PlayerSeated)
    assert seated.seat == seat
    assert draw(casino(seats_by_draw=True)) == DrawReason.NOBODY_REGISTERED


@rule("11")
@pytest.mark.parametrize("rounds", [10_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_over_many_draws_every_player_gets_every_seat_as_often(rounds: int) -> None:
    """Chi-square over seven players and ten seats, p > 0.00001 (63 degrees of freedom: 121)."""
    shuffler, names, free = seeded_shuffler(), [f"n{n}" for n in range(7)], list(range(1, 11))
    fresh = shuffler.shuffle()
    counts: Counter[tuple[str, int]] = Counter()
    for _ in range(rounds):
        order = shuffler._permutation(tuple(range(1, 12)))
        among = shuffler._permutation(tuple(range(7)))
        players = [names[number] for number in among]
        seats = [seat for seat in order if seat in free]
        counts.update(zip(players, seats, strict=False))
    expected = rounds / 10
    chi = sum((counts[name, seat] - expected) ** 2 / expected for name in names for seat in free)
    assert chi < 121
    drawn = seats_by_lot(names, (), free, fresh)
    assert [seat for _, seat in drawn] == [seat for seat in fresh.seat_order if seat in free][:7]


@rule("27")
@pytest.mark.parametrize(("played", "certain"), [(6, 6), (12, 10)])
def test_who_played_the_session_before_is_seated_first(played: int, certain: int) -> None:
    names = [f"n{number}" for number in range(13)]
    before = set(names[:played])
    others, shuffler = set(), seeded_shuffler()
    for _ in range(40):
        seats = seats_by_lot(names, before, list(range(1, 11)), shuffler.shuffle())
        sitting = {name for name, _ in seats}
        assert len(seats) == len(sitting) == 10
        assert len(sitting & before) == certain
        others |= sitting - before
    assert others == (set(names[6:]) if played == 6 else set())


@rule("25")
def test_tables_are_drawn_by_suits_and_one_sits_where_one_was_drawn() -> None:
    table = casino(seats_by_draw=True)
    names = [f"n{number}" for number in range(13)]
    for name in names:
        assert join(table, name) is None
    assert draw_tables(table, "t2") is None
    (drawn,) = table.of(TablesDrawn)
    assert sorted(Counter(card.of_table for card in drawn.cards).values()) == [6, 7]
    assert {(card.suit, card.of_table) for card in drawn.cards} == {("s", "t1"), ("h", "t2")}
    assert sorted(card.player for card in drawn.cards) == sorted(names)
    elsewhere = next(card.player for card in drawn.cards if card.of_table == "t2")
    assert elsewhere not in waiting(table)
    assert table.take(1, 20_000, elsewhere) == DrawReason.TABLE_ASSIGNED_BY_DRAW
    assert join(table, elsewhere, "again") == DrawReason.TABLE_ASSIGNED_BY_DRAW


@rule("25")
def test_the_other_table_hears_of_the_draw() -> None:
    table = casino()
    command = draws.AssignPlaces(players=["a", "b"], suits=["s", "h"], tables=["t0", "t1"], drawn_at="t0")  # fmt: skip
    assert table.send(Principal("policy", "table"), command) is None
    assert table.of(PlacesAssigned)
    assert table.take(1, 20_000, "a") == DrawReason.TABLE_ASSIGNED_BY_DRAW
    assert table.take(1, 20_000, "b") is None


@rule("25")
def test_sizes_differ_by_at_most_one_however_many_there_are() -> None:
    shuffler = seeded_shuffler()
    for count in range(2, 45):
        drawn = tables_by_suit([f"n{n}" for n in range(count)], ["a", "b", "c"], shuffler.shuffle())
        sizes = Counter(card.of_table for card in drawn)
        assert max(sizes.values()) - min(sizes[t] for t in ("a", "b", "c")) <= 1


@rule("26")
@pytest.mark.parametrize(
    ("here", "there", "kept", "answer"),
    [
        (6, 5, 0, None),
        (6, 5, 100, DrawReason.STACK_NOT_LOST),
        (4, 3, 0, DrawReason.WOULD_DROP_BELOW_MINIMUM),
        (5, 6, 0, DrawReason.WOULD_UNBALANCE),
    ],
)
def test_another_table_only_after_all_is_lost_and_without_unbalancing(
    here: int, there: int, kept: int, answer: str | None
) -> None:
    table = casino(mode="session")
    for seat in range(1, here + 1):
        assert join(table, f"p{seat}") is None
        assert table.take(seat, 20_000) is None
        assert table.confirm(seat) is None
    books = replace(table.state.books, left=20_000 - kept)
    seats = {**table.state.seats, 1: replace(table.state.seats[1], stack=kept)}
    table.state = replace(table.state, seats=seats, books=books)
    wish = draws.AskTableChange(to_table="t2", players_there=there)
    assert table.send(Principal("player", "p1"), wish) == answer
    if answer is None:
        assert [event.to_table for event in table.of(TableChangeGranted)] == ["t2"]
        assert 1 not in table.state.seats


def test_a_wish_for_another_seat_goes_with_its_player() -> None:
    """Left on the list it would have the timer wake the table for ever, to no purpose."""
    table = full()
    assert ask_change(table, "p2") is None
    assert table.leave(2) is None
    assert [(event.player, event.reason) for event in table.of(WaitingListLeft)] == [("p2", "player")]
    assert table.state.waiting.entries == ()
    table.wake()
    assert not table.of(SeatChanged)


def test_a_wish_that_an_older_journal_left_behind_wakes_nobody() -> None:
    table = full()
    assert ask_change(table, "p2") is None
    left_behind = table.state.waiting
    assert table.leave(2) is None
    table.state = replace(table.state, waiting=left_behind)
    while (due := table.due) is not None and due <= table.now:
        table.wake()
        assert table.last, "due, and nothing happens"


@pytest.mark.parametrize("kind", [CoupTable, NoDraw])
def test_lots_are_drawn_for_the_seats_of_any_game(kind: type[Any]) -> None:
    table: Any = kind(seats=3)
    for name in ("x", "y"):
        assert join(table, name) is None
    table.wake(table.shuffler.shuffle()) if kind is NoDraw else table.wake(drawn_for(table))
    assert sorted(table.state.waiting.offered_seats().values()) == ["x", "y"]
    assert not table.state.paused


def drawn_for(table: Any) -> Any:
    return game_of(table.state.rules).supply(table.state, table.shuffler)


@rule("14.k", "12.a")
def test_two_cannot_swap_seats() -> None:
    table = full()
    assert ask_change(table, "p1", 2) is None
    assert ask_change(table, "p2", 1) == ConductReason.SEAT_SWAP_NOT_ALLOWED
    assert favour(table, "p2", "swap_seats") == ConductReason.SEAT_SWAP_NOT_ALLOWED
    assert table.refused is not None
    assert table.refused.rule == "pt-217-2007#14.k"


@portugal("6.b")
def test_at_a_session_table_only_the_registered_play_in_the_order_of_registration() -> None:
    start = 1_000_000 + 10 * HOUR
    hours = {"mode": "session", "opens_at": start, "closes_at": start + 2 * HOUR}
    table = TableUnderTest(PORTUGAL, seats=2, **hours)
    table.now = start - HOUR
    for name in ("p1", "p2"):
        assert join(table, name) is None
        table.now += 1
    assert join(table, "q") is None
    table.now = start
    table.wake()
    for seat in (1, 2):
        name = table.state.waiting.offered_seats()[seat]
        assert table.take(seat, 10_000, name) is None
        assert table.confirm(seat) is None
    table.now = start + 30 * 60_000
    assert table.take(None, 10_000, "stranger") in (Reason.NOT_REGISTERED, AtTable.TABLE_FULL)
    table.now += 10 * 60_000
    assert join(table, "r") is None
    table.now = start + HOUR
    while table.state.hand is not None:
        assert table.act(table.turn or 0, "fold") is None
    first = table.state.seats[1].player
    assert table.send(player(first), LeaveTable()) is None
    if table.state.hand is not None:
        table.folds_round()
    table.wake()
    assert [event.player for event in table.of(SeatOffered)] == ["q"], "registered before r"
    assert table.take(1, 10_000, "stranger") == Reason.NOT_REGISTERED
    assert table.refused is not None
    assert table.refused.rule == "pt-811-2015#6.b"


@portugal("6.b")
def test_a_hand_in_progress_at_the_end_of_the_hours_is_finished_and_everybody_goes_home() -> None:
    end = 1_000_000 + HOUR
    table = TableUnderTest(PORTUGAL, mode="session", opens_at=1_000_000, closes_at=end)
    for seat in (1, 2):
        assert join(table, f"p{seat}") is None
        assert table.take(seat, 10_000) is None
        assert table.confirm(seat) is None
    table.now = end - 1
    table.deal(button=1)
    assert table.state.hand is not None
    table.now = end
    table.wake()
    assert table.of(TableClosing)
    assert table.state.hand is not None, "the hand goes on"
    table.folds_round()
    assert table.of(TableClosed)
    assert table.state.status == "closed"


def test_tables_without_lists_are_as_they_were() -> None:
    assert isinstance(casino(1, 2, 3, 4).state, PokerTable)
    assert FLOOR.kind == "staff"
