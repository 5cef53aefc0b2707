"""What may be staked, changed and taken back (chapter I)."""

from typing import Any

import pytest

from libs.contracts.baccarat_events import StakePlaced, StakeWithdrawn
from tests.table.baccarat.play import CoupTable
from tests.testkit.cases import Case

rule = pytest.mark.rule
_REGULATION = "pt-812-2015-baccarat"


@pytest.fixture
def table() -> CoupTable:
    """Two seats with 100 euro each, betting open, minimum 100 cents."""
    return CoupTable().seat(1, 2).betting()


def of_minimum(case: Case, **changes: Any) -> CoupTable:
    return CoupTable(min_bet=case["minimum"], **changes).seat(1, 2, amount=20_000).betting()


@pytest.mark.parametrize(
    "chance",
    [pytest.param("ponto", marks=rule(_REGULATION, "9.a/1")), pytest.param("banca", marks=rule(_REGULATION, "9.b/1"))],
)
def test_the_minimum_is_taken_and_debited_and_less_is_refused(case: Case, chance: str) -> None:
    table, bet = of_minimum(case), case.int("bet")
    assert table.bet(1, f"{chance} {case['below']}") == "stake_below_minimum"
    assert (table.rule, table.stack(1)) == ("2.b", 20_000)
    assert table.bet(1, f"{chance} {bet}") is None
    (placed,) = table.of(StakePlaced)
    left = 20_000 - bet
    assert (placed.seat, placed.area, placed.amount, placed.total, placed.stack) == (1, chance, bet, bet, left)
    assert (table.stack(1), table.on(1)) == (left, {chance: bet})


@rule(_REGULATION, "9.c/1")
def test_the_tie_is_bet_on_without_any_other_bet(case: Case) -> None:
    table, bet = of_minimum(case), case.int("bet")
    assert table.bet(1, f"empate {bet}") is None
    assert (table.stack(1), table.on(1)) == (20_000 - bet, {"empate": bet})


@rule(_REGULATION, "9.a/2")
def test_a_bet_adds_to_what_lies_there_and_may_not_shrink_below_the_minimum(case: Case) -> None:
    table = of_minimum(case)
    assert table.bet(1, f"ponto {case['bet']}", f"ponto {case['adds']}") is None
    assert table.on(1) == {"ponto": case["total"]}
    assert case.int("total") - case.int("withdraws") == case["left"]
    assert table.withdraw(1, "ponto", case["withdraws"]) == "stake_below_minimum"
    assert (table.rule, table.on(1)) == ("2.b", {"ponto": case["total"]})


def test_what_is_taken_back_is_on_the_stack_again(table: CoupTable) -> None:
    assert table.bet(1, "ponto 150") is None
    assert table.withdraw(1, "ponto", 50) is None
    (withdrawn,) = table.of(StakeWithdrawn)
    assert (withdrawn.amount, withdrawn.total, withdrawn.stack) == (50, 100, 9900)
    assert table.withdraw(1, "ponto") is None
    assert (table.stack(1), table.on(1)) == (10_000, {})


@rule(_REGULATION, "10/1")
def test_no_bet_on_a_pair_where_none_is_offered() -> None:
    table = CoupTable(pair_bets=False).seat(1).betting()
    for chance in ("par_ponto", "par_banca"):
        assert (table.bet(1, f"{chance} 100"), table.rule) == ("no_pair_bets", "10")


@rule(_REGULATION, "10/2")
def test_a_bet_on_a_pair_stands_alone(case: Case) -> None:
    table = of_minimum(case, pair_bets=True)
    assert table.bet(1, f"par_banca {case['bet']}") is None
    assert table.on(1) == {"par_banca": case["bet"]}


@rule(_REGULATION, "13/1")
def test_both_sides_may_be_bet_on_when_they_are_apart(case: Case) -> None:
    table = of_minimum(case)
    assert table.bet(1, f"ponto {case['ponto']}", f"banca {case['banca']}") is None
    on = table.on(1)
    assert on["ponto"] - on["banca"] == case["difference"]


@rule(_REGULATION, "13")
def test_either_side_may_be_the_higher_one(table: CoupTable) -> None:
    assert table.bet(1, "banca 500", "ponto 400") is None
    assert (table.bet(2, "banca 500", "ponto 401"), table.rule) == ("sides_too_close", "13")


@rule(_REGULATION, "13/2")
def test_they_are_apart_by_the_minimum_at_least(case: Case) -> None:
    table, ponto = of_minimum(case), case.int("ponto")
    assert table.bet(1, f"ponto {ponto}") is None
    for banca, apart in case.read("refused", dict[int, int]).items():
        assert ponto - banca == apart
        assert (table.bet(1, f"banca {banca}"), table.rule) == ("sides_too_close", "13"), banca
    ((banca, apart),) = case.read("accepted", dict[int, int]).items()
    assert (table.bet(1, f"banca {banca}"), ponto - banca) == (None, apart)


@rule(_REGULATION, "13/3")
def test_a_withdrawal_keeps_them_apart_or_leaves_one_side(case: Case) -> None:
    table, ponto, banca = of_minimum(case), case.int("ponto"), case.int("banca")
    assert table.bet(1, f"ponto {ponto}", f"banca {banca}") is None
    assert abs(ponto - case.int("part") - banca) == case["difference"]
    assert (table.withdraw(1, "ponto", case["part"]), table.rule) == ("sides_too_close", "13")
    assert table.on(1) == {"ponto": ponto, "banca": banca}
    assert table.withdraw(1, "ponto") is None
    assert table.on(1) == {"banca": banca}


@pytest.mark.parametrize(
    ("chance", "field"),
    [
        pytest.param("ponto", "max_ponto_banca", marks=rule(_REGULATION, "15.a/1")),
        pytest.param("banca", "max_ponto_banca", marks=rule(_REGULATION, "15.a/1")),
        pytest.param("empate", "max_tie", marks=rule(_REGULATION, "15.b/1")),
        pytest.param("par_ponto", "max_pair", marks=rule(_REGULATION, "15.c/1")),
        pytest.param("par_banca", "max_pair", marks=rule(_REGULATION, "15.c/1")),
    ],
)
def test_the_maximum_of_a_chance(case: Case, chance: str, field: str) -> None:
    """Of a bet, and of what may be set."""
    ref = {"max_ponto_banca": "15.a", "max_tie": "15.b", "max_pair": "15.c"}[field]
    table = of_minimum(case, **{field: case["most"]})
    assert table.bet(1, f"{chance} {case['above']}") is not None
    assert (table.rule, table.on(1)) == (ref, {})
    assert table.bet(1, f"{chance} {case['most']}") is None
    assert table.on(1) == {chance: case["most"]}
    unopened = CoupTable()
    assert unopened.open(min_bet=case["minimum"], **{field: case.int("most") + 1}) == "outside_rulebook"
    assert unopened.rule == ref


@rule(_REGULATION, "15.a/2")
def test_the_maximum_is_of_the_players_total_on_each_side(case: Case) -> None:
    standing, more = case.int("standing"), case.read("more", dict[int, int])
    (above, too_much), (well, most) = more.items()
    assert (standing + above, standing + well) == (too_much, most)
    table = CoupTable(max_ponto_banca=most).seat(1, amount=20_000).betting()
    assert table.bet(1, f"ponto {standing}") is None
    assert (table.bet(1, f"ponto {above}"), table.rule) == ("stake_above_maximum", "15.a")
    assert table.refused is not None
    assert table.refused.detail == f"{well} still possible"
    assert table.bet(1, f"ponto {well}", f"banca {case['banca']}") is None
    assert table.on(1) == {"ponto": most, "banca": case["banca"]}


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


def test_an_operator_may_ask_for_a_main_bet_beside_a_pair() -> None:
    table = CoupTable(pair_requires_main_bet=True).seat(1).betting()
    assert table.bet(1, "par_banca 100") == "pair_without_main_bet"
    assert table.bet(1, "empate 100", "par_banca 100") is None
    assert table.withdraw(1, "empate") == "pair_without_main_bet"
    assert table.withdraw(1, "par_banca") is None
    assert table.withdraw(1, "empate") is None


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
