"""Scores, pairs, the drawing table, payouts and commission, rule by rule, without a table around them."""

from itertools import product
from typing import Any

import pytest

from libs.cards.card import DECK, Card, names_of, parse_all
from libs.contracts.baccarat_commands import Chance
from services.table.domain.games.baccarat.dealing import Dealt, banca_draws, deal_coup, is_pair, ponto_draws, score
from services.table.domain.games.baccarat.paying import PAYS, CommissionMode, pay

rule = pytest.mark.rule


def dealt(cards: str) -> Dealt:
    """A coup of exactly these cards, in dealing order."""
    coup = deal_coup(parse_all(cards), 0)
    assert coup.next_position == len(cards.split()), "no card is left over"
    return coup


def credited(cards: str, mode: CommissionMode = "none", **stakes: Any) -> dict[str, int]:
    return {paid.chance: paid.credited for paid in pay(_typed(stakes), dealt(cards), mode)}


def commissions(cards: str, mode: CommissionMode, **stakes: Any) -> int:
    return sum(paid.commission for paid in pay(_typed(stakes), dealt(cards), mode))


def _typed(stakes: dict[str, Any]) -> dict[Chance, int]:
    return {chance: stakes[chance] for chance in PAYS if chance in stakes}


@rule("pt-812-2015-baccarat", "2.e", "11", "12")
@pytest.mark.parametrize(
    ("cards", "pair"),
    [("Qd Qc", True), ("Qd Kc", False), ("Td Jc", False), ("8h 8h", True), ("Kd Qh", False), ("Kd Kh", True)],
)
def test_a_pair_is_two_cards_of_one_rank(cards: str, pair: bool) -> None:
    assert is_pair(*parse_all(cards)) is pair


@rule("pt-812-2015-baccarat", "7.a", "7.b", "7.c", "8")
@pytest.mark.parametrize(
    ("cards", "points"),
    [("As 7d", 8), ("Kh 7c", 7), ("Qd Qc", 0), ("Jh Ts", 0), ("4h 5s", 9), ("6s 9h", 5), ("3h Td 7d", 0),
     ("6c 9d 5s", 0), ("9c 9d 9h", 7), ("2c 3d", 5), ("6c 8d", 4)],
)  # fmt: skip
def test_a_score_is_the_last_digit_of_the_sum(cards: str, points: int) -> None:
    assert score(parse_all(cards)) == points


@rule("pt-812-2015-baccarat", "17", "19")
def test_cards_alternate_from_ponto_and_a_natural_ends_the_drawing() -> None:
    coup = dealt("4h 3d 5s 5c")
    assert (names_of(coup.ponto.cards), names_of(coup.banca.cards)) == (["4h", "5s"], ["3d", "5c"])
    assert (coup.ponto.positions, coup.banca.positions) == ((0, 2), (1, 3))
    assert (coup.ponto.score, coup.banca.score, coup.winner, coup.natural) == (9, 8, "ponto", True)
    stopped = dealt("2c 9s 3c Kd")
    assert (stopped.ponto.score, stopped.banca.score, stopped.winner) == (5, 9, "banca")


@rule("pt-812-2015-baccarat", "20")
@pytest.mark.parametrize(
    ("cards", "banca_cards"),
    [
        ("2c Ah 3c 2d 8s", 2),  # Banca has 3 and stands against an 8
        ("2c Ah 3c 2d Ks 4c", 3),  # and draws against a king
        ("2h Qs 4c 5d 3h", 3),  # Ponto stands on 6, Banca draws on 5
        ("3s Kc 4d 6h", 2),  # Ponto stands on 7, Banca stands on 6
    ],
)
def test_who_draws_at_the_table(cards: str, banca_cards: int) -> None:
    assert len(dealt(cards).banca.cards) == banca_cards


@rule("pt-812-2015-baccarat", "20")
def test_the_drawing_table_in_every_combination(matrix: dict[str, Any]) -> None:
    """As the matrix has it: 51 of 80 with a third card of Ponto, and 0 to 5 without one."""
    table = matrix["20"]["drawing_table"]
    draws = {
        (has, third)
        for row in table["banca_when_ponto_draws"]
        for has in row["banca_has"]
        for third in row["draws_if_ponto_third_is"]
    }
    ours = {(has, third) for has, third in product(range(8), range(1, 11)) if banca_draws(has, third)}
    assert ours == draws
    assert len(ours) == 51
    assert [has for has in range(8) if banca_draws(has, None)] == table["banca_when_ponto_stands"]["draws_on"]
    assert [has for has in range(8) if ponto_draws(has)] == table["ponto"]["draws_on"]


@rule("pt-812-2015-baccarat", "19", "20")
def test_no_side_draws_against_a_natural_and_nobody_draws_twice() -> None:
    """Whatever the initial four are, at most one card more a side."""
    ranks = [Card(rank * 4) for rank in (12, *range(8))]
    for cards in product(ranks, repeat=4):
        coup = deal_coup((*cards, DECK[0], DECK[4]), 0)
        drawn = len(coup.ponto.cards) + len(coup.banca.cards) - 4
        assert drawn == 0 if coup.natural else drawn <= 2
        assert coup.next_position == 4 + drawn


@rule("pt-812-2015-baccarat", "11", "12", "25.c")
@pytest.mark.parametrize(
    ("cards", "stakes", "back"),
    [
        ("5d 2s Kh 2h 2d Ac", {"par_banca": 100}, {"par_banca": 1200}),  # Banca loses, its pair wins
        ("4s 7c 9d Kd 4h", {"par_ponto": 100}, {"par_ponto": 0}),  # the third card does not count
        ("Kd 7c Qh 2d", {"par_ponto": 100}, {"par_ponto": 0}),
        ("Kd 7c Kh 2d", {"par_ponto": 100}, {"par_ponto": 1200}),
        ("Qd Kh Qc 7c 7s", {"par_ponto": 200}, {"par_ponto": 2400}),  # in a tie
    ],
)
def test_pair_bets_hang_on_the_initial_cards_alone(cards: str, stakes: dict[str, Any], back: dict[str, int]) -> None:
    assert credited(cards, **stakes) == back


@rule("pt-812-2015-baccarat", "22", "23", "24", "25.a", "25.b")
@pytest.mark.parametrize(
    ("cards", "stakes", "back"),
    [
        ("3s Kc 4d 6h", {"ponto": 1500, "banca": 500}, {"ponto": 3000, "banca": 0}),
        ("3s Kc 4d 6h", {"empate": 200, "par_ponto": 100}, {"empate": 0, "par_ponto": 0}),
        ("2c Ah 3c 2d 8s", {"empate": 200, "ponto": 1000}, {"empate": 1800, "ponto": 1000}),
        ("2c Ah 3c 2d 8s", {"empate": 300, "banca": 1000}, {"empate": 2700, "banca": 1000}),
        ("3s Kc 4d 6h", {"ponto": 1000}, {"ponto": 2000}),
        ("2h Qs 4c 5d 3h", {"banca": 1000}, {"banca": 2000}),
    ],
)
def test_what_a_bet_brings_back(cards: str, stakes: dict[str, Any], back: dict[str, int]) -> None:
    assert credited(cards, **stakes) == back


@rule("pt-812-2015-baccarat", "23", "26.a")
def test_a_tie_costs_no_commission() -> None:
    assert commissions("2h Qs 4c 3d 3h", "five-percent", banca=1000, empate=200) == 0


_BANCA_8_TO_6 = "2h Qs 4c 5d 3h"
_BANCA_6_TO_2 = "5h 8s 9c 8h 8d"
_BANCA_5_TO_2 = "5h 7d 9c 8c 8d"
_BANCA_7_TO_2 = "5h 7d 9c Tc 8d"


@rule("pt-812-2015-baccarat", "26.a")
@pytest.mark.parametrize(
    ("stakes", "commission", "back"),
    [
        ({"banca": 2000}, 100, {"banca": 3900}),
        ({"banca": 110}, 5, {"banca": 215}),
        ({"banca": 220}, 11, {"banca": 429}),
    ],
)
def test_five_percent_of_a_players_winnings_down_to_the_cent(
    stakes: dict[str, int], commission: int, back: dict[str, int]
) -> None:
    assert commissions(_BANCA_8_TO_6, "five-percent", **stakes) == commission
    assert credited(_BANCA_8_TO_6, "five-percent", **stakes) == back


@rule("pt-812-2015-baccarat", "26.a")
def test_no_commission_on_a_pair_that_wins_beside_banca() -> None:
    assert credited(_BANCA_6_TO_2, "five-percent", par_banca=100) == {"par_banca": 1200}
    assert commissions(_BANCA_6_TO_2, "five-percent", par_banca=100) == 0


@rule("pt-812-2015-baccarat", "26.b")
@pytest.mark.parametrize(
    ("cards", "mode", "stake", "commission", "back"),
    [
        (_BANCA_6_TO_2, "half-on-6", 1000, 500, 1500),
        (_BANCA_5_TO_2, "half-on-6", 1000, 0, 2000),
        (_BANCA_7_TO_2, "half-on-6", 1000, 0, 2000),
        (_BANCA_5_TO_2, "half-on-5", 1000, 500, 1500),
        (_BANCA_6_TO_2, "half-on-5", 1000, 0, 2000),
        (_BANCA_6_TO_2, "half-on-6", 105, 52, 158),
        (_BANCA_6_TO_2, "none", 1000, 0, 2000),
    ],
)
def test_half_is_deducted_on_one_score_alone(
    cards: str, mode: CommissionMode, stake: int, commission: int, back: int
) -> None:
    assert commissions(cards, mode, banca=stake) == commission
    assert credited(cards, mode, banca=stake) == {"banca": back}
