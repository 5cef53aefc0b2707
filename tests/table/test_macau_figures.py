"""Cases of the Macau matrix with figures of their own, one after the other, at a Macau table."""

from typing import Any

import pytest

from libs.contracts.poker_events import BetPlaced, BlindPosted, CardsShown, HandStarted, HoleCardsDealt, StreetDealt
from libs.contracts.table_events import TableSuspended
from tests.table.play import MACAU, TableUnderTest
from tests.table.test_pots_and_rake import hand_with, paid, rules


def macau(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("mo-97-2010", *refs)


def game(button: int, structure: str = "pot_limit_with_raise_cap", **changes: Any) -> TableUnderTest:
    """Stacks as `s<seat>`, the rest is configuration."""
    stacks: dict[str, Any] = {name: changes.pop(name) for name in list(changes) if name[1:].isdigit()}
    wide: dict[str, Any] = {"buy_in_min": 1000, "buy_in_max": 10**7, "top_up_to": 10**7, "structure": structure}
    return TableUnderTest(MACAU, **(wide | changes)).with_stacks(**stacks).deal(button=button)


def many(players: int) -> dict[str, Any]:
    return {f"s{seat}": 10**6 for seat in range(1, players + 1)}


def positions(table: TableUnderTest) -> tuple[int, int, int]:
    (started,) = table.of(HandStarted)
    return started.button, started.small_blind, started.big_blind


@macau("1.1.3")
def test_ten_players_take_forty_eight_cards() -> None:
    table = game(1, **many(10)).checks_down()
    used = [place for event in table.of(HoleCardsDealt, True) for deal in event.deals for place in deal.positions]
    for street in table.of(StreetDealt, True):
        used += [card.position for card in street.cards] + street.burned
    assert len(used) == len(set(used)) == 48


@macau("1.2")
@pytest.mark.parametrize(("button", "leaver", "then"), [(8, None, 2), (2, 5, 8), (2, None, 5)])
def test_the_button_goes_to_the_next_player(button: int, leaver: int | None, then: int) -> None:
    table = game(button, s2=10**6, s5=10**6, s8=10**6).folds_round()
    if leaver is not None:
        table.leave(leaver)
    table.wake()
    assert positions(table)[0] == then


@macau("2.3")
def test_no_hand_with_one_player() -> None:
    table = TableUnderTest(MACAU).seat(1)
    table.wake()
    assert table.last == []
    table.seat(2).wake()
    assert table.of(HandStarted)
    table.folds_round()
    table.leave(1)
    assert table.of(TableSuspended)
    table.wake()
    assert table.of(HandStarted) == []


@macau("5.1", "5.2")
def test_blinds_of_five_players() -> None:
    table = game(2, **many(5))
    assert [(event.seat, event.amount) for event in table.of(BlindPosted)] == [(3, 500), (4, 1000)]


@macau("5.2")
def test_heads_up_the_button_posts_the_small_blind() -> None:
    table = game(7, s3=10**6, s7=10**6)
    assert (positions(table), table.turn) == ((7, 7, 3), 7)
    table.plays("7 call", "3 check")
    assert table.turn == 3
    literal = game(7, s3=10**6, s7=10**6, heads_up_blinds="left_of_button")
    assert (positions(literal), literal.turn) == ((7, 3, 7), 3)
    literal.plays("3 call", "7 check")
    assert literal.turn == 3


@macau("5.2")
def test_no_dead_button() -> None:
    table = game(1, **many(4)).folds_round()
    table.leave(2)
    table.wake()
    assert positions(table) == (3, 4, 1)


@macau("5.2")
def test_less_than_a_big_blind_is_not_dealt_in() -> None:
    table = game(1, s1=10**6, s2=10**6, s3=10**6, s4=1000)
    assert 4 in {seat.seat for seat in table.of(HandStarted)[0].seats}
    table = game(1, s1=10**6, s2=10**6, s3=1999).plays("1 raise 2000", "2 fold", "3 fold")
    assert table.stacks[3] == 999
    table.wake()
    assert {seat.seat for seat in table.of(HandStarted)[0].seats} == {1, 2}


@macau("7.3.1")
@pytest.mark.parametrize(("to", "reason"), [(999, "below_min"), (1000, None), (6000, None), (6001, "above_max")])
def test_a_bet_on_the_flop(to: int, reason: str | None) -> None:
    table = game(1, s1=12_000, s2=12_000, s3=12_000).plays("1 raise 2000", "2 call", "3 call")
    assert table.act(2, "bet", to) == reason


@macau("7.3.3", "13.1")
def test_a_fold_on_the_turn_with_nothing_owed() -> None:
    table = game(1, **many(3)).plays("1 call", "2 call", "3 check", "2 check", "3 check", "1 check")
    assert table.hand.street == "turn"
    table.plays("2 fold")


@macau("8.4")
def test_all_in_before_the_flop_is_dealt_out_with_its_burns() -> None:
    table = game(1, "no_limit", s1=5000, s2=5000, s3=5000).plays("1 raise 5000", "2 call", "3 call")
    streets = [([card.position for card in event.cards], event.burned) for event in table.of(StreetDealt)]
    assert streets == [([13, 14, 15], [12]), ([17], [16]), ([19], [18])]
    assert table.state.hand is None
    assert len(table.of(CardsShown)) == 3


@macau("8.5")
def test_who_shows_and_in_which_order() -> None:
    table = game(1, **many(4)).plays("4 call", "1 call", "2 call", "3 fold").checks_down()
    assert [(event.seat, len(event.cards)) for event in table.of(CardsShown)] == [(2, 4), (4, 4), (1, 4)]
    table = game(1, **many(3)).plays("1 fold", "2 call", "3 check", "2 check", "3 check", "2 check", "3 check")
    table.plays("2 check", "3 bet 1000", "2 call")
    assert [event.seat for event in table.of(CardsShown)] == [3, 2]
    table = game(1, **many(3)).plays("1 fold", "2 fold")
    assert table.of(CardsShown) == table.of(StreetDealt, True) == []


@macau("11.2.2")
@pytest.mark.parametrize(("chips", "moved"), [(10**6, 2500), (2200, 1200)])
def test_a_call(chips: int, moved: int) -> None:
    table = game(1, s1=10**6, s2=10**6, s3=chips).plays("1 raise 3500", "2 fold", "3 call")
    (bet,) = table.of(BetPlaced)
    assert (bet.amount, bet.all_in) == (moved, chips == 2200)


def flop(**stacks: Any) -> TableUnderTest:
    """No limit, three players, 1000 each in; seat 2 begins, then 3, then 1."""
    return game(1, "no_limit", **(many(3) | stacks)).plays("1 call", "2 call", "3 check", "2 bet 2000")


@macau("12.1")
def test_a_raise_is_at_least_the_last_one() -> None:
    table = flop()
    assert table.act(3, "raise", 3999) == "below_min"
    table.plays("3 raise 4000")
    table = flop().plays("3 raise 5000")
    assert table.act(1, "raise", 7999) == "below_min"
    table.plays("1 raise 8000")


@macau("12.1")
def test_a_short_all_in_does_not_reopen() -> None:
    table = flop(s3=4000).plays("3 raise 3000", "1 fold")
    assert (table.turn, table.legal[:3]) == (2, (False, 1000, None))
    assert table.act(2, "raise", 5000) in ("not_reopened", "nobody_to_answer")
    table = flop(s3=4000).plays("3 raise 3000", "1 call")
    assert table.act(2, "raise", 5000) == "not_reopened"


@macau("12.1")
def test_a_full_raise_over_a_short_one() -> None:
    table = flop(s3=4000).plays("3 raise 3000")
    assert table.act(1, "raise", 4999) == "below_min"
    table.plays("1 raise 5000")
    assert (table.turn, table.legal[2]) == (2, 7000)


@macau("12.2")
def test_three_raises_and_no_fourth() -> None:
    table = game(1, **many(3)).plays("1 call", "2 call", "3 check")
    table.plays("2 bet 1000", "3 raise 2000", "1 raise 3000", "2 raise 4000")
    assert table.act(3, "raise", 5000) == "raise_cap"
    assert table.legal[2:] == (None, None)


@macau("12.3")
def test_the_pot_sets_no_maximum_without_limit() -> None:
    table = game(2, "no_limit", **{f"s{seat}": 300_000 for seat in range(1, 6)})
    assert (table.turn, table.legal[3]) == (5, 300_000)
    table.plays("5 raise 300000")
    table = game(1, "no_limit", **many(3)).plays("1 call", "2 call", "3 check", "2 bet 1000")
    for _ in range(8):
        table.plays(f"{table.turn} raise {table.legal[2]}")


@macau("12.4")
def test_a_cap_reached_with_three_stays() -> None:
    table = game(1, **many(3)).plays("1 call", "2 call", "3 check")
    table.plays("2 bet 1000", "3 raise 2000", "1 raise 3000", "2 raise 4000", "3 fold")
    assert table.act(1, "raise", 5000) == "raise_cap"


@macau("12.4")
def test_an_all_in_player_still_counts() -> None:
    table = game(1, s1=10**6, s2=10**6, s3=2000).plays("1 call", "2 call", "3 check")
    table.plays("2 bet 1000", "3 call", "1 raise 2000", "2 raise 3000", "1 raise 4000")
    assert table.act(2, "raise", 5000) == "raise_cap"


@macau("16", "10.5")
def test_three_tied_winners() -> None:
    hand = hand_with({1: 710, 2: 710, 4: 710}, button=3)
    small = rules(MACAU, big_blind=100, buy_in=10_000)
    assert paid(hand, {1: 5, 2: 5, 4: 5}, small) == ({1: 676, 2: 674, 4: 674}, [106])
