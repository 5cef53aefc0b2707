"""What is paid and what is lost, to the cent (pt-803-2015-no-draw 10 to 12, 22 to 29, FP-2)."""

import pytest

from libs.contracts.no_draw_poker_events import DealerShown, RoundHandShown, RoundResult, SecondBetPlaced
from tests.banked.booked import stacks_booked
from tests.table.no_draw.play import ACE_KING, BANK, NO_KING, REGULATION, NoDraw, ace_king_beside, one_round
from tests.testkit.cases import Case, each_case

rule = pytest.mark.rule
PAIR = "8c 8d Kh 5h 2s"
FULL_HOUSE = "Ts Td Tc 4h 4d"


def result_of(table: NoDraw) -> RoundResult:
    """Of the only seat; its stack, the bank and the books agree with it."""
    (result,) = table.settled.results
    assert table.stacks == stacks_booked("t1", table.told, 1) == {1: 10_000 + result.net}
    assert (table.settled.house, table.state.bank) == (-result.net, BANK - result.net)
    return result


def check_win(case: Case, table: NoDraw) -> RoundResult:
    """Both areas: the stake, and what it won beside it."""
    result = result_of(table)
    ante, bet = case.int("ante"), case.int("bet")
    areas = {area.area: (area.staked, area.credited - area.staked) for area in result.bets}
    assert areas == {"ante": (ante, case["ante_wins"]), "bet": (bet, case["bet_wins"])}
    assert (result.outcome, result.net, result.multiplier) == ("win", case["net"], case.int("bet_wins") // bet)
    return result


@each_case(REGULATION, "12.a/1", "12.b/1", "12.c/1", "12.d/1", "12.e/1", "12.f/1", "12.g/1", "12.h/1")
def test_the_pay_table(case: Case) -> None:
    player = case.text("player")
    result = check_win(case, one_round(player, ace_king_beside(player), case["ante"]))
    assert result.credited == case["credited"]


@rule(REGULATION, "12.i/1")
def test_a_pair_pays_the_bet_once(case: Case) -> None:
    result = check_win(case, one_round(case["player"], case["dealer"], case["ante"]))
    assert (result.credited, result.category) == (case["credited"], "pair")


@rule(REGULATION, "12.j/1")
def test_a_high_card_pays_the_bet_once(case: Case) -> None:
    result = check_win(case, one_round(case["player"], case["dealer"], case["ante"]))
    assert result.category == "high_card"


@rule(REGULATION, "28.a/1")
def test_a_higher_hand_is_paid_on_the_second_bet_by_the_pay_table(case: Case) -> None:
    hand = "Js Jd 7c 7s Ah"
    result = result_of(one_round(hand, ace_king_beside(hand), case["ante"]))
    _, bet = result.bets
    assert (result.category, bet.staked, bet.credited - bet.staked) == ("two_pair", case["bet"], case["wins"])


@rule(REGULATION, "28.b/1")
def test_the_ante_is_paid_once_whatever_the_hand(case: Case) -> None:
    result = check_win(case, one_round("Ah Kh Qh Jh Th", ACE_KING, case["ante"]))
    assert result.bets[0].credited - result.bets[0].staked != case["not"]


@rule(REGULATION, "12/1")
def test_without_ace_king_the_pay_table_is_not_applied(case: Case) -> None:
    result = result_of(one_round(case["player"], case["dealer"], case["ante"]))
    ante, bet = result.bets
    assert (result.outcome, result.multiplier, result.net) == ("dealer_not_qualified", 0, case["net"])
    assert (ante.credited - ante.staked, bet.staked, bet.credited) == (case["won"], case["bet"], case["returned"])


@each_case(REGULATION, "26/1", "26/2")
def test_without_ace_king_the_ante_is_paid_and_the_bet_returned(case: Case) -> None:
    result = result_of(one_round(case["player"], case["dealer"], case["ante"]))
    ante, bet = case.int("ante"), case.int("bet")
    assert {area.area: area.credited for area in result.bets} == {"ante": 2 * ante, "bet": bet}
    assert (result.credited, result.net, result.decided_by) == (case["credited"], case["net"], "")


@rule(REGULATION, "26/3")
def test_nothing_is_compared_with_a_dealer_who_does_not_play(case: Case) -> None:
    result = result_of(one_round(case["player"], case["dealer"], case["ante"]))
    assert (result.outcome, result.net) == ("dealer_not_qualified", case["net"])
    assert result.staked == case.int("ante") + case.int("bet")


@rule(REGULATION, "26/4")
def test_who_folded_gains_nothing_by_a_dealer_who_does_not_play(case: Case) -> None:
    antes = case.read("antes", dict[int, int])
    continues, folds = antes
    table = NoDraw().seat(*antes).dealt(antes, {continues: "Kh 9h 7h 4h 2h", folds: "Th 8d 6c 4s 2d"}, case["dealer"])
    table.plays(f"{continues} continue", f"{folds} fold")
    stayed, folded = table.settled.results
    assert {stayed.seat: stayed.credited} == case["credited"]
    assert stayed.staked == antes[continues] + case.int("bet")
    assert (folded.credited, table.nets) == (0, case["net"])
    assert stacks_booked("t1", table.told, *antes) == table.stacks


@rule(REGULATION, "10/1")
def test_each_is_compared_with_the_dealer_only() -> None:
    hands = {1: "Kh 9h 7h 4h 2h", 2: "8c 8d Qs 5h 3c"}
    table = NoDraw().seat(1, 2).dealt({1: 200, 2: 200}, hands, ACE_KING).plays("1 continue", "2 continue")
    assert [(each.category, each.outcome) for each in table.settled.results] == [("flush", "win"), ("pair", "win")]
    assert table.nets == {1: 2200, 2: 600}
    assert stacks_booked("t1", table.told, 1, 2) == table.stacks


@each_case(REGULATION, "11/1", "11/2")
def test_the_higher_hand_wins_and_an_equal_one_does_not(case: Case) -> None:
    result = result_of(one_round(case["player"], case["dealer"], case["ante"]))
    assert (result.net, result.staked) == (case["net"], case.int("ante") + case.int("bet"))


@rule(REGULATION, "FP-2/1")
def test_a_tie_gives_both_stakes_back(case: Case) -> None:
    result = result_of(one_round(case["player"], case["dealer"], case["ante"]))
    assert (result.outcome, result.credited, result.net) == (case["outcome"], case["credited"], case["net"])
    assert {area.area: area.credited for area in result.bets} == {"ante": case["ante"], "bet": case["bet"]}


@rule(REGULATION, "29/1")
def test_a_lower_hand_loses_both_stakes(case: Case) -> None:
    result = result_of(one_round(case["player"], case["dealer"], case["ante"]))
    assert (result.credited, result.net) == (0, case["net"])
    assert [area.staked for area in result.bets] == [case["ante"], case["bet"]]


@rule(REGULATION, "20.a/1")
def test_who_folds_is_out_and_cannot_bet_any_more(case: Case) -> None:
    table = NoDraw().seat(1, 2).dealt({1: case["ante"], 2: 100}, {1: PAIR, 2: "9c 9d Kc 6h 3s"}, ACE_KING)
    table.plays("1 fold")
    assert table.decides(1, "continue") == "already_decided"
    table.plays("2 continue")
    assert table.nets[1] == case["net"]
    assert [area.area for area in table.settled.results[0].bets] == ["ante"]


@rule(REGULATION, "22/1")
def test_a_folded_full_house_is_lost_unseen(case: Case) -> None:
    hands = {1: FULL_HOUSE, 2: "9c 9d Kc 6h 3s"}
    table = NoDraw().seat(1, 2).dealt({1: case["ante"], 2: 100}, hands, ACE_KING).plays("1 fold", "2 continue")
    folded = table.settled.results[0]
    assert (folded.net, folded.outcome, folded.category, folded.decided_by) == (case["net"], "fold", "", "")
    assert [event.seat for event in table.of(RoundHandShown, everything=True)] == [2]
    assert not any(f"'{card}'" in repr(table.told) for card in FULL_HOUSE.split())


@rule(REGULATION, "2.f/1")
def test_the_second_bet_is_exactly_twice_the_ante(case: Case) -> None:
    table = NoDraw(mode="single").seat(1).dealt({1: case["ante"]}, {1: PAIR}, ACE_KING)
    for bet in case.ints("refused"):
        assert table.decides(1, "continue", bet=bet) == "bet_is_twice_the_ante"
        assert table.refused is not None
        assert table.refused.rule == f"{REGULATION}#2.f"
    assert table.decides(1, "continue", bet=case["bet"]) is None
    (bet_placed,) = table.of(SecondBetPlaced)
    assert bet_placed.amount == case["bet"]


@rule(REGULATION, "23/1")
def test_twice_the_ante_is_debited_before_the_dealer_is_seen(case: Case) -> None:
    table = NoDraw(mode="single").seat(1).dealt({1: case["ante"]}, {1: PAIR}, ACE_KING)
    before = table.stacks[1]
    table.plays("1 continue")
    (bet,) = table.of(SecondBetPlaced)
    assert (bet.area, bet.amount, bet.total, bet.stack) == ("bet", case["bet"], case["bet"], before - case.int("bet"))
    assert table.names.index("SecondBetPlaced") < table.names.index("DealerShown")


@rule(REGULATION, "20.b/1")
def test_without_the_money_for_the_second_bet_the_clock_goes_on(case: Case) -> None:
    ante = case.int("ante")
    brought = ante + case.int("too_little")
    short = NoDraw(mode="single", buy_in_min=brought, buy_in_max=brought, buy_in=...).seat(1, stack=brought).open()
    assert short.ante(1, ante) is None
    assert short.last[-1].short_of == case.int("bet") - case.int("too_little"), "told before the deal"
    assert short.start_deal(1) is None
    short.wake()
    until = short.round.until
    assert short.decides(1, "continue") == "above_stack"
    assert (short.round.until, short.stacks[1]) == (until, case["too_little"])
    assert [each.seat for each in short.round.undecided] == [1]
    brought = ante + case.int("left")
    enough = NoDraw(mode="single", buy_in_min=brought, buy_in_max=brought, buy_in=...).seat(1, stack=brought)
    enough.dealt({1: ante}, {1: PAIR}, ACE_KING).plays("1 continue")
    (bet,) = enough.of(SecondBetPlaced)
    assert (bet.amount, bet.stack) == (case["bet"], 0)


@rule(REGULATION, "5/1")
def test_one_deal_binds_all_and_nothing_moves_between_players(case: Case) -> None:
    antes = case.read("antes", dict[int, int])
    (one, first), (two, second) = antes.items()
    hands = {one: FULL_HOUSE, two: "5c 5s Kd 9d 2h"}
    table = NoDraw().seat(one, two).dealt(antes, hands, "6s 6h As Qc 8d").plays(f"{one} continue", f"{two} continue")
    (shown,) = table.of(DealerShown, everything=True)
    assert (shown.category, shown.round, table.settled.round) == ("pair", 1, 1)
    assert table.nets == {one: first + 2 * first * 7, two: -3 * second}
    assert table.settled.house == -sum(table.nets.values())
    for result in table.settled.results:
        assert result.credited in (0, 2 * antes[result.seat] + 2 * antes[result.seat] * 8), "each on its own stakes"


@rule(REGULATION, "2.e/1")
def test_a_round_is_over_when_it_is_paid(case: Case) -> None:
    ante = case.int("ante")
    table = NoDraw(mode="single", between_rounds_ms=5_000).seat(1)
    table.dealt({1: ante}, {1: "8c 8d Ks 5h 2c"}, "Ac Kd Jh 7s 4s")
    assert table.ante(1, ante) == "betting_is_closed"
    assert table.ante(1, ante, round=2) == "wrong_round"
    table.plays("1 continue")
    (result,) = table.settled.results
    assert (result.credited, result.staked - ante) == (case["credit"], case["bet"])
    assert table.names[-1] == "RoundSettled"
    assert table.void(1) == "no_round"
    assert table.ante(1, ante, round=2) is None
    assert table.void(1) == "wrong_round"


def test_no_king_of_these_tests_is_what_it_says() -> None:
    assert one_round(PAIR, NO_KING).settled.results[0].outcome == "dealer_not_qualified"
