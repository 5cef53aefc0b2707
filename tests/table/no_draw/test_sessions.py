"""Coming, staying idle and going (pt-803-2015-no-draw 40 to 42)."""

import pytest

from libs.contracts.messages import Principal
from libs.contracts.no_draw_poker_events import AnteWithdrawn, HandSurrendered
from libs.contracts.table_commands import CloseTable
from libs.contracts.table_events import PlayerInvitedToLeave, PlayerLeft, PlayerWarned, RefundSent
from tests.table.no_draw.play import ACE_KING, REGULATION, START, NoDraw
from tests.table.views import notices
from tests.testkit.cases import Case

rule = pytest.mark.rule

HAND = "8c 8d Kh 5h 2s"
OTHER = "9c 9d Kc 6h 3s"


def settled_at_ten() -> NoDraw:
    """A single table whose last round was paid at 10:00:00.000."""
    table = NoDraw(mode="single", opened_at=START - 60_000).at(-60_000).seat(1)
    table.at(-10_000).dealt({1: 100}, {1: HAND}, ACE_KING)
    table.at(0).plays("1 continue")
    assert table.settled.at == START
    return table.wake()


def after_ten(case: Case, name: str) -> int:
    """Milliseconds after 10:00:00.000."""
    return case.moment(name) - 36_000_000


@rule(REGULATION, "41.a/1")
def test_three_minutes_without_a_bet_are_well_and_one_millisecond_more_is_not(case: Case) -> None:
    table = settled_at_ten()
    assert table.settled.at == START + after_ten(case, "settled")
    assert table.at(after_ten(case, "well")).wake().last == []
    assert table.due == START + after_ten(case, "invited")
    table.at(after_ten(case, "invited")).wake()
    assert table.names == ["PlayerInvitedToLeave", "PlayerWarned"]
    assert table.of(PlayerInvitedToLeave)[0].reason == "idle"
    assert notices(table, 1) == ["invited: idle", "warned: idle"]


@rule(REGULATION, "41.a")
def test_time_in_a_round_does_not_count() -> None:
    table = NoDraw(mode="single", decision_ms=400_000).seat(1).dealt({1: 100}, {1: HAND}, ACE_KING)
    table.at(300_000).wake()
    assert table.last == []
    table.plays("1 continue")
    assert table.wake().due == START + 300_000 + 180_001


def warned_alone(case: Case) -> NoDraw:
    table = settled_at_ten().at(after_ten(case, "warned")).wake()
    assert table.names == ["PlayerInvitedToLeave", "PlayerWarned"]
    return table


@rule(REGULATION, "42/1")
def test_a_minute_after_the_warning_the_session_ends_unless_there_was_an_ante(case: Case) -> None:
    """Its statement: tests/wallet/ledger/test_sittings_at_no_draw.py."""
    idle = warned_alone(case)
    assert idle.at(after_ten(case, "ante")).wake().last == []
    assert idle.due == START + after_ten(case, "ends")
    (left,) = idle.at(after_ten(case, "ends")).wake().of(PlayerLeft)
    assert (left.player, left.reason, left.stack) == ("p1", "inactivity", 10_300)
    awake = warned_alone(case).at(after_ten(case, "ante"))
    assert notices(awake, 1) == ["invited: idle", "warned: idle"]
    assert awake.ante(1, 100) is None
    assert notices(awake, 1) == ["invited: idle", "warned: idle", None], "told at once that the session goes on"
    assert awake.at(after_ten(case, "ends")).wake().of(PlayerLeft, everything=True) == []
    assert awake.due == START + after_ten(case, "ante") + 180_001


@rule(REGULATION, "42")
def test_a_minute_in_which_the_house_stood_still_is_no_minute() -> None:
    table = settled_at_ten().at(180_001).wake()
    table.at(300_000).wake(outage=True)
    assert table.names == ["PlayerInvitedToLeave", "PlayerWarned"]
    assert table.at(360_000).wake().of(PlayerLeft)


@pytest.mark.rule(REGULATION, "42", "40")
def test_an_ante_that_is_never_dealt_goes_home_with_its_player() -> None:
    table = NoDraw(mode="single").seat(1).wake()
    assert table.ante(1, 500) is None
    table.at(180_001).wake()
    assert table.of(PlayerWarned)
    table.at(240_001).wake()
    assert [event.amount for event in table.of(AnteWithdrawn)] == [500]
    assert table.of(PlayerLeft)[0].stack == 10_000


def a_round(table: NoDraw, *bettors: int) -> None:
    table.open()
    for seat in bettors:
        assert table.ante(seat, 100) is None
    assert table.round.until is not None
    table.now = table.round.until
    table.wake()
    table.plays(*(f"{seat} fold" for seat in bettors))


@rule(REGULATION, "41.b/1")
@pytest.mark.parametrize("ante_in_between", [False, True])
def test_six_rounds_without_a_bet_invite_and_five_do_not(case: Case, ante_in_between: bool) -> None:
    first, last = case.ints("skips")
    table = NoDraw().seat(1, 2)
    for number in range(1, case.int("invited") + 1):
        assert table.of(PlayerInvitedToLeave, everything=True) == []
        bets = number < first or (ante_in_between and number == last)
        a_round(table, *((1, 2) if bets else (1,)))
        assert table.settled.round == number
    assert (last - first + 1, case.int("invited") - first + 1) == (case["well"], case["more"])
    invited = table.of(PlayerInvitedToLeave)
    if ante_in_between:
        assert invited == []
    else:
        assert [(each.seat, each.reason) for each in invited] == [(2, "idle")]
        assert [each.seat for each in table.of(PlayerWarned)] == [2]


@rule(REGULATION, "41.b")
def test_only_rounds_seated_for_from_the_start_count() -> None:
    table = NoDraw().seat(1).wake()
    table.now += 5_000
    table.seat(2)
    a_round(table, 1)
    for _ in range(5):
        a_round(table, 1)
    assert table.of(PlayerInvitedToLeave, everything=True) == []
    a_round(table, 1)
    assert table.of(PlayerInvitedToLeave)


def warned(rounds: int = 6) -> NoDraw:
    """Seat 2 has skipped so many, and was warned after the last of them."""
    table = NoDraw().seat(1, 2)
    for number in range(1, rounds + 1):
        assert table.of(PlayerWarned, everything=True) == [], number
        a_round(table, 1)
    assert [event.seat for event in table.of(PlayerWarned)] == [2]
    return table


@rule(REGULATION, "42/2")
def test_one_more_round_without_an_ante_ends_the_session(case: Case) -> None:
    table = warned(case["warned"])
    table.open()
    assert table.ante(1, 100) is None
    assert table.of(PlayerLeft, everything=True) == []
    assert case.int("ends") - case.int("warned") == 1
    table.wait(20_000)
    (left,) = table.of(PlayerLeft)
    assert (left.seat, left.reason) == (2, "inactivity")
    assert table.names.index("AntesClosed") < table.names.index("PlayerLeft")
    kept = warned(case["warned"])
    a_round(kept, 1, 2)
    a_round(kept, 1)
    assert kept.of(PlayerLeft, everything=True) == []
    assert notices(kept, 2) == ["invited: idle", "warned: idle", None]
    assert len(kept.of(PlayerWarned, everything=True)) == 1


def test_a_period_in_which_nobody_bets_ends_nobodys_session() -> None:
    table = warned()
    table.open().wait(20_000)
    assert table.names == ["AntesLapsed"]


@rule(REGULATION, "40/1")
def test_leaving_folds_an_undecided_hand_and_lets_a_second_bet_stand() -> None:
    def in_the_middle() -> NoDraw:
        return NoDraw().seat(1, 2).dealt({1: 500, 2: 100}, {1: HAND, 2: OTHER}, ACE_KING)

    undecided = in_the_middle()
    assert undecided.leave(1) is None
    assert (undecided.of(HandSurrendered)[0].cause, undecided.of(PlayerLeft)[0].stack) == ("left", 9_500)
    undecided.plays("2 continue")
    assert undecided.nets[1] == -500
    assert undecided.settled.results[0].stack == 0
    decided = in_the_middle().plays("1 continue")
    assert decided.leave(1) is None
    assert decided.of(PlayerLeft) == []
    decided.plays("2 fold")
    assert decided.nets[1] == 1500
    assert decided.of(PlayerLeft)[0].stack == 11_500


@rule(REGULATION, "40")
def test_leaving_while_bets_are_open_takes_the_ante_along() -> None:
    table = NoDraw().seat(1, 2).wake()
    assert table.ante(1, 500) is None
    assert table.leave(1) is None
    assert table.of(PlayerLeft)[0].stack == 10_000
    assert table.state.in_play == 0


def test_leaving_at_the_deadline_leaves_the_ante_there() -> None:
    """The timer's knock may be late; the bets are not open any longer for that (14, found by the simulation)."""
    table = NoDraw().seat(1, 2).wake()
    assert table.ante(1, 500) is None
    assert table.round.until is not None
    table.now = table.round.until
    assert table.leave(1) is None
    assert (table.of(PlayerLeft), table.state.in_play) == ([], 500)
    table.wake()
    assert (table.of(HandSurrendered)[0].cause, table.settled.house) == ("left", 500)


def test_who_left_a_round_that_becomes_void_is_paid_back_at_home() -> None:
    table = NoDraw().seat(1, 2).dealt({1: 500, 2: 100}, {1: HAND, 2: OTHER}, ACE_KING)
    assert table.leave(1) is None
    assert table.void() is None
    assert [(event.player, event.amount) for event in table.of(RefundSent)] == [("p1", 500)]
    assert table.stacks == {2: 10_000}


def test_a_table_closes_when_its_round_is_over() -> None:
    table = NoDraw().seat(1, 2).dealt({1: 500, 2: 100}, {1: HAND, 2: OTHER}, ACE_KING).plays("1 continue")
    assert table.send(Principal("staff", "staff-1"), CloseTable(reason="night")) is None
    assert table.state.status == "closing"
    table.plays("2 continue")
    assert table.state.status == "closed"
    assert {event.player: event.stack for event in table.of(PlayerLeft)} == {"p1": 11_500, "p2": 10_300}


def test_a_table_closes_at_once_while_nobody_has_bet() -> None:
    table = NoDraw().seat(1).wake()
    assert table.send(Principal("staff", "staff-1"), CloseTable(reason="night")) is None
    assert table.state.status == "closed"
    assert table.due is None


@rule(REGULATION, "42")
def test_an_ante_that_is_taken_back_is_none() -> None:
    """Each round anew it took the warning off, and the seat was held for ever."""
    table, rounds = warned(), 0
    while 2 in table.state.seats and rounds < 10:
        table.open()
        table.now += 1
        assert (table.ante(1, 100), table.ante(2, 100), table.withdraw(2)) == (None, None, None)
        assert table.state.seats[2].notice is not None
        table.wait(20_000)
        if 2 in table.state.seats:
            table.plays("1 fold")
        rounds += 1
    assert rounds == 2, "one round more than without"
    assert [(left.seat, left.reason) for left in table.of(PlayerLeft, everything=True)] == [(2, "inactivity")]
