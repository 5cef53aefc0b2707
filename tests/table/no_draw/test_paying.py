"""What is paid and what is lost, to the cent (pt-803-2015-no-draw 10 to 12, 22 to 29, FP-2)."""

import pytest

from libs.contracts.no_draw_poker_events import DealerShown, RoundHandShown, SecondBetPlaced
from tests.table.no_draw.play import ACE_KING, BANK, NO_KING, REGULATION, NoDraw, one_round


@pytest.mark.parametrize(
    ("ante", "player", "multiplier", "credited", "net"),
    [
        pytest.param(
            2500, "Ah Kh Qh Jh Th", 100, 510_000, 502_500, marks=pytest.mark.rule(REGULATION, "12.a", "28.b", "18")
        ),
        pytest.param(100, "9d 8d 7d 6d 5d", 50, 10_400, 10_100, marks=pytest.mark.rule(REGULATION, "12.b")),
        pytest.param(300, "4s 4h 4d 4c 9h", 20, 13_200, 12_300, marks=pytest.mark.rule(REGULATION, "12.c")),
        pytest.param(200, "Ts Td Tc 4h 4d", 7, 3_600, 3_000, marks=pytest.mark.rule(REGULATION, "12.d")),
        pytest.param(200, "Kh 9h 7h 4h 2h", 5, 2_800, 2_200, marks=pytest.mark.rule(REGULATION, "12.e")),
        pytest.param(200, "9h 8d 7c 6s 5h", 4, 2_400, 1_800, marks=pytest.mark.rule(REGULATION, "12.f")),
        pytest.param(200, "7s 7h 7c Qc 2s", 3, 2_000, 1_400, marks=pytest.mark.rule(REGULATION, "12.g")),
        pytest.param(400, "Js Jd 7c 7s Ah", 2, 3_200, 2_000, marks=pytest.mark.rule(REGULATION, "12.h", "28.a")),
        pytest.param(300, "8c 8d Kh 5h 2s", 1, 1_800, 900, marks=pytest.mark.rule(REGULATION, "12.i")),
        pytest.param(600, "As Kd Qs 6d 3c", 1, 3_600, 1_800, marks=pytest.mark.rule(REGULATION, "12.j")),
    ],
)
def test_the_pay_table(ante: int, player: str, multiplier: int, credited: int, net: int) -> None:
    table = one_round(player, ACE_KING, ante)
    result = table.settled.results[0]
    assert (result.outcome, result.multiplier, result.credited, result.net) == ("win", multiplier, credited, net)
    areas = {area.area: (area.staked, area.credited) for area in result.bets}
    assert areas == {"ante": (ante, 2 * ante), "bet": (2 * ante, 2 * ante * (1 + multiplier))}
    assert table.stacks == {1: 10_000 + net}
    assert table.settled.house == -net
    assert table.state.bank == BANK - net


@pytest.mark.rule(REGULATION, "12", "26")
@pytest.mark.parametrize(
    ("player", "ante", "credited"),
    [("Kh 9h 7h 4h 2h", 500, 2_000), ("Ah Kh Qh Jh Th", 2500, 10_000), ("Th 8d 6c 4s 2h", 100, 400)],
)
def test_without_ace_king_the_ante_is_paid_and_the_bet_returned(player: str, ante: int, credited: int) -> None:
    table = one_round(player, NO_KING, ante)
    result = table.settled.results[0]
    assert (result.outcome, result.credited, result.net) == ("dealer_not_qualified", credited, ante)
    assert (result.multiplier, result.decided_by) == (0, "")
    assert {area.area: area.credited for area in result.bets} == {"ante": 2 * ante, "bet": 2 * ante}


@pytest.mark.rule(REGULATION, "26")
def test_who_folded_gains_nothing_by_a_dealer_who_does_not_play() -> None:
    table = NoDraw().seat(1, 4).dealt({1: 300, 4: 200}, {1: "Kh 9h 7h 4h 2h", 4: "Th 8d 6c 4s 2d"}, NO_KING)
    table.plays("1 continue", "4 fold")
    assert {r.seat: (r.credited, r.net) for r in table.settled.results} == {1: (1200, 300), 4: (0, -200)}


@pytest.mark.rule(REGULATION, "10")
def test_each_is_compared_with_the_dealer_only() -> None:
    hands = {1: "Kh 9h 7h 4h 2h", 2: "8c 8d Qs 5h 3c"}
    table = NoDraw().seat(1, 2).dealt({1: 200, 2: 200}, hands, ACE_KING).plays("1 continue", "2 continue")
    assert table.nets == {1: 2200, 2: 600}


@pytest.mark.rule(REGULATION, "11")
@pytest.mark.parametrize(
    ("player", "dealer", "ante", "net"),
    [("Ad Kc Qh 9s 3c", "2s 2d Jc 8h 5s", 1000, -3000), ("9h 8d 7c 6s 5h", "9s 8c 7h 6d 5c", 400, 0)],
)
def test_the_higher_hand_wins_and_an_equal_one_does_not(player: str, dealer: str, ante: int, net: int) -> None:
    assert one_round(player, dealer, ante).nets == {1: net}


@pytest.mark.rule(REGULATION, "FP-2")
def test_a_tie_gives_both_stakes_back() -> None:
    table = one_round("9h 8d 7c 6s 5h", "9s 8c 7h 6d 5c", 400)
    result = table.settled.results[0]
    assert (result.outcome, result.credited, result.net) == ("tie", 1200, 0)
    assert table.state.bank == BANK


@pytest.mark.rule(REGULATION, "29")
def test_a_lower_hand_loses_both_stakes() -> None:
    table = one_round("Ah 2d 3s 4c 5d", "2s 3h 4d 5c 6c", 700)
    assert (table.settled.results[0].credited, table.nets) == (0, {1: -2100})
    assert table.state.bank == BANK + 2100


@pytest.mark.rule(REGULATION, "20.a")
def test_who_folds_is_out_and_cannot_bet_any_more() -> None:
    table = NoDraw().seat(1, 2).dealt({1: 500, 2: 100}, {1: "8c 8d Kh 5h 2s", 2: "9c 9d Kc 6h 3s"}, ACE_KING)
    table.plays("1 fold")
    assert table.decides(1, "continue") == "already_decided"
    table.plays("2 continue")
    assert table.nets[1] == -500


@pytest.mark.rule(REGULATION, "22")
def test_a_folded_full_house_is_lost_unseen() -> None:
    hands = {1: "Ts Td Tc 4h 4d", 2: "9c 9d Kc 6h 3s"}
    table = NoDraw().seat(1, 2).dealt({1: 100, 2: 100}, hands, ACE_KING).plays("1 fold", "2 continue")
    assert table.nets[1] == -100
    assert [event.seat for event in table.of(RoundHandShown, everything=True)] == [2]
    assert table.settled.results[0].category == ""


@pytest.mark.rule(REGULATION, "23", "2.f")
def test_continuing_costs_exactly_twice_the_ante_before_the_dealer_is_seen() -> None:
    table = NoDraw(mode="single").seat(1).dealt({1: 700}, {1: "8c 8d Kh 5h 2s"}, ACE_KING)
    assert table.stacks == {1: 9_300}
    assert table.decides(1, "continue", bet=1399) == "bet_is_twice_the_ante"
    assert table.decides(1, "continue", bet=1401) == "bet_is_twice_the_ante"
    assert table.refused is not None
    assert table.refused.rule == f"{REGULATION}#2.f"
    assert table.stacks == {1: 9_300}
    assert table.decides(1, "continue", bet=1400) is None
    bet = table.of(SecondBetPlaced)[0]
    assert (bet.amount, bet.total, bet.stack, bet.area) == (1400, 1400, 7_900, "bet")
    assert table.names.index("SecondBetPlaced") < table.names.index("DealerShown")


@pytest.mark.rule(REGULATION, "2.f")
def test_the_second_bet_of_three_euros_is_six() -> None:
    table = NoDraw(mode="single").seat(1).dealt({1: 300}, {1: "8c 8d Kh 5h 2s"}, ACE_KING)
    assert table.decides(1, "continue", bet=599) == "bet_is_twice_the_ante"
    assert table.decides(1, "continue", bet=601) == "bet_is_twice_the_ante"
    assert table.decides(1, "continue", bet=600) is None


@pytest.mark.rule(REGULATION, "20.b")
def test_without_the_money_for_the_second_bet_the_clock_goes_on() -> None:
    short = NoDraw(mode="single", buy_in=1499, buy_in_max=1500, buy_in_min=1499).seat(1, stack=1499)
    short.open()
    assert short.ante(1, 500) is None
    assert short.last[-1].short_of == 1  # told before the deal
    short.start_deal(1)
    short.wake()
    until = short.round.until
    assert short.decides(1, "continue") == "above_stack"
    assert short.round.until == until
    assert short.plays("1 fold").nets == {1: -500}

    enough = NoDraw(mode="single", buy_in=1500).seat(1, stack=1500).dealt({1: 500}, {1: "8c 8d Kh 5h 2s"}, ACE_KING)
    assert enough.of(SecondBetPlaced, everything=True) == []
    assert enough.plays("1 continue").of(SecondBetPlaced)[0].amount == 1000


@pytest.mark.rule(REGULATION, "5")
def test_one_deal_binds_all_and_nothing_moves_between_players() -> None:
    hands = {1: "Ts Td Tc 4h 4d", 3: "Kh Ks 9d 9c 2h"}
    dealer = "6s 6h As Qc 8d"
    table = NoDraw().seat(1, 3).dealt({1: 200, 3: 500}, hands, dealer).plays("1 continue", "3 continue")
    assert len(table.of(DealerShown, everything=True)) == 1
    assert table.settled.round == table.state.last_round
    assert table.nets == {1: 200 + 400 * 7, 3: 500 + 1000 * 2}
    assert table.settled.house == -sum(table.nets.values())


@pytest.mark.rule(REGULATION, "2.e", "28.a")
def test_a_round_is_over_when_it_is_paid() -> None:
    table = NoDraw(mode="single", between_rounds_ms=5_000).seat(1)
    table.dealt({1: 300}, {1: "8c 8d Kh 5h 2s"}, ACE_KING)
    assert table.ante(1, 300) == "betting_is_closed"
    assert table.ante(1, 300, round=2) == "wrong_round"
    table.plays("1 continue")
    assert table.settled.results[0].credited == 1800
    assert table.names[-1] == "RoundSettled"
    assert table.void(1) == "no_round"
    assert table.ante(1, 300, round=2) is None
    assert table.void(1) == "wrong_round"
