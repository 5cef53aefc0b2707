"""Every deadline that a table of ours can have, each with a table at which it stands: what comes next is due by it."""

from collections.abc import Callable, Mapping
from typing import Any

from libs.contracts.table_commands import LeaveTable
from services.table.domain.table.waking import next_wake
from tests.table.asking import join
from tests.table.baccarat.play import CoupTable
from tests.table.casino.play import CASINO_HOLDEM, CASINO_OMAHA, casino
from tests.table.live.play import live_h6
from tests.table.no_draw.play import NoDraw
from tests.table.play import MACAU, PORTUGAL, START, TableUnderTest
from tests.table.tournament.play import TournamentTable
from tests.table.under_test import player_principal

HOUR = 3_600_000


def portugal(*seats: int, **changes: Any) -> TableUnderTest:
    return TableUnderTest(PORTUGAL, **changes).seat(*seats)


def reservation() -> Any:
    table = portugal(1, between_hands_ms=HOUR)
    assert table.take(2, 10_000) is None
    return table


def reservation_while_betting() -> Any:
    table = NoDraw(betting_ms=HOUR).seat(1)
    table.wake()
    assert table.take(2) is None
    return table


def last_seat_reserved() -> Any:
    table = portugal(1, seats=2, between_hands_ms=HOUR)
    assert table.take(2, 10_000) is None
    return table


def offered_seat() -> Any:
    """p9 waits first and is offered the only free seat, p8 waits behind."""
    table = portugal(1, 2, 3, seats=3, decision_ms=HOUR, kind="demo", between_hands_ms=HOUR)
    for name in ("p9", "p8"):
        assert join(table, name) is None
        table.now += 1
    assert table.leave(3) is None
    table.wake()
    assert table.state.waiting.offered_seats() == {3: "p9"}
    return table


def offered_to_the_only_one() -> Any:
    table = casino(1, 2, 3, 4, between_hands_ms=HOUR, seats_by_draw=False)
    assert join(table, "p9") is None
    table.wake()
    assert table.state.waiting.offered_seats()
    return table


def on_a_break() -> Any:
    table = portugal(1, 2, 3, between_hands_ms=HOUR)
    assert table.sit_out(3, on_break=True) is None
    return table


def break_in_a_hand() -> Any:
    table = portugal(1, 2, 3, decision_ms=HOUR, kind="demo").deal(button=1)
    assert table.sit_out(3, on_break=True) is None
    return table


def hours(**changes: Any) -> TableUnderTest:
    table = portugal(mode="session", opens_at=START, closes_at=START + HOUR, decision_ms=HOUR, kind="demo", **changes)
    for seat in (1, 2, 3):
        assert join(table, f"p{seat}") is None
        assert table.take(seat, 10_000) is None
        assert table.confirm(seat) is None
    return table


def end_of_hours() -> Any:
    return hours(between_hands_ms=2 * HOUR)


def end_of_hours_in_a_hand() -> Any:
    return hours().deal(button=1)


def seats_to_be_drawn() -> Any:
    table = TableUnderTest(CASINO_HOLDEM, mode="session", seats_by_draw=True, opens_at=START + HOUR)
    for seat in (1, 2, 3, 4):
        assert join(table, f"p{seat}") is None
    return table


def turn() -> Any:
    return portugal(1, 2, 3).deal(button=1)


def turn_with_a_bank() -> Any:
    return portugal(1, 2, 3, time_bank_ms=30_000).deal(button=1).plays("1 raise 300")


def turn_in_macau() -> Any:
    return TableUnderTest(MACAU).seat(1, 2, 3).deal(button=1)


def turn_in_the_casino() -> Any:
    return casino(1, 2, 3, 4).deal()


def turn_before_a_live_dealer() -> Any:
    return live_h6()


def turn_before_a_live_dealer_on_the_clock() -> Any:
    return live_h6(timer_action="act")


def turn_of_the_last_warning() -> Any:
    """The seat would be dismissed by the next warning."""
    return live_h6(slow_warning_limit=1)


def turn_in_a_tournament() -> Any:
    return TournamentTable().enter(1, 2, 3, 4).deal()


def turn_of_who_is_away() -> Any:
    table = TournamentTable().enter(1, 2, 3, 4).deal()
    assert table.turn is not None
    assert table.sit_out(table.turn) is None
    return table


def short_stack() -> Any:
    """p1 has less than the minimum bet and does not top up: to be invited."""
    table = portugal(1, 2, between_hands_ms=HOUR)
    table.deal(button=1) if table.state.hand is not None else table.later(HOUR)
    return _all_in(table)


def _all_in(table: TableUnderTest) -> Any:
    while table.state.hand is not None:
        seat = table.turn
        assert seat is not None
        _, call, _, most = table.legal
        act = ("raise", most) if most is not None else ("call" if call is not None else "check", None)
        assert table.act(seat, *act) is None, table.refused
    return table


def short_stack_warned() -> Any:
    table = short_stack()
    at_its_due(table)
    assert any(sitter.notice is not None for sitter in table.state.seats.values()) or len(table.state.seats) == 2
    return table


def away_where_no_hand_can_begin() -> Any:
    table = portugal(1, 2)
    assert table.sit_out(2) is None
    return table


def warned_where_no_hand_can_begin() -> Any:
    table = away_where_no_hand_can_begin()
    at_its_due(table)
    assert table.state.seats[2].notice is not None
    return table


def away_again_where_no_hand_can_begin() -> Any:
    table = away_where_no_hand_can_begin()
    assert table.sit_out(1) is None
    table.now += 400_000
    assert (table.sit_in(2), table.sit_out(2)) == (None, None)
    assert table.state.seats[2].sat_out_ms == 400_000
    return table


def next_hand() -> Any:
    return portugal(1, 2, 3, between_hands_ms=5_000).deal().folds_round()


def next_hand_of_a_choice() -> Any:
    return casino(1, 2, 3, 4, rulebook=CASINO_OMAHA, mixed="holdem", choice_ms=10_000).deal().folds_round()


def suspended() -> Any:
    table = casino(1, 2, 3, 4).deal()
    leaver = next(sitter for sitter in table.state.seats.values() if sitter.seat != table.turn)
    assert table.send(player_principal(leaver.player), LeaveTable()) is None
    table.folds_round()
    assert table.state.suspended_at is not None
    return table


def suspended_with_a_reservation() -> Any:
    table = casino(1, 2, 3, 4, reservation_ms=2 * HOUR).deal()
    assert table.leave(table.state.hand.order[-1]) is None
    table.folds_round()
    assert table.take(5, 20_000) is None
    return table


def suspended_before_a_live_dealer() -> Any:
    table = live_h6()
    for seat in (4, 5, 6):
        assert table.sit_out(seat) is None
    table.plays("3 fold", "4 fold", "5 fold", "6 fold", "1 fold")
    assert table.state.suspended_at is not None, table.names
    return table


def suspended_while_away() -> Any:
    """p4 rests, and could come back."""
    table = casino(1, 2, 3, 4).deal()
    assert table.sit_out(4) is None
    table.folds_round()
    assert table.state.suspended_at is not None
    return table


def antes() -> Any:
    table = NoDraw().seat(1, 2)
    table.wake()
    table.ante(1, 100)
    return table


def antes_of_nobody() -> Any:
    table = NoDraw().seat(1, 2)
    table.wake()
    return table


def decisions() -> Any:
    table = antes()
    table.ante(2, 200)
    caught_up(at_its_due(table))
    assert table.state.round.phase == "deciding"
    return table


def decisions_in_extra_time() -> Any:
    table = decisions()
    at_its_due(table)
    assert table.state.round.warned
    return table


def stopped_before_the_deal() -> Any:
    table = antes()
    assert table.pause() is None
    at_its_due(table)
    assert table.state.round.phase == "closed"
    return table


def single(kind: type[Any], **changes: Any) -> Any:
    return kind(mode="single", **changes).seat(1)


def idle_at_no_draw() -> Any:
    return single(NoDraw, between_rounds_ms=0)


def idle_and_warned_at_no_draw() -> Any:
    table = caught_up(idle_at_no_draw())
    at_its_due(table)
    assert table.state.seats[1].notice is not None
    return table


def idle_at_baccarat() -> Any:
    return caught_up(single(CoupTable))


def caught_up(table: Any) -> Any:
    """Until nothing is due any more."""
    while (due := next_wake(table.state)) is not None and due <= table.now:
        table.wake()
    return table


def at_its_due(table: Any) -> Any:
    """Woken when the next thing is due."""
    due = next_wake(table.state)
    assert due is not None
    table.now = max(table.now, due)
    table.wake()
    return table


def idle_and_warned_at_baccarat() -> Any:
    table = idle_at_baccarat()
    at_its_due(table)
    assert table.state.seats[1].notice is not None
    return table


def warned_again_at_baccarat() -> Any:
    table = idle_and_warned_at_baccarat()
    table.now += 30_000
    assert table.bet(1, "ponto 500") is None
    assert table.withdraw(1, "ponto") is None
    assert table.state.seats[1].lifted_at == table.now
    return table


def stakes() -> Any:
    table = CoupTable(seats=3).seat(1, 2)
    table.wake()
    assert table.bet(1, "ponto 500") is None
    return table


def stakes_of_nobody() -> Any:
    table = CoupTable(seats=3).seat(1, 2)
    table.wake()
    return table


def stakes_of_the_macau_variant() -> Any:
    table = CoupTable("pt-812-2015-baccarat-macau", seats=3).seat(1, 2)
    table.wake()
    assert table.bet(1, "banca 500") is None
    return table


def announced_rules() -> Any:
    """A minute's notice of dearer rules ends while the next hand is waited for."""
    table = portugal(1, 2, 3, between_hands_ms=60_001)
    dearer = {"rake_bp": 500, "buy_in_min": 12_000, "buy_in_max": 20_000, "top_up_to": 20_000}
    assert table.change(2, between_hands_ms=60_001, **dearer) is None, table.refused
    assert table.state.announced is not None
    assert table.state.announced.holds_from == table.now + 60_000
    return table


def announced_rules_and_nobody_to_play() -> Any:
    """One player is seated, no hand is waited for: the notice ends all the same."""
    table = portugal(1)
    assert table.change(2, rake_mode="buy_in", rake_bp=1_000) is None, table.refused
    assert table.state.announced is not None
    return table


def announced_rules_in_a_hand() -> Any:
    table = portugal(1, 2, 3, decision_ms=60_000).deal(button=1)
    assert table.change(2, decision_ms=3_000, big_blind=200, small_blind=100) is None, table.refused
    assert table.state.announced is not None
    return table


def hand_allowed_until() -> Any:
    """The next hand is due, and a millisecond later it is too late for it."""
    table = TournamentTable(between_hands_ms=5_000).enter(1, 2, 3)
    table.later(5_000)
    table.folds_round()
    assert table.allow(2, until=table.now + 5_001) is None
    return table


def next_round() -> Any:
    table = NoDraw(between_rounds_ms=5_000).seat(1, 2)
    table.wake()
    table.ante(1, 100)
    assert table.void() is None
    return table


def next_coup() -> Any:
    table = CoupTable(seats=3, between_rounds_ms=5_000).seat(1, 2)
    table.wake()
    assert table.bet(1, "ponto 500") is None
    table.close_bets()
    return table


SCENARIOS: Mapping[str, Callable[[], Any]] = {
    make.__name__: make
    for make in (
        reservation, reservation_while_betting, last_seat_reserved, offered_seat, offered_to_the_only_one, on_a_break,
        break_in_a_hand, end_of_hours, end_of_hours_in_a_hand, seats_to_be_drawn, turn, turn_with_a_bank, turn_in_macau,
        turn_in_the_casino, turn_before_a_live_dealer, turn_before_a_live_dealer_on_the_clock, turn_of_the_last_warning,
        turn_in_a_tournament, turn_of_who_is_away, short_stack, short_stack_warned,
        away_where_no_hand_can_begin, away_again_where_no_hand_can_begin,
        warned_where_no_hand_can_begin, next_hand, next_hand_of_a_choice,
        suspended, suspended_with_a_reservation, suspended_before_a_live_dealer, suspended_while_away, antes,
        antes_of_nobody, decisions, decisions_in_extra_time, stopped_before_the_deal, idle_at_no_draw,
        idle_and_warned_at_no_draw, idle_at_baccarat, idle_and_warned_at_baccarat, warned_again_at_baccarat,
        stakes, stakes_of_nobody,
        stakes_of_the_macau_variant, hand_allowed_until, announced_rules,
        announced_rules_and_nobody_to_play, announced_rules_in_a_hand, next_round, next_coup,
    )
}  # fmt: skip
