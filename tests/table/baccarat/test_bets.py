"""What may be staked, changed and taken back: chapter I, and the Macau variant with its prize limit."""

import pytest

from libs.contracts.baccarat_events import StakePlaced, StakeWithdrawn
from tests.table.baccarat.play import MACAU, CoupTable

rule = pytest.mark.rule
_REGULATION = "pt-812-2015-baccarat"


@pytest.fixture
def table() -> CoupTable:
    """Two seats with 100 euro each, betting open, minimum 100 cents."""
    return CoupTable().seat(1, 2).betting()


@rule(_REGULATION, "9.a", "9.b", "9.c", "14")
@pytest.mark.parametrize("chance", ["ponto", "banca", "empate"])
def test_the_minimum_is_enough_on_any_chance_and_is_debited(table: CoupTable, chance: str) -> None:
    assert table.bet(1, f"{chance} 99") == "stake_below_minimum"
    assert table.rule == "2.b"
    assert table.bet(1, f"{chance} 100") is None
    placed = table.of(StakePlaced)[0]
    assert (placed.seat, placed.area, placed.amount, placed.total, placed.stack) == (1, chance, 100, 100, 9900)
    assert (table.stack(1), table.on(1)) == (9900, {chance: 100})


@rule(_REGULATION, "9.a")
def test_a_bet_adds_to_what_lies_there_and_may_not_shrink_below_the_minimum(table: CoupTable) -> None:
    assert table.bet(1, "ponto 100", "ponto 50") is None
    assert table.on(1) == {"ponto": 150}
    assert table.withdraw(1, "ponto", 60) == "stake_below_minimum"
    assert table.rule == "2.b"
    assert table.withdraw(1, "ponto", 50) is None
    withdrawn = table.of(StakeWithdrawn)[0]
    assert (withdrawn.amount, withdrawn.total, withdrawn.stack) == (50, 100, 9900)
    assert table.withdraw(1, "ponto") is None
    assert (table.stack(1), table.on(1)) == (10_000, {})


def test_only_what_lies_there_can_be_taken_back(table: CoupTable) -> None:
    assert table.withdraw(1, "ponto") == "not_staked"
    assert table.bet(1, "ponto 200") is None
    assert table.withdraw(1, "banca") == "not_staked"
    assert table.withdraw(1, "ponto", 201) == "not_staked"
    assert table.withdraw(2, "ponto") == "not_staked"


def test_nobody_stakes_more_than_there_is() -> None:
    table = CoupTable().seat(1, amount=250).betting()
    assert table.bet(1, "ponto 200", "empate 100") == "above_stack"
    assert table.stack(1) == 50


@rule(_REGULATION, "10")
def test_pair_bets_are_the_operators_offer_and_stand_alone(table: CoupTable) -> None:
    assert table.bet(1, "par_banca 100") is None
    closed = CoupTable(pair_bets=False).seat(1).betting()
    assert closed.bet(1, "par_ponto 100") == "no_pair_bets"
    assert closed.rule == "10"


def test_an_operator_may_ask_for_a_main_bet_beside_a_pair() -> None:
    table = CoupTable(pair_requires_main_bet=True).seat(1).betting()
    assert table.bet(1, "par_banca 100") == "pair_without_main_bet"
    assert table.bet(1, "empate 100", "par_banca 100") is None
    assert table.withdraw(1, "empate") == "pair_without_main_bet"
    assert table.withdraw(1, "par_banca") is None
    assert table.withdraw(1, "empate") is None


@rule(_REGULATION, "13")
def test_both_sides_are_kept_apart_by_the_minimum(table: CoupTable) -> None:
    assert table.bet(1, "ponto 1500", "banca 500") is None
    for amount in (401, 450, 500):
        assert table.bet(2, "ponto 500" if not table.on(2) else f"banca {amount}", f"banca {amount}") is not None
        assert (table.refused.reason if table.refused else "", table.rule) == ("sides_too_close", "13")
    assert table.bet(2, "banca 400") is None


@rule(_REGULATION, "13")
def test_a_withdrawal_keeps_them_apart_or_leaves_one_side(table: CoupTable) -> None:
    assert table.bet(1, "ponto 500", "banca 300") is None
    assert table.withdraw(1, "ponto", 150) == "sides_too_close"
    assert table.rule == "13"
    assert table.withdraw(1, "ponto") is None
    assert table.on(1) == {"banca": 300}


@rule(_REGULATION, "15.a")
@pytest.mark.parametrize("chance", ["ponto", "banca"])
def test_the_maximum_of_a_side(table: CoupTable, chance: str) -> None:
    assert table.bet(1, f"{chance} 7001") == "stake_above_maximum"
    assert table.rule == "15.a"
    assert table.bet(1, f"{chance} 7000") is None


@rule(_REGULATION, "15.a")
def test_the_maximum_is_of_the_players_total_on_each_chance() -> None:
    table = CoupTable().seat(1, amount=20_000).betting()
    assert table.bet(1, "ponto 4000") is None
    assert table.bet(1, "ponto 3001") == "stake_above_maximum"
    assert table.refused is not None
    assert table.refused.detail == "3000 still possible"
    assert table.bet(1, "ponto 3000", "banca 6900") is None
    assert table.on(1) == {"ponto": 7000, "banca": 6900}


@rule(_REGULATION, "15.b", "15.c")
@pytest.mark.parametrize(
    ("chance", "most", "ref"), [("empate", 1500, "15.b"), ("par_ponto", 800, "15.c"), ("par_banca", 800, "15.c")]
)
def test_the_maxima_of_the_other_chances(table: CoupTable, chance: str, most: int, ref: str) -> None:
    assert table.bet(1, f"{chance} {most + 1}") is not None
    assert table.rule == ref
    assert table.bet(1, f"{chance} {most}") is None


def test_the_guards_of_a_bet_in_their_order() -> None:
    """The first row is wrong in every way; each row mends one thing and meets the next rule."""
    table = CoupTable(pair_bets=False, betting_ms=10_000).seat(1, amount=7050).betting()
    assert table.bet(2, "par_ponto 99", now=10_000) == "not_seated"
    assert table.bet(1, "par_ponto 99", now=10_000) == "betting_is_closed"
    assert table.bet(1, "par_ponto 99", now=9_999) == "no_pair_bets"
    assert table.bet(1, "ponto 99") == "stake_below_minimum"
    assert table.bet(1, "ponto 8000") == "stake_above_maximum"
    assert table.bet(1, "ponto 7000", "banca 6950") == "sides_too_close"
    assert table.bet(1, "banca 6900") == "above_stack"
    assert table.bet(1, "empate 100") == "above_stack"


# The Macau variant.


@rule(_REGULATION, "39", "40", "14")
def test_the_macau_variant_has_no_maxima() -> None:
    table = CoupTable(MACAU).seat(1, amount=10_000_000).betting()
    assert table.bet(1, "ponto 99") == "stake_below_minimum"
    assert table.bet(1, "ponto 100000") is None
    assert table.withdraw(1, "ponto") is None
    assert table.bet(1, "empate 10000000") is None
    assert table.stack(1) == 0
    chapter_one = CoupTable().seat(1, amount=200_000).betting()
    assert chapter_one.bet(1, "ponto 100000") == "stake_above_maximum"


@rule(_REGULATION, "39", "13")
def test_everything_else_of_chapter_one_holds_there() -> None:
    table = CoupTable(MACAU).seat(1).betting()
    assert table.bet(1, "ponto 500", "banca 450") == "sides_too_close"


def prize_table(*seats: int) -> CoupTable:
    """M = 100 000 cents."""
    return CoupTable(MACAU, prize_limit=100_000).seat(*seats, amount=1_000_000).betting()


@rule(_REGULATION, "42")
def test_the_prize_limit_is_held_against_the_difference_of_the_sides() -> None:
    table = prize_table(1, 2)
    assert table.bet(1, "ponto 60000") is None
    assert table.bet(1, "ponto 50000") == "above_prize_limit"
    assert table.bet(2, "banca 30000") is None
    assert table.bet(1, "ponto 50000") is None


@rule(_REGULATION, "43.a")
def test_the_table_total_of_a_side_stays_within_m_of_the_other() -> None:
    table = prize_table(1, 2)
    assert table.bet(2, "banca 30000") is None
    assert table.bet(1, "ponto 100000") is None
    assert table.bet(1, "ponto 30001") == "above_prize_limit"
    assert table.refused is not None
    assert (table.rule, table.refused.detail) == ("43.a", "30000 still possible")
    assert table.bet(1, "ponto 30000") is None


@rule(_REGULATION, "43.a")
def test_a_withdrawal_that_would_break_it_is_refused_whole() -> None:
    table = prize_table(1, 2)
    assert table.bet(2, "banca 30000") is None
    assert table.bet(1, "ponto 110000") is None
    assert table.withdraw(2, "banca") == "above_prize_limit"
    assert table.refused is not None
    assert (table.rule, table.refused.detail) == ("43.a", "20000 still possible")
    assert table.on(2) == {"banca": 30_000}
    assert table.withdraw(2, "banca", 20_000) is None


@rule(_REGULATION, "43.b")
def test_ties_together_stay_within_a_tenth_of_m() -> None:
    table = prize_table(1, 2)
    assert table.bet(1, "empate 10001") == "tie_above_prize_limit"
    assert table.rule == "43.b"
    assert table.bet(1, "empate 10000") is None
    assert table.bet(2, "empate 100") == "tie_above_prize_limit"


@rule(_REGULATION, "43.c")
def test_each_pair_stays_within_eight_percent_of_m() -> None:
    table = prize_table(1, 2)
    assert table.bet(1, "par_ponto 5000") is None
    assert table.bet(2, "par_ponto 3001") == "pair_above_prize_limit"
    assert table.rule == "43.c"
    assert table.bet(2, "par_ponto 3000", "par_banca 8000") is None


@rule(_REGULATION, "41")
def test_a_payout_is_never_cut_to_m() -> None:
    table = CoupTable(MACAU, prize_limit=100_000).seat(1, 2, 3, amount=1_000_000)
    settled = table.plays(
        "3s 7c 3d 3h Kd 2c", s1=["ponto 90000"], s2=["banca 30000"], s3=["par_ponto 8000", "ponto 40000"]
    )
    assert (settled.winner, settled.ponto_pair) == ("ponto", True)
    assert table.credited(1) == {"ponto": 180_000}
    assert table.credited(3) == {"ponto": 80_000, "par_ponto": 96_000}
    assert table.credited(2) == {"banca": 0}
