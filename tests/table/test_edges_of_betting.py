"""The last unit, the last instant and the full record of an act: where one step more or less would be wrong money."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts.messages import Principal
from libs.contracts.poker_events import (
    BetPlaced,
    HandEnded,
    PlayerChecked,
    PlayerFolded,
    PotAwarded,
    UncalledBetReturned,
)
from libs.contracts.table_events import PlayerLeft
from services.table.domain.games.poker.pots import pots_of, rake_of_pot, settlement, spread_cap
from tests.table.casino.play import h6
from tests.table.live.play import LiveTable, live_h6
from tests.table.live.test_player_errors import on_the_flop
from tests.table.play import MACAU, TableUnderTest
from tests.table.test_act import big_game, stacked_game
from tests.table.test_pots_and_rake import hand_with, order, paid, pots, rules


def three(**changes: Any) -> TableUnderTest:
    return TableUnderTest(**changes).seat(1, 2, 3).deal(button=1)


def refusal(table: TableUnderTest, seat: int, act: str, to: int | None = None, **changes: Any) -> tuple[Any, ...]:
    """Reason, rule and detail of a refusal."""
    table.act(seat, act, to, **changes)
    assert table.refused is not None
    return table.refused.reason, table.refused.rule, table.refused.detail


def test_an_amount_with_an_act_that_has_none_is_a_misunderstanding() -> None:
    table = three().plays("1 call", "2 call")
    assert refusal(table, 3, "check", 100) == ("amount_not_asked", None, "")
    assert refusal(table, 3, "fold", 100) == ("amount_not_asked", None, "")
    table.plays("3 check")


def test_a_call_may_name_its_round_total_and_no_other() -> None:
    table = three().plays("1 raise 350", "2 fold")
    assert table.legal[1] == 250
    for wrong in (250, 349, 351, 100):
        assert refusal(table, 3, "call", wrong) == ("amount_not_asked", None, "")
    table.plays("3 call 350")
    (bet,) = table.of(BetPlaced)
    assert (bet.act, bet.amount, bet.to) == ("call", 250, 350)


def test_a_refused_check_says_what_is_owed() -> None:
    assert refusal(three(), 1, "check") == ("cannot_check", "pt-811-2015#34.b", "100 to call")


def test_refusals_at_a_casino_table_name_their_rule() -> None:
    table = h6()
    assert refusal(table, 3, "call", by=Principal("player", "p4")) == ("not_your_seat", "pt-217-2007#14.l", "")
    assert refusal(table, 4, "call") == ("not_your_turn", "pt-217-2007#9.e", "")


def test_a_blind_that_is_still_owed_names_its_rule() -> None:
    table = LiveTable(1, 2, 3, 4, 5).stack_pack("").begin(3, unposted=[4]).deal_holes()
    table.plays("5 call", "1 fold", "2 fold", "3 call")
    assert refusal(table, 4, "check") == ("blind_not_posted", "pt-217-2007#91", "")


def test_who_acted_out_of_turn_is_offered_that_act_and_nothing_else() -> None:
    """pt-217-2007 71.d, 71.f."""
    table = live_h6().plays("3 call")
    assert isinstance(table, LiveTable)
    assert table.report("PE-71f", seat=5, act="raise", to=800) is None
    table.plays("4 call")
    assert (table.turn, table.legal) == (5, (False, None, 800, 800))
    checks = on_the_flop(1, 2, 3)
    assert checks.report("PE-71f", seat=3, act="check") is None
    checks.plays("1 check", "2 check")
    assert [event.seat for event in checks.of(PlayerChecked)] == [2, 3], "it takes effect of itself"


def test_staff_do_not_act_for_a_player_at_a_table_without_a_dealer() -> None:
    assert three().act(1, "fold", by=Principal("staff", "p1")) == "not_your_seat"
    assert three().act(1, "fold", by=Principal("staff", "")) == "not_your_seat"


@pytest.mark.parametrize(("act", "kind"), [("fold", PlayerFolded), ("check", PlayerChecked)])
def test_a_fold_and_a_check_are_recorded_with_their_time_and_what_is_left_of_the_bank(act: str, kind: type) -> None:
    table = three(time_bank_ms=30_000).plays("1 call", "2 call")
    table.now += 32_000
    assert table.act(3, act) is None
    (told,) = table.of(kind)
    assert (told.at, told.table, told.hand, told.seat, told.player) == (table.now, "t1", table.state.hands, 3, "p3")
    assert (told.actor, told.reason, told.time_bank_left) == ("player", None, 18_000)


def test_the_last_instant_of_the_time_bank_leaves_nothing_of_it() -> None:
    table = three(time_bank_ms=30_000)
    table.now += 50_000
    assert table.act(1, "call") is None
    assert table.of(BetPlaced)[0].time_bank_left == 0
    assert table.state.seats[1].time_bank == 0


def test_one_unit_that_nobody_matched_comes_back() -> None:
    table = stacked_game(1, s1=10_000, s2=10_000, s3=9_999).plays("1 raise 10000", "2 fold", "3 call")
    (returned,) = table.of(UncalledBetReturned)
    assert returned == UncalledBetReturned(
        at=table.now, table="t1", hand=table.state.hands, seat=1, player="p1", amount=1, stack=1, currency="EUR"
    )
    assert sum(award.amount for award in table.of(PotAwarded)) == 2 * 9_999 + 50


def test_a_call_of_one_unit_is_still_a_call() -> None:
    table = stacked_game(1, s1=10_000, s2=10_000, s3=10_000, s4=201).plays("4 raise 201", "1 call", "2 call")
    assert table.legal[1] == 101
    one_more = stacked_game(1, s1=201, s2=10_000, s3=10_000, s4=10_000).plays("4 raise 200", "1 raise 201")
    one_more.plays("2 call", "3 call")
    assert (one_more.turn, one_more.legal) == (4, (False, 1, None, None))
    assert one_more.act(4, "check") == "cannot_check"


def test_who_has_exactly_what_is_bet_can_call_and_not_raise() -> None:
    table = stacked_game(1, s1=300, s2=10_000, s3=10_000, s4=10_000).plays("4 raise 300")
    assert table.legal == (False, 300, None, None)
    assert refusal(table, 1, "raise", 300) == ("above_stack", "pt-811-2015#24.c", "")
    table.plays("1 call")
    assert table.hand.players[1].all_in


def test_a_raise_over_a_bet_of_one_unit_counts_towards_the_cap() -> None:
    table = TableUnderTest(MACAU, buy_in_min=2000, buy_in_max=10**7, top_up_to=10**7)
    table.with_stacks(s1=10**6, s2=2001, s3=10**6).deal(button=1)
    table.plays("1 raise 2000", "2 call", "3 call", "2 bet 1")
    assert (table.hand.bet, table.hand.players[2].all_in, table.hand.raises) == (1, True, 0)
    table.plays("3 raise 1001")
    assert table.hand.raises == 1


@pytest.mark.parametrize("structure", ["no_limit", "limit_raise_count"])
def test_at_a_table_of_one_unit_a_raise_of_the_blind_is_a_raise(structure: str) -> None:
    table = big_game(3, structure=structure, big_blind=1, small_blind=1, small_blind_reason="no half unit")
    table.plays("1 raise 2")
    assert table.hand.raises == 1


def test_heads_up_no_size_holds_over_a_bet_of_one_unit() -> None:
    table = big_game(2, 1, MACAU, heads_up_size_unlimited=True, big_blind=1, small_blind=1)
    table.plays("1 check", "2 check", "2 bet 1")
    assert table.legal[3] == 10**6 - 1


def test_who_leaves_out_of_turn_is_folded_by_the_house_and_goes_home() -> None:
    table = three(time_bank_ms=30_000)
    assert table.leave(2) is None
    table.now += 5_000
    table.plays("1 call")
    number = table.state.hands
    (folded,) = table.of(PlayerFolded)
    assert folded == PlayerFolded(
        at=table.now,
        table="t1",
        hand=number,
        seat=2,
        player="p2",
        actor="house",
        reason="left",
        time_bank_left=30_000,
    )
    (left,) = table.of(PlayerLeft)
    assert (left.player, left.reason, left.stack) == ("p2", "player", 9_950)


def results(table: TableUnderTest) -> dict[str, tuple[int, int]]:
    """Player to what the hand took and what stands before the seat at its end."""
    (ended,) = table.of(HandEnded)
    assert ended.at == table.now
    return {result.player: (result.staked, result.stack) for result in ended.results}


def test_the_end_of_a_hand_counts_no_stack_for_who_has_gone() -> None:
    table = three()
    assert table.leave(1) is None
    table.plays("2 fold")
    assert results(table) == {"p1": (0, 0), "p2": (50, 9_950), "p3": (50, 10_050)}


def test_the_seat_of_a_leaver_is_given_away_only_after_the_hand() -> None:
    table = three()
    assert table.leave(1) is None
    assert table.take(1, 10_000, player="p9") == "seat_taken"
    table.plays("2 fold")
    assert table.take(1, 10_000, player="p9") is None


def test_showing_and_paying_carry_the_time_of_the_last_act() -> None:
    table = three().plays("1 fold", "2 call", "3 check", "2 check", "3 check", "2 check", "3 check")
    table.now += 4_000
    table.plays("2 check", "3 check")
    assert {event.at for event in table.last} == {table.now}


@pytest.mark.parametrize("basis", ["none", "per_payment", "capped_payments"])
def test_where_payments_are_charged_pots_are_not(basis: Any) -> None:
    assert rake_of_pot(10_000, 0, basis, rules()) == 0
    assert rake_of_pot(10_000, 0, basis, rules(MACAU)) == 0


@pytest.mark.parametrize(("taken", "due"), [(0, 5000), (4999, 1), (5000, 0), (6000, 0)])
def test_what_the_cap_leaves_to_the_next_pot(taken: int, due: int) -> None:
    assert rake_of_pot(10**6, taken, "capped_pot", rules(MACAU)) == due


def test_a_cap_counts_what_all_pots_before_gave() -> None:
    hand = hand_with({1: 10_000, 2: 23_340, 3: 43_340, 4: 43_340}, (1, 2))
    assert [amount for amount, _ in pots(hand)] == [40_000, 40_020, 40_000]
    assert paid(hand, order(1, 2, 3, 4), rules(MACAU))[1] == [2000, 2001, 999]
    full = hand_with({1: 50_000, 2: 60_000, 3: 60_000}, (1,))
    assert paid(full, order(1, 2, 3), rules(MACAU))[1] == [5000, 0]


def test_a_cap_that_nobody_exceeds_changes_nothing() -> None:
    assert spread_cap([30, 20], [600, 400], 50) == [30, 20]
    assert spread_cap([30, 20], [600, 400], 49) == [30, 19]
    assert spread_cap([0, 0], [3, 2], 0) == [0, 0], "too little to be charged, and a cap of nothing"


def test_the_odd_unit_of_the_commission_falls_on_another_than_that_of_the_pot() -> None:
    """Of 2024 with a commission of 101 both tied players win 1012 before it, and one of them nets a unit more."""
    hand = hand_with({1: 1012, 2: 1012})
    ((first, second),) = settlement([(pots_of(hand)[0], (1, 2))], hand, "pot", rules())
    assert (first.seat, first.gross, first.rake, first.net) == (2, 1012, 50, 962)
    assert (second.seat, second.gross, second.rake, second.net) == (1, 1012, 51, 961)


def test_a_blind_that_was_waived_is_a_claim_and_no_money() -> None:
    """pt-217-2007 91: the pot is smaller by what was never put in."""
    hand = hand_with({1: 200, 2: 0, 3: 100}, (), (3,), pot=300)
    players = hand.players | {2: replace(hand.players[2], waived=200)}
    assert pots(replace(hand, players=players)) == [(300, (1, 2))]
    # The waived blind is what lies lowest: of the main pot's 150 each, seat 2 has put in nothing.
    short = hand_with({1: 500, 2: 300, 3: 150}, (3,), pot=950)
    players = short.players | {2: replace(short.players[2], waived=200)}
    assert pots(replace(short, players=players)) == [(300, (1, 2, 3)), (650, (1, 2))]
