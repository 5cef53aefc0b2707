"""Decision time, time bank and what the house does when they are over (44, 45); hours of a table (6.a, 6.b)."""

from typing import Any

from libs.contracts.poker_events import (
    BetPlaced,
    BlindPosted,
    DecisionAwaited,
    HandStarted,
    PlayerChecked,
    PlayerFolded,
)
from libs.contracts.table_commands import LeaveTable
from libs.contracts.table_events import PlayerLeft, TableClosed
from libs.contracts.waiting_list_commands import WaitingListReason as Reason
from libs.contracts.waiting_list_events import SeatOffered
from tests.table.asking import join, player
from tests.table.omaha.house import House
from tests.table.omaha.play import portugal
from tests.table.play import PORTUGAL, TableUnderTest
from tests.table.views import view_of
from tests.testkit.cases import Case


def dealt(case: Case, **changes: Any) -> TableUnderTest:
    return TableUnderTest(decision_ms=case.int("seconds") * 1000, **changes).seat(1, 2, 3).deal(button=1)


def time_is_over(case: Case, table: TableUnderTest) -> TableUnderTest:
    """Woken a millisecond before the last one that is too late, which does nothing, and then at it."""
    table.now = table.told[-1].at + case.int("seconds") * 1000
    table.wake()
    assert table.last == []
    return table.later(1)


@portugal("44/1")
def test_the_bank_pays_for_what_is_over(case: Case) -> None:
    table = dealt(case, time_bank_ms=case.int("bank") * 1000)
    table.later(case.int("after") * 1000)
    assert table.act(1, "call") is None
    (bet,) = table.of(BetPlaced)
    assert (case.int("bank") - case.int("taken")) * 1000 == bet.time_bank_left == case.int("left") * 1000
    table.later(case.int("seconds") * 1000 - 1)
    assert table.act(2, "call") is None
    (in_time,) = table.of(BetPlaced)
    assert in_time.time_bank_left == case.int("bank") * 1000, "who decides in time keeps it, and gets no more"
    table.plays("3 check", "2 check", "3 check")
    (awaited,) = table.of(DecisionAwaited)
    assert (awaited.seat, awaited.bank_until - awaited.until) == (1, case.int("left") * 1000)


@portugal("44/2")
def test_without_a_bank_the_house_decides_at_once(case: Case) -> None:
    table = dealt(case, time_bank_ms=case["bank"])
    assert [event.actor for event in time_is_over(case, table).of(PlayerFolded)] == ["house"]


@portugal("45/1")
def test_time_over_with_nothing_to_call(case: Case) -> None:
    table = dealt(case, time_bank_ms=5000).plays("1 call", "2 call", "3 check")
    table.time_out().plays("3 check", "1 check")
    assert (table.hand.street, table.turn, table.state.seats[2].time_bank) == ("turn", 2, 0)
    time_is_over(case, table)
    assert [(event.seat, event.actor, event.reason) for event in table.of(PlayerChecked)] == [(2, "house", "timeout")]
    assert not table.hand.players[2].folded


@portugal("45/2")
def test_time_over_facing_a_bet(case: Case) -> None:
    table = dealt(case, big_blind=case["bet"]).plays("1 call", "2 call", "3 check", f"2 bet {case['bet']}")
    assert table.legal[1] == case["bet"]
    pot = table.hand.pot
    time_is_over(case, table)
    assert [(event.seat, event.actor, event.reason) for event in table.of(PlayerFolded)] == [(3, "house", "timeout")]
    assert (table.hand.pot, table.hand.players[3].committed) == (pot, case["bet"])


@portugal("45/3")
def test_time_over_for_the_big_blind(case: Case) -> None:
    table = time_is_over(case, dealt(case).plays("1 call", "2 call"))
    assert [(event.seat, event.reason) for event in table.of(PlayerChecked)] == [(3, "timeout")]
    assert table.hand.street == "flop"


@portugal("45/4")
def test_of_two_in_the_same_millisecond_one_is_booked() -> None:
    for late in (0, 1):
        for wake_first in (True, False):
            table = TableUnderTest().seat(1, 2, 3).deal(button=1)
            table.now = table.deadline + late
            told = len(table.told)
            if wake_first:
                table.wake()
            refused = table.act(1, "call")
            table.wake()
            decided = [
                event
                for event in table.told[told:]
                if isinstance(event, BetPlaced | PlayerFolded | PlayerChecked) and event.seat == 1
            ]
            assert len(decided) == 1
            assert isinstance(decided[0], PlayerFolded) == bool(late) == (refused is not None)


@portugal("6.a/1")
def test_at_a_continuous_table_a_seat_is_taken_at_any_hour(case: Case) -> None:
    table = TableUnderTest(mode="continuous")
    there = House(table, **{f"p{seat}": 10_000 for seat in range(1, case.int("players") + 2)})
    table.now = case.moment("time") - 1000
    for seat in range(1, case.int("players") + 1):
        assert there.sits(seat, 10_000) is None
    table.deal(button=1)
    table.now = case.moment("time")
    newcomer = case.int("players") + 1
    assert there.sits(newcomer, 10_000) is None
    assert table.stacks[newcomer] == 10_000
    while newcomer not in {seat.seat for event in table.of(HandStarted) for seat in event.seats}:
        table.folds_round().wake()
    assert [event.seat for event in table.of(BlindPosted) if event.blind == "big"] == [newcomer]


HALF_AN_HOUR = 1_800_000
OPENS, CLOSES = 72_000_000, 79_200_000
"""20:00 and 22:00."""


def registered(table: TableUnderTest, at: int, *names: str) -> None:
    """On the list from then on, one a millisecond after the other."""
    table.now = at
    for name in names:
        assert join(table, name) is None
        table.now += 1


def seats_drawn(table: TableUnderTest, there: House, opens: int) -> None:
    """All who were drawn for a seat take it."""
    table.now = opens
    table.wake()
    for seat, name in table.state.waiting.offered_seats().items():
        assert table.take(seat, 10_000, name) is None
    there.settle()


@portugal("6.b/1")
def test_who_is_not_registered_gets_no_seat(case: Case) -> None:
    opens, closes = case.moment("opens"), case.moment("closes")
    table = TableUnderTest(PORTUGAL, mode="session", opens_at=opens, closes_at=closes)
    there = House(table, p1=10_000, p2=10_000)
    registered(table, opens - HALF_AN_HOUR, "p1", "p2")
    seats_drawn(table, there, opens)
    table.now = case.moment("asks")
    for free in table.state.free_seats:
        assert table.take(free, 10_000, "stranger") == "not_registered"
    assert table.refused is not None
    assert table.refused.rule == "pt-811-2015#6.b"
    assert (len(table.state.seats), table.state.reserved) == (2, {})


@portugal("6.b/2")
def test_a_seat_is_offered_in_the_order_of_registration(case: Case) -> None:
    """Whatever their names."""
    for first, second in (("q", "r"), ("r", "q")):
        seat = case.int("seat")
        table = TableUnderTest(PORTUGAL, seats=seat, mode="session", opens_at=OPENS, closes_at=CLOSES)
        players = [f"p{number}" for number in range(1, seat + 1)]
        there = House(table, **dict.fromkeys(players, 10_000))
        registered(table, OPENS - HALF_AN_HOUR, *players)
        registered(table, case.moment("first"), first)
        seats_drawn(table, there, OPENS)
        assert sorted(table.state.seats) == list(range(1, seat + 1))
        registered(table, case.moment("second"), second)
        table.now = case.moment("free")
        if table.state.hand is not None:
            table.folds_round()
        assert table.send(player(table.state.seats[seat].player), LeaveTable()) is None
        table.wake()
        assert [(event.player, event.seat) for event in table.of(SeatOffered)] == [(first, seat)]
        gone = table.of(PlayerLeft, True)[-1]
        assert table.take(seat, gone.stack, gone.player) == Reason.NOT_REGISTERED, "who has left is not registered"
        assert join(table, gone.player, "again") is None
        assert table.take(seat, gone.stack, gone.player) == Reason.SEAT_OFFERED
        assert table.take(seat, 10_000, first) is None


@portugal("6.b/3")
def test_at_the_end_of_the_hours_the_hand_is_finished(case: Case) -> None:
    closes = case.moment("closes")
    table = TableUnderTest(PORTUGAL, mode="session", opens_at=OPENS, closes_at=closes)
    there = House(table, p1=10_000, p2=10_000)
    registered(table, OPENS - HALF_AN_HOUR, "p1", "p2")
    seats_drawn(table, there, OPENS)
    table.now = closes - 1
    table.wake()
    assert table.state.hand is not None
    assert join(table, "late") is None
    table.now = closes
    table.wake()
    there.settle()
    assert (table.state.hand is not None, len(table.state.seats)) == (True, 2)
    assert (table.state.waiting.entries, view_of(table).waiting) == ((), ())
    hand = table.hand.number
    table.folds_round()
    home = {event.player: event.stack for event in table.of(PlayerLeft)}
    assert sum(home.values()) == 20_000
    assert table.of(TableClosed)
    table.later(60_000)
    there.settle()
    assert {f"p{number}": there.available(number) for number in (1, 2)} == home
    assert (there.reserved(1), there.reserved(2), table.state.hands) == (0, 0, hand)
