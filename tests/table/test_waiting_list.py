"""Lists and seats: pt-217-2007 8.a, 10, 11, 12, 14.k, 25, 26, 27; pt-811-2015 6.b."""

from collections import Counter
from statistics import NormalDist
from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts import draw_commands as draws
from libs.contracts import waiting_list_commands as waiting_list
from libs.contracts.conduct_commands import ConductReason
from libs.contracts.draw_commands import DrawReason
from libs.contracts.draw_events import PlacesAssigned, SeatsDrawn, TableChangeGranted, TablesDrawn
from libs.contracts.messages import Principal, PublicEvent
from libs.contracts.table_commands import LeaveTable
from libs.contracts.table_commands import TableReason as AtTable
from libs.contracts.table_events import PlayerLeft, PlayerSeated, TableClosed, TableClosing
from libs.contracts.waiting_list_commands import WaitingListReason as Reason
from libs.contracts.waiting_list_events import SeatChanged, SeatOffered, WaitingListLeft
from services.table.domain.games.poker.entering import stack_to_enter
from services.table.domain.games.poker.state import PokerTable
from services.table.domain.games.registry import game_of
from services.table.domain.table.draws import seats_by_lot, tables_by_suit
from services.table.machine import decode_command
from services.table.policies.reactions import TO_TABLES
from tests.table.asking import FLOOR, ask_change, draw, draw_tables, favour, join, player
from tests.table.baccarat.play import CoupTable
from tests.table.casino.play import casino, in_session, rule, stack_left
from tests.table.luck import seeded_shuffler
from tests.table.no_draw.play import NoDraw
from tests.table.play import PORTUGAL, TableUnderTest
from tests.table.test_whole_tables import CODEC
from tests.table.under_test import SECOND, policy
from tests.table.views import view_of
from tests.testkit.cases import Case

HOUR = 3_600_000


def portugal(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-811-2015", *refs)


def full(**changes: Any) -> TableUnderTest:
    return casino(*range(1, 11), **changes)


def waiting(table: TableUnderTest) -> list[str]:
    return [entry.player for entry in table.state.waiting.entries]


def left_with(table: TableUnderTest) -> int:
    """The stack of who has just left."""
    return table.of(PlayerLeft, True)[-1].stack


def offered(table: TableUnderTest) -> list[tuple[str, int]]:
    return [(event.player, event.seat) for event in table.of(SeatOffered)]


@rule("8.a/1")
def test_the_list_keeps_its_order_kinds_and_times_over_a_restart(case: Case) -> None:
    table = full()
    for name, at in (("x", case.moment("first")), ("y", case.moment("second"))):
        table.now = at
        assert join(table, name) is None
    assert ask_change(table, "p2") is None
    restarted = CODEC.decode_state("t1", CODEC.encode_state("t1", table.state))
    for listed in (table.state.waiting.entries, restarted.waiting.entries):
        assert [(each.player, each.kind, each.at) for each in listed] == [
            ("x", "entry", case.moment("first")),
            ("y", "entry", case.moment("second")),
            ("p2", "seat_change", case.moment("second")),
        ]
    assert join(table, "x") == Reason.ALREADY_WAITING


@rule("12.a/1", "8.a")
def test_who_sits_here_changes_first_and_the_seat_left_goes_to_the_list(case: Case) -> None:
    free, own = case.int("free"), case.int("from")
    table = full()
    table.now = case.moment("waits_since")
    assert join(table, "x") is None
    table.now = case.moment("asked")
    assert ask_change(table, f"p{own}") is None
    assert table.leave(free) is None
    table.wake()
    (changed,) = table.of(SeatChanged)
    assert (changed.player, changed.from_seat, changed.to_seat) == (f"p{own}", own, free)
    told = view_of(table).seats
    assert (told[free].player, own in told) == (f"p{own}", False), "at one seat only"
    table.wake()
    assert offered(table) == [("x", own)] or table.state.waiting.offered_seats() == {own: "x"}
    assert table.state.seats[free].player == f"p{own}"
    assert table.take(own, 20_000, "z") == Reason.SEAT_OFFERED
    assert table.take(own, left_with(table), f"p{free}") == Reason.SEAT_OFFERED, "nor who has just left"
    assert table.take(own, stack_to_enter(table.state), "x") is None


@rule("12.b/1")
def test_two_seats_for_three_are_called_in_order_and_drawn_between_the_two(case: Case) -> None:
    free, shuffler, given = case.ints("seats"), seeded_shuffler(), set()
    for _ in range(40):
        table = full()
        table.shuffler = shuffler
        for name in ("x", "y", "z"):
            table.now += 1
            assert join(table, name) is None
        for seat in free:
            assert table.leave(seat) is None
        table.wake()
        (drawn,) = table.of(SeatsDrawn)
        assert {each.player for each in drawn.seats} == {"x", "y"}
        assert sorted(each.seat for each in drawn.seats) == free
        assert drawn.generator
        assert (drawn.waiting, waiting(table)[-1]) == (["z"], "z")
        given.add(next(each.seat for each in drawn.seats if each.player == "x"))
    assert given == set(free), "the lot, and not the list, says which seat"


@rule("12.b/1")
def test_who_has_just_left_has_no_right_before_the_list(case: Case) -> None:
    """Nor before whom a seat is kept for: who comes back has to bring the stack (14.h), and to wait."""
    free, table = case.ints("seats"), full()
    for name in ("x", "y", "z"):
        table.now += 1
        assert join(table, name) is None
    for seat in free:
        assert table.leave(seat) is None
    stack, leaver = left_with(table), f"p{free[-1]}"
    assert table.take(free[0], stack, leaver) == Reason.WAIT_YOUR_TURN, "before anything is offered"
    table.wake()
    assert set(table.state.waiting.offered_seats()) == set(free)
    for seat in free:
        assert table.take(seat, stack, leaver) == Reason.SEAT_OFFERED
    assert table.take(None, stack, leaver) == Reason.WAIT_YOUR_TURN
    for seat, name in table.state.waiting.offered_seats().items():
        assert table.take(seat, stack_to_enter(table.state), name) is None
        assert table.confirm(seat) is None
    assert waiting(table) == ["z"]


def test_a_seat_that_is_kept_for_one_does_not_close_the_others() -> None:
    """Somebody with a cent had a seat kept, and whoever asked for another one was told to wait."""
    table = casino(1, 2, 3)
    assert join(table, "x") is None
    table.wake()
    ((_, kept),) = offered(table)
    stack, seats = stack_to_enter(table.state), [seat for seat in table.state.free_seats if seat != kept]
    assert table.take(kept, stack, "ann") == Reason.SEAT_OFFERED
    assert table.take(seats[0], stack, "ann") is None
    for number, _ in enumerate(seats[1:]):
        assert table.take(None, stack, f"b{number}") is None
    assert table.take(None, stack, "zoe") == Reason.WAIT_YOUR_TURN, "the only seat left is kept"
    assert kept not in [reserved.seat for reserved in table.state.reserved.values()]


def test_who_let_a_kept_seat_go_by_has_no_other_place_for_a_while() -> None:
    table = full(offer_ms=60_000)
    assert join(table, "x") is None
    assert table.leave(3) is None
    table.wake()
    assert offered(table) == [("x", 3)]
    table.now += 60_001
    table.wake()
    let_go = table.now
    assert join(table, "x", "x2") == Reason.OFFER_LAPSED
    assert join(table, "y") is None
    table.now = let_go + 5 * 60_000
    assert join(table, "x", "x3") is None
    assert dict(table.state.waiting.lapsed) == {"x": let_go}


def test_who_leaves_while_a_seat_is_kept_has_no_other_place_for_a_while_either() -> None:
    """Found by an attacker: eight accounts joined and left in time, by turns, and kept a table empty for ever."""
    table = full(offer_ms=60_000)
    assert join(table, "x") is None
    assert join(table, "y") is None
    assert table.leave(3) is None
    table.wake()
    assert offered(table) == [("x", 3)]
    assert table.send(player("y"), waiting_list.LeaveWaitingList()) is None
    assert join(table, "y", "y2") is None, "none was kept for that one"
    assert table.send(player("x"), waiting_list.LeaveWaitingList()) is None
    assert join(table, "x", "x2") == Reason.OFFER_LAPSED
    table.now += 5 * 60_000
    assert join(table, "x", "x3") is None


@rule("12.b/2")
def test_equal_times_are_resolved_by_a_recorded_draw(case: Case) -> None:
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


@rule("10/1")
def test_one_seat_for_one_player(case: Case) -> None:
    table = casino(1, 2, 3, 4)
    state = table.state
    for seat, name, reason in (
        (case["taken"], "p9", AtTable.SEAT_TAKEN),
        (case["second"], "p4", AtTable.ALREADY_SEATED),
    ):
        assert table.take(seat, 20_000, name) == reason
        assert table.refused is not None
        assert table.refused.rule == "pt-217-2007#10"
        assert table.state is state


@rule("11", "27")
def test_seats_are_drawn_among_the_registered_and_nobody_sits_before() -> None:
    table = casino(seats_by_draw=True)
    names = [f"n{number}" for number in range(7)]
    for name in names:
        assert join(table, name) is None
    assert table.take(1, 20_000, "n0") == Reason.SEATS_BY_DRAW
    assert draw(table) is None
    (drawn,) = table.of(SeatsDrawn)
    assert (drawn.draw, drawn.by) == (1, "floor-1")
    seat = next(each.seat for each in drawn.seats if each.player == "n3")
    assert table.take(None, 20_000, "n3") is None
    assert table.confirm(seat) is None
    (seated,) = table.of(PlayerSeated)
    assert seated.seat == seat
    assert draw(casino(seats_by_draw=True)) == DrawReason.NOBODY_REGISTERED


@pytest.mark.slow
@rule("11/1")
def test_over_many_draws_every_player_gets_every_seat_as_often(case: Case) -> None:
    """Of the first draw the table's own event; of all of them the lot that it is made of. Chi-square, 63 degrees."""
    names = [f"n{number}" for number in range(case["players"])]
    free = [*range(case["lowest"], case.int("seats") + 1)]
    table = casino(seats_by_draw=True)
    for name in names:
        assert join(table, name) is None
    assert draw(table) is None
    (drawn,) = table.of(SeatsDrawn)
    assert drawn.draw == 1
    assert {each.player for each in drawn.seats} == set(names)
    assert len({each.seat for each in drawn.seats}) == len(names)
    shuffler = seeded_shuffler()
    counts: Counter[tuple[str, int]] = Counter()
    for _ in range(case["draws"]):
        seats = seats_by_lot(names, (), free, shuffler.shuffle())
        assert {seat for _, seat in seats} <= set(free)
        counts.update(seats)
    expected = case["draws"] * float(case["frequency"])
    chi = sum((counts[name, seat] - expected) ** 2 / expected for name in names for seat in free)
    degrees = len(names) * (len(free) - 1)
    # Wilson and Hilferty's approximation of the chi-square that is exceeded with this probability.
    normal, spread = NormalDist().inv_cdf(1 - float(case["p"])), 2 / (9 * degrees)
    assert chi < degrees * (1 - spread + normal * spread**0.5) ** 3


def drawn_for_a_session(registered: int, played: int) -> tuple[list[str], list[str], list[str]]:
    """Who was seated of those of the session before and of the others, and who waits, in a draw of one table."""
    names = [f"n{number}" for number in range(registered)]
    table = casino(seats_by_draw=True, rake_mode="session", rake_bp=500)
    sessions = replace(table.state.sessions, number=1, played=frozenset(names[:played]))
    table.state = replace(table.state, sessions=sessions)
    table.shuffler = SHUFFLER
    for name in names:
        assert join(table, name) is None
    assert draw(table) is None
    (drawn,) = table.of(SeatsDrawn)
    assert len({each.seat for each in drawn.seats}) == len(drawn.seats)
    seated = [each.player for each in drawn.seats]
    return [n for n in seated if n in names[:played]], [n for n in seated if n in names[played:]], drawn.waiting


SHUFFLER = seeded_shuffler()


@rule("27/1")
def test_who_played_the_session_before_is_seated_first(case: Case) -> None:
    registered, played = case.int("registered"), case.int("played")
    assert registered - played == case["others"]
    chances = set()
    for _ in range(60):
        first, others, waits = drawn_for_a_session(registered, played)
        assert (len(first), len(others), len(waits)) == (played, case["drawn"], case["waiting"])
        assert len(first) + len(others) == case["seats"]
        chances |= set(others)
    assert len(chances) == case["others"], "each of the others has a chance"


@rule("27/2")
def test_more_of_the_session_before_than_seats_are_drawn_among_themselves(case: Case) -> None:
    chances = set()
    for _ in range(60):
        first, others, _ = drawn_for_a_session(case["registered"], case["played"])
        assert (len(first), others) == (case["seats"], [])
        chances |= set(first)
    assert len(chances) == case["played"]


@rule("25/1")
def test_tables_are_drawn_by_suits_and_one_sits_where_one_was_drawn(case: Case) -> None:
    tables = case.read("tables", dict[str, int])
    one, two = (f"t{number}" for number in tables.values())
    table = casino(seats_by_draw=True)
    assert table.state.rules.played_seats == case["seats"]
    names = [f"n{number}" for number in range(case["players"])]
    for name in names:
        assert join(table, name) is None
    assert draw_tables(table, two) is None
    (drawn,) = table.of(TablesDrawn)
    sizes = Counter(card.of_table for card in drawn.cards)
    assert [sizes[one], sizes[two]] == case["sizes"]
    assert {(card.suit, card.of_table) for card in drawn.cards} == {
        (suit[0], f"t{number}") for suit, number in tables.items()
    }
    assert sorted(card.player for card in drawn.cards) == sorted(names)
    elsewhere = next(card.player for card in drawn.cards if card.of_table == two)
    assert elsewhere not in waiting(table)
    assert table.take(1, 20_000, elsewhere) == DrawReason.TABLE_ASSIGNED_BY_DRAW
    assert join(table, elsewhere, "again") == DrawReason.TABLE_ASSIGNED_BY_DRAW


@rule("25/1")
def test_the_other_table_hears_of_the_draw(case: Case) -> None:
    """What the draw at the first table tells goes through the house's own reaction, as the command on the topic."""
    one, two = (f"t{number}" for number in case.read("tables", dict[str, int]).values())
    first, names = casino(seats_by_draw=True), [f"n{number}" for number in range(case["players"])]
    for name in names:
        assert join(first, name) is None
    assert draw_tables(first, two) is None
    (drawn,) = first.of(TablesDrawn)
    event = PublicEvent(stream=one, version=1, type="", time=first.now, causation="c", data=b"{}")
    (message,) = TO_TABLES[TablesDrawn](event, drawn)
    assert (message.stream, message.type) == (two, "AssignPlaces"), "told to the other, and to no other"
    second = casino()
    second.state = replace(second.state, table=two)
    command = decode_command(message)
    assert isinstance(command, draws.AssignPlaces)
    assert second.send(message.principal, command) is None
    assert second.of(PlacesAssigned)
    told = zip(command.players, command.suits, command.tables, strict=True)
    assert [*told] == [(card.player, card.suit, card.of_table) for card in drawn.cards]
    where = {card.player: card.of_table for card in drawn.cards}
    assert Counter(where.values()) == dict(zip((one, two), case["sizes"], strict=True))
    assert second.state.rules.played_seats == case["seats"]
    away = next(name for name in names if where[name] == one)
    here = next(name for name in names if where[name] == two)
    assert second.take(1, 20_000, away) == DrawReason.TABLE_ASSIGNED_BY_DRAW
    assert second.take(1, 20_000, here) is None


@rule("25")
def test_one_person_draws_tables_once_and_another_one_again() -> None:
    """Found by an attacker: drawn again and again until the company suits."""
    table = casino(mode="session", seats_by_draw=True)
    for number in range(8):
        assert join(table, f"n{number}") is None
    assert draw_tables(table, "t2") is None
    (first,) = table.of(TablesDrawn)
    assert draw_tables(table, "t2") == draw_tables(table, "t2", "t3") == DrawReason.DRAWN_ALREADY
    assert table.refused is not None
    assert table.refused.rule == "pt-217-2007#25"
    assert join(table, "newcomer") is None
    assert draw_tables(table, "t2") == DrawReason.DRAWN_ALREADY, "one after the other would be no lot either"
    spelled = Principal("staff", first.by.upper())
    again = draws.DrawTables(tables=["t2"])
    assert table.send(spelled, again, table.shuffler.shuffle()) == DrawReason.DRAWN_ALREADY
    assert table.send(SECOND, again, table.shuffler.shuffle()) is None
    assert [each.by for each in table.of(TablesDrawn)] == [SECOND.id]
    assert join(table, "another") is None
    assert table.send(SECOND, again, table.shuffler.shuffle()) == DrawReason.DRAWN_ALREADY


@rule("25")
@pytest.mark.parametrize("by", [FLOOR, SECOND])
def test_who_was_drawn_elsewhere_is_drawn_again_there_alone(by: Principal) -> None:
    table, again = casino(mode="session", seats_by_draw=True), draws.DrawTables(tables=["t2"])
    told = draws.AssignPlaces(players=["n1", "n2"], suits=["h", "s"], tables=["t1", "t2"], drawn_at="t2")
    assert table.send(policy(), told) is None
    assert join(table, "newcomer") is None
    assert join(table, "n1") is None
    assert table.send(by, again, table.shuffler.shuffle()) == DrawReason.DRAWN_ALREADY
    assert table.send(player("n1"), waiting_list.LeaveWaitingList()) is None
    assert table.send(by, again, table.shuffler.shuffle()) is None, "only newcomers, and the first draw here"


@rule("25")
def test_sizes_differ_by_at_most_one_however_many_there_are() -> None:
    shuffler = seeded_shuffler()
    for count in range(2, 45):
        drawn = tables_by_suit([f"n{n}" for n in range(count)], ["a", "b", "c"], shuffler.shuffle())
        sizes = Counter(card.of_table for card in drawn)
        assert max(sizes.values()) - min(sizes[t] for t in ("a", "b", "c")) <= 1


def asks_for_the_other(here: int, there: int, kept: int, to: str = "t2") -> tuple[TableUnderTest, str | None]:
    """P1 of a session table with that many players, who has kept so much, asks to go to the other table."""
    table = in_session(here)
    stack_left(table, 1, kept)
    return table, table.send(Principal("player", "p1"), draws.AskTableChange(to_table=to, players_there=there))


@rule("26/1")
def test_who_has_lost_everything_may_go_to_the_other_table(case: Case) -> None:
    one, other = case.ints("tables")
    table, answer = asks_for_the_other(case["here"], case["there"], 0, f"t{other}")
    assert (answer, table.state.table) == (None, f"t{one}")
    assert [event.to_table for event in table.of(TableChangeGranted)] == [f"t{other}"]
    assert [len(table.state.seats), case["there"] + 1] == case["after"]


@rule("26/2")
def test_who_has_chips_left_stays(case: Case) -> None:
    table, answer = asks_for_the_other(case["here"], case["there"], case["stack"])
    assert (answer, 1 in table.state.seats) == (DrawReason.STACK_NOT_LOST, True)


@rule("26/3")
def test_nobody_goes_from_a_table_of_four(case: Case) -> None:
    table, answer = asks_for_the_other(case["here"], case["there"], 0)
    assert (answer, 1 in table.state.seats) == (DrawReason.WOULD_DROP_BELOW_MINIMUM, True)


@rule("26/4")
def test_nobody_goes_where_the_tables_would_be_out_of_balance(case: Case) -> None:
    table, answer = asks_for_the_other(case["here"], case["there"], 0)
    assert (answer, 1 in table.state.seats) == (DrawReason.WOULD_UNBALANCE, True)
    left, there = case.ints("after")
    assert (left, there, there - left) == (case["here"] - 1, case["there"] + 1, case["differ"])


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


@rule("14.k/1", "12.a")
def test_two_cannot_swap_seats(case: Case) -> None:
    free = casino(1, 2, 3, 4, 5)
    assert ask_change(free, "p1", 9) is None
    free.wake()
    assert [event.to_seat for event in free.of(SeatChanged)] == [9], "a free seat may be had"
    table = full()
    assert ask_change(table, "p1", 2) is None
    assert ask_change(table, "p2", 1) == ConductReason.SEAT_SWAP_NOT_ALLOWED
    assert favour(table, "p2", "swap_seats") == ConductReason.SEAT_SWAP_NOT_ALLOWED
    assert table.refused is not None
    assert table.refused.rule == "pt-217-2007#14.k"
    assert [table.state.seats[seat].player for seat in (1, 2)] == ["p1", "p2"]


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
