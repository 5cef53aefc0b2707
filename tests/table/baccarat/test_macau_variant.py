"""The Macau variant: no maxima, a prize limit over all players where one is set, and else chapter I (39 to 43)."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts.table_events import TableOpened
from tests.table.baccarat.play import MACAU, SCORING, CoupTable, in_order
from tests.testkit.cases import Case

rule = pytest.mark.rule
_REGULATION = "pt-812-2015-baccarat"


@rule(_REGULATION, "39/1")
def test_the_macau_variant_has_no_maximum_where_chapter_one_has_one(case: Case) -> None:
    minimum, bet = case.int("minimum"), case.int("bet")
    assert bet == case.int("times") * minimum
    table, chapter_one = (
        CoupTable(variant, min_bet=minimum).seat(1, amount=bet).betting() for variant in (MACAU, "pt-812-2015-baccarat")
    )
    assert table.state.rules.betting.prize_limit is None
    assert table.bet(1, f"ponto {bet}") is None
    assert (chapter_one.bet(1, f"ponto {bet}"), chapter_one.rule) == ("stake_above_maximum", "15.a")


@rule(_REGULATION, "39/2")
@pytest.mark.parametrize("mode", ["none", "five-percent", "half-on-5", "half-on-6"])
def test_the_macau_variant_deals_and_pays_by_chapter_one(mode: str) -> None:
    """The same shoes and bets at a table of each: what happens is equal but for the name of the rules."""
    bets = ["ponto 300", "banca 700", "empate 100", "par_ponto 100", "par_banca 100"]
    for cards in SCORING.values():
        here, there = (CoupTable(rules, commission_mode=mode).seat(1) for rules in (MACAU, "pt-812-2015-baccarat"))
        for table in (here, there):
            table.plays(cards, s1=bets)
        assert replace(here.settled, rulebook=there.settled.rulebook) == there.settled
        for side in ("ponto", "banca"):
            assert here.cards(side) == there.cards(side)


@rule(_REGULATION, "39", "40", "13")
def test_both_sides_are_kept_apart_there_too() -> None:
    table = CoupTable(MACAU).seat(1).betting()
    assert table.bet(1, "ponto 500", "banca 450") == "sides_too_close"


@rule(_REGULATION, "40/1")
def test_a_whole_balance_may_be_staked_on_one_chance(case: Case) -> None:
    balance = case.int("balance")
    table = CoupTable(MACAU).seat(1, amount=balance).betting()
    assert (table.bet(1, "empate 99"), table.rule) == ("stake_below_minimum", "2.b")
    assert table.bet(1, f"empate {balance + 1}") == "above_stack"
    assert table.bet(1, f"empate {balance}") is None
    assert (table.on(1), table.stack(1)) == ({"empate": balance}, 0)


@rule(_REGULATION, "41/1")
def test_a_prize_limit_is_stored_with_the_rules_and_is_optional_and_positive(case: Case) -> None:
    table = CoupTable(MACAU, prize_limit=case["limit"], version=4)
    (opened,) = table.of(TableOpened, everything=True)
    assert (opened.configuration.version, opened.configuration.betting.prize_limit) == (4, case["limit"])
    assert CoupTable(MACAU).state.rules.betting.prize_limit is None
    for amount in (0, -1):
        assert (table.open(prize_limit=amount), table.rule) == ("outside_rulebook", "41")
    chapter_one = CoupTable()
    assert (chapter_one.open(prize_limit=case["limit"]), chapter_one.rule) == ("outside_rulebook", "41")


def prize_table(case: Case, *, seats: tuple[int, ...] = (1, 2), **stakes: int) -> CoupTable:
    """With the case's limit, and what lies there already, each by a seat of its own."""
    table = CoupTable(MACAU, prize_limit=case["limit"]).seat(*seats, amount=1_000_000).betting()
    for seat, (chance, amount) in enumerate(stakes.items(), 1):
        if amount:
            assert table.bet(seat, f"{chance} {amount}") is None, table.refused
    return table


def difference(table: CoupTable) -> int:
    totals: Any = table.state.round.totals
    return abs(totals.get("ponto", 0) - totals.get("banca", 0))


@rule(_REGULATION, "41/2")
def test_a_payout_is_never_cut_to_the_limit(case: Case) -> None:
    staked, limit = case.read("staked", dict[str, int]), case.int("limit")
    table = CoupTable(MACAU, prize_limit=limit).seat(1, 2, 3, amount=1_000_000)
    table.betting(in_order([*case.cards("initial")], ["7c", "3h", "Kd"]))
    for line in (f"1 banca {staked['banca']}", f"2 ponto {staked['ponto']}", f"3 par_ponto {staked['par_ponto']}"):
        seat, bet = line.split(maxsplit=1)
        assert table.bet(int(seat), bet) is None, table.refused
    assert table.state.round.totals == staked
    settled = table.close_bets()
    assert (table.cards("ponto")[0], settled.winner) == (case.cards("initial"), "ponto")
    won = case.read("winnings", dict[str, int])
    assert table.credited(2) == {"ponto": staked["ponto"] + won["ponto"]}
    assert table.credited(3) == {"par_ponto": staked["par_ponto"] + won["par_ponto"]}
    assert table.net(2) + table.net(3) > limit


@rule(_REGULATION, "42/1")
def test_the_limit_is_held_against_the_difference_of_the_sides(case: Case) -> None:
    table = prize_table(case, ponto=case["ponto"], banca=case["banca"])
    more = f"ponto {case['more']}"
    assert (table.bet(1, more), table.rule) == ("above_prize_limit", "43.a")
    assert difference(table) + case.int("more") == case["refused_at"]
    assert table.bet(2, f"banca {case['first']}") is None
    assert table.bet(1, more) is None
    assert difference(table) == case["accepted_at"]


@rule(_REGULATION, "43.a/1")
def test_a_withdrawal_that_would_break_it_is_refused_whole(case: Case) -> None:
    table = prize_table(case, banca=case["banca"], ponto=case["ponto"])
    assert (table.withdraw(1, "banca"), table.rule) == ("above_prize_limit", "43.a")
    assert (table.on(1), table.on(2)) == ({"banca": case["banca"]}, {"ponto": case["ponto"]})
    assert case.int("ponto") == case["difference"]
    possible = case.int("limit") - (case.int("ponto") - case.int("banca"))
    assert table.refused is not None
    assert table.refused.detail == f"{possible} still possible"
    assert table.withdraw(1, "banca", possible) is None


@rule(_REGULATION, "43.a/2")
@pytest.mark.parametrize(("more", "less"), [("ponto", "banca"), ("banca", "ponto")])
def test_exactly_the_limit_is_still_well(case: Case, more: str, less: str) -> None:
    """As the case has it, and with the sides exchanged."""
    table = prize_table(case, **{less: case["banca"], more: case["ponto"]})
    ((above, too_much),) = case.read("above", dict[int, int]).items()
    ((exactly, most),) = case.read("exactly", dict[int, int]).items()
    assert difference(table) + above == too_much
    assert (table.bet(2, f"{more} {above}"), table.rule) == ("above_prize_limit", "43.a")
    assert table.refused is not None
    assert table.refused.detail == f"{exactly} still possible"
    assert table.bet(2, f"{more} {exactly}") is None
    assert difference(table) == most


@rule(_REGULATION, "43.b/1")
def test_ties_together_stay_within_a_tenth_of_the_limit(case: Case) -> None:
    table = prize_table(case, empate=case["tie"])
    assert (table.bet(1, f"empate {case['above']}"), table.rule) == ("tie_above_prize_limit", "43.b")
    assert table.bet(1, f"empate {case['most']}") is None
    assert table.bet(2, f"empate {case['further']}") == "tie_above_prize_limit", "whoever bets it"


@rule(_REGULATION, "43.c/1")
def test_each_pair_stays_within_eight_percent_of_the_limit(case: Case) -> None:
    table = prize_table(case, par_ponto=case["standing"])
    assert (table.bet(2, f"par_ponto {case['above']}"), table.rule) == ("pair_above_prize_limit", "43.c")
    assert table.bet(2, f"par_ponto {case['more']}") is None
    assert table.state.round.totals == {"par_ponto": case["total"]}
    assert table.bet(2, f"par_banca {case['other']}") is None
