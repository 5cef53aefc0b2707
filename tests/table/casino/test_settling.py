"""Pots, showing and paying: pt-217-2007 1, 7.a, 38, 49, 50, 62 to 67, FP-1, FP-4, by the figures of the matrix."""

import pytest

from libs.cards.card import names_of
from libs.contracts.poker_events import (
    CardsShown,
    HandEnded,
    HandStarted,
    HandVoided,
    HoleCardsDealt,
    PotAwarded,
    StreetDealt,
)
from libs.contracts.registry import encode_fact
from services.table.domain.games.poker.acting import STANDSTILL
from services.table.domain.games.poker.pots import shares_of, spread_cap
from tests.table.casino.play import CASINO_HOLDEM, CASINO_OMAHA, casino, h6, led, rule, to_flop
from tests.table.play import TableUnderTest, stacked
from tests.table.test_pots_and_rake import hand_with, order, paid, pots, rules
from tests.testkit.cases import Case


@rule("38")
def test_a_side_pot_for_each_all_in() -> None:
    hand = hand_with({1: 700, 2: 2300, 3: 5100, 4: 5100, 5: 200}, (1, 2, 3), (5,))
    assert pots(hand) == [(3000, (1, 2, 3, 4)), (4800, (2, 3, 4)), (5600, (3, 4))]


@rule("49", "50")
def test_the_share_of_who_is_all_in() -> None:
    plain = rules(CASINO_HOLDEM)
    hand = hand_with({1: 1000, 2: 3000, 3: 3000}, (1,))
    assert paid(hand, order(1, 2, 3), plain)[0] == {1: 3000, 2: 4000}
    assert paid(hand, order(3, 1, 2), plain)[0] == {3: 7000}
    assert 1000 + 1000 * 6000 // 3000 == 3000, "the ratio of rule 50 gives the same"


@rule("50")
def test_dead_money_goes_to_the_main_pot() -> None:
    hand = hand_with({1: 1000, 2: 3000, 3: 3000, 4: 500}, (1,), (4,))
    assert paid(hand, order(1, 2, 3), rules(CASINO_HOLDEM))[0] == {1: 3500, 2: 4000}


@rule("66")
def test_equal_hands_share_each_pot() -> None:
    hand = hand_with({1: 1000, 2: 3000, 3: 3000, 4: 200}, (1,), (4,), button=4)
    assert paid(hand, {1: 0, 2: 0, 3: 1}, rules(CASINO_HOLDEM))[0] == {1: 1600, 2: 5600}


@rule("67")
@pytest.mark.parametrize(
    ("amount", "seats", "shares"),
    [(2700, [1, 3], [1500, 1200]), (4650, [1, 3, 5], [1650, 1600, 1400]), (150, [1, 2], [150, 0])],
)
def test_parts_are_whole_minimums(amount: int, seats: list[int], shares: list[int]) -> None:
    assert shares_of(amount, seats, rules(CASINO_HOLDEM)) == shares


@rule("67")
def test_without_chips_the_unit_may_be_a_cent() -> None:
    assert shares_of(2700, [1, 3], rules(CASINO_HOLDEM, min_unit=1)) == [1350, 1350]
    assert h6(min_unit=1).state.rules.dealing.min_unit == 1


@rule("67", "1")
def test_the_lead_comes_first_among_the_winners() -> None:
    """Both play the board; the odd hundred of the folded small blind goes to the first clockwise from the lead."""
    table = h6(lead=5, fresh=stacked("2c 2d 3c 3d 4c 4d 5c 5d 6c 6d 7c 7d 8c As Ks Qs 8d Js 8h Ts"))
    table.plays("1 call", "2 call", "3 fold", "4 fold", "5 fold", "6 check").checks_down()
    (award,) = table.of(PotAwarded, everything=True)
    assert [(paid.seat, paid.gross) for paid in award.payments] == [(6, 300), (1, 200), (2, 200)]
    assert sum(table.stacks.values()) == 120_000


@rule("7.a", "9.c")
@pytest.mark.parametrize(
    ("pot", "cap", "rake"), [(12_345, None, 617), (12_000, 500, 500), (12_000, 0, 0), (9_999, 500, 499)]
)
def test_five_percent_rounded_down_and_capped(pot: int, cap: int | None, rake: int) -> None:
    hand = hand_with({1: pot - pot // 2, 2: pot // 2}, folded=(2,))
    assert paid(hand, order(1), rules(CASINO_HOLDEM, rake_bp=500, rake_cap=cap)) == ({1: pot - rake}, [rake])


@rule("7.a", "FP-1")
def test_a_pot_won_before_the_flop_is_charged_too() -> None:
    table = h6(rake_bp=500).folds_round()
    (ended,) = table.of(HandEnded)
    assert (ended.rake, ended.exemption) == (10, None)
    assert table.stacks[2] == 20_000 + 100 - 10
    (ended,) = h6(rake_bp=500, no_flop_no_rake=True).folds_round().of(HandEnded)
    assert (ended.rake, ended.exemption) == (0, "no_flop")


@rule("1")
def test_the_house_takes_its_charge_and_nothing_else() -> None:
    for rate, rake in ((0, 0), (500, 500)):
        table = to_flop(h6(rake_bp=rate, rake_cap=500), 1, 2, 3, 4, 5, 6)
        table.plays("1 bet 1800", "2 call", "3 call", "4 call", "5 call", "6 call").checks_down()
        assert sum(table.stacks.values()) == 120_000 - rake
        assert table.state.books.raked == rake


@rule("65")
def test_the_percentage_of_each_payment() -> None:
    hand = hand_with({1: 3000, 2: 3000, 3: 6500, 4: 1500, 5: 6500}, (1, 3, 4), (2,))
    nets, rakes = paid(hand, {4: 0, 1: 1, 5: 2, 3: 3}, rules(CASINO_HOLDEM, rake_bp=500))
    assert (nets, rakes) == ({4: 7125, 1: 5700, 5: 6650}, [375, 300, 350])


@rule("65")
def test_a_cap_is_spread_in_proportion() -> None:
    shares = [1600, 1400, 4800, 2800, 2800]
    assert spread_cap([80, 70, 240, 140, 140], shares, 500) == [59, 52, 181, 104, 104]
    assert spread_cap([80, 70], shares[:2], 500) == [80, 70]
    assert spread_cap([50, 50, 50], [1000, 1000, 1000], 100) == [34, 33, 33], "equal: the earliest"


@rule("65", "66")
def test_a_tie_is_divided_first_and_charged_then() -> None:
    hand = hand_with({1: 1350, 3: 1350}, button=4)
    assert paid(hand, {1: 0, 3: 0}, rules(CASINO_HOLDEM, rake_bp=500)) == ({1: 1425, 3: 1140}, [135])
    other = rules(CASINO_HOLDEM, rake_bp=500, rake_order="rake_then_divide")
    assert paid(hand, {1: 0, 3: 0}, other) == ({1: 1365, 3: 1200}, [135])


@rule("62")
def test_the_opener_of_the_last_round_shows_first() -> None:
    table = to_flop(h6(), 1, 2, 6).plays("1 check", "2 check", "6 check", "1 check", "2 check", "6 check")
    table.plays("1 check", "2 bet 1500", "6 raise 4000", "1 fold", "2 call")
    assert [event.seat for event in table.of(CardsShown)] == [2, 6]
    table = to_flop(h6(), 1, 4).plays("1 check", "4 check", "1 check", "4 check")
    table.plays("1 check", "4 bet 1000", "1 call")
    assert [event.seat for event in table.of(CardsShown)] == [1, 4]


@rule("62")
def test_an_opener_after_an_all_in_player_shows_first() -> None:
    """P1 is all-in, so P2 opens the last round: P2 shows first and P1 last."""
    table = TableUnderTest(CASINO_HOLDEM, buy_in_min=400, buy_in_max=20_000)
    table.seat(2, 3, 4, 5, 6, amount=20_000).seat(s1=400)
    table.deal()
    assert table.hand.small_blind == 1
    table.plays("3 call", "4 fold", "5 fold", "6 fold", "1 raise 400", "2 call", "3 call")
    table.plays("2 check", "3 check", "2 check", "3 check", "2 check", "3 check")
    assert [event.seat for event in table.of(CardsShown)] == [2, 3, 1]


@rule("62")
def test_without_a_last_round_the_first_from_the_lead_shows_first_and_not_before_the_river() -> None:
    table = to_flop(h6(), 2, 6).plays("2 bet 19800", "6 call")
    names = table.names
    assert [event.seat for event in table.of(CardsShown)] == [2, 6]
    assert max(i for i, name in enumerate(names) if name == "StreetDealt") < names.index("CardsShown")


@rule("63", "64")
def test_the_cards_decide_once_all_are_shown() -> None:
    table = to_flop(h6(), 1, 2, 3).checks_down()
    names = table.names
    assert names.count("CardsShown") == 3
    assert names.index("PotAwarded") > max(i for i, name in enumerate(names) if name == "CardsShown")
    for event in table.of(CardsShown):
        assert len(event.hole_used) + len(event.board_used) == 5


@rule("FP-1")
def test_what_nobody_matched_is_neither_pot_nor_charged() -> None:
    table = to_flop(h6(rake_bp=500), 1, 2, 3).plays("1 check", "2 check", "3 bet 1200", "1 fold", "2 fold")
    (ended,) = table.of(HandEnded)
    assert ended.rake == 30
    assert {result.seat: result.staked for result in ended.results}[3] == 200


@rule("FP-4", "69")
def test_a_hand_that_can_not_be_finished_is_void() -> None:
    table = to_flop(h6(rake_bp=500), 1, 2, 3).plays("1 bet 400", "2 call")
    assert table.void() is None
    (voided,) = table.of(HandVoided)
    assert {refund.seat: refund.amount for refund in voided.refunds if refund.amount} == {1: 600, 2: 600, 3: 200}
    assert set(table.stacks.values()) == {20_000}
    assert table.void() == "no_hand"
    assert table.state.books.raked == 0


@rule("FP-4/1")
def test_a_hand_lost_for_longer_than_the_resume_limit_gives_every_bet_back(case: Case) -> None:
    put_in = dict(enumerate(case.ints("contributions"), 1))
    table = casino(rebuy=None, rake_bp=500, between_hands_ms=1_000, buy_in_min=min(put_in.values()), buy_in_max=20_000)
    table.seat(1, 2, 4, amount=20_000).seat(3, amount=put_in[3])
    led(table, 1).plays("3 call", "4 fold", "1 call", "2 check", "1 bet 400", "2 call", "3 call")
    assert table.hand.street == ("preflop", "flop", "turn")[case.int("round") - 1]
    assert {player.seat: player.committed for player in table.hand.players.values() if player.committed} == put_in
    limit, due = table.state.rules.timing.resume_ms, table.due
    assert limit is not None
    assert due is not None
    table.now = due + limit
    table.wake(outage=True)
    (voided,) = table.of(HandVoided, everything=True)
    assert {refund.seat: refund.amount for refund in voided.refunds if refund.amount} == put_in
    assert (voided.by, voided.cause) == ("house", STANDSTILL)
    assert table.state.books.raked == case["rake"]
    assert table.stacks == {1: 20_000, 2: 20_000, 3: put_in[3], 4: 20_000}


@rule("68")
def test_the_next_hand_waits_for_the_payments_and_the_time_to_see_them() -> None:
    table = h6(between_hands_ms=3_000)
    table.deal()
    assert not table.of(HandEnded), "a hand that runs is not dealt over"
    table.folds_round()
    table.wake()
    assert table.last == []
    table.later(3_000)
    assert "HandStarted" in table.names


@rule("92")
def test_omaha_settles_alike() -> None:
    assert shares_of(2700, [1, 3], rules(CASINO_OMAHA)) == [1500, 1200]


@rule("54", "39.a")
def test_folded_cards_burns_and_the_stub_are_in_no_public_event() -> None:
    table = to_flop(h6(), 1, 2, 3).checks_down()
    (started,) = table.of(HandStarted, everything=True)
    (dealt,) = table.of(HoleCardsDealt, everything=True)
    said = "".join(encode_fact(event)[1].decode() for event in table.told)
    seen = {position for deal in dealt.deals if deal.seat in (1, 2, 3) for position in deal.positions}
    seen |= {card.position for event in table.of(StreetDealt, everything=True) for card in event.cards}
    names = names_of(table.deck_of(started).cards)
    assert len(seen) == 11
    assert [place for place, name in enumerate(names) if f'"{name}"' in said] == sorted(seen)
