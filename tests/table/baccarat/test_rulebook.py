"""What an operator may set, and what the regulation has fixed: refused by field and rule."""

from itertools import combinations
from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts.configurations import flat
from libs.contracts.table_events import TableOpened
from libs.decider import Rejected
from libs.money.play import PLAY_CURRENCY
from services.table.domain.games.baccarat.configuration import BaccaratConfiguration
from services.wallet.projections.chart import book_of_account
from tests.banked.sittings import Sittings
from tests.table.baccarat.play import BANK, CHAPTER_I, MACAU, SCORING, CoupTable
from tests.table.under_test import deck_in
from tests.testkit.cases import Case

rule = pytest.mark.rule
_REGULATION = "pt-812-2015-baccarat"


def refusal(rulebook: str = CHAPTER_I, **changes: Any) -> Rejected:
    table = CoupTable(rulebook)
    assert table.open(**changes) is not None, "it was opened"
    assert table.state.configuration is None
    assert table.refused is not None
    return table.refused


def rules(rulebook: str = CHAPTER_I, **changes: Any) -> BaccaratConfiguration:
    configured: BaccaratConfiguration = CoupTable(rulebook, **changes).state.rules
    return configured


@rule(_REGULATION, "D.2/1")
def test_what_is_left_to_the_operator_is_stored_as_a_version_and_the_rest_is_refused(case: Case) -> None:
    chosen: dict[str, Any] = {"pair_bets": False, "commission_mode": "half-on-5", "max_tie": 900, "max_pair": 700}
    table = CoupTable(**chosen, version=3)
    (opened,) = table.of(TableOpened, everything=True)
    assert flat(opened.configuration).items() >= {"version": 3, **chosen}.items()
    assert (table.state.rules.version, len(opened.rulebook_hash)) == (3, 64)
    assert refusal(tie_pays=case["tie"]).rule == f"{_REGULATION}#25.b"
    assert refusal(pair_pays=12).rule == f"{_REGULATION}#25.c"
    assert refusal(ponto_pays=2).rule == refusal(banca_pays=2).rule == f"{_REGULATION}#25.a"


@rule(_REGULATION, "D.3")
@pytest.mark.parametrize("day", ["yesterday", "01/03/2026", "2026"])
def test_the_date_of_an_approval_is_a_date(day: str) -> None:
    assert refusal(approved_on=day).rule == f"{_REGULATION}#D.3"


@rule(_REGULATION, "4/1")
def test_a_table_for_one_and_a_table_for_many() -> None:
    single = CoupTable(mode="single").seat(1)
    for seat in (None, 1, 2):
        assert single.take(seat, player="p2") is not None, seat
    assert single.take(None, player="p2") == "table_full"
    assert single.rule == "4"
    assert refusal(mode="single", seats=2).rule == f"{_REGULATION}#6.a"
    many = CoupTable(seats=2).seat(1)
    assert many.take(None, player="p2") is None
    assert set(many.state.seats) == {1, 2}


@rule(_REGULATION, "6.b/1")
def test_six_or_eight_decks_and_no_others(case: Case) -> None:
    for decks in case.ints("refused"):
        assert refusal(decks=decks).rule == f"{_REGULATION}#6.b"
    for decks, cards in case.read("accepted", dict[int, int]).items():
        table = CoupTable(decks=decks).seat(1)
        table.wake()
        assert table.state.shoe.cards == len(deck_in(table.state).cards) == cards


@rule(_REGULATION, "14/1")
def test_without_a_minimum_no_table_opens(case: Case) -> None:
    for minimum in (case["minimum"], ...):
        assert refusal(min_bet=minimum).rule == f"{_REGULATION}#14"


@rule(_REGULATION, "15.a", "15.b", "15.c")
@pytest.mark.parametrize(("field", "ref"), [("max_ponto_banca", "15.a"), ("max_tie", "15.b"), ("max_pair", "15.c")])
def test_a_maximum_is_the_minimum_at_least(field: str, ref: str) -> None:
    assert refusal(CHAPTER_I, **{field: 99}).rule == f"{_REGULATION}#{ref}"
    assert flat(rules(CHAPTER_I, **{field: 100}))[field] == 100


@rule(_REGULATION, "26/1")
def test_commission_is_one_of_four_modes_and_never_a_mixture(case: Case) -> None:
    modes = case.read("modes", list[str])
    for mode in modes:
        assert rules(commission_mode=mode).betting.commission_mode == mode
    mixtures: list[Any] = [list(both) for both in combinations(modes, 2)]
    mixtures += ["+".join(both) for both in combinations(modes, 2)] + ["half-on-5-and-6"]
    lower, of_score = case.ints("rates")
    others = [f"{lower}-percent", f"{of_score}-percent-on-{case['score']}", f"half-on-{case.int('score') + 1}", ...]
    for mode in mixtures + others:
        assert refusal(commission_mode=mode).rule == f"{_REGULATION}#26", mode
    for rate in (lower, of_score):
        assert refusal(commission_bp=rate * 100).rule == f"{_REGULATION}#26"


@rule(_REGULATION, "FP-1/3")
def test_the_cut_card_lies_at_least_five_cards_before_the_end(case: Case) -> None:
    assert refusal(cut_cards=case["refused"]).rule == f"{_REGULATION}#FP-1"
    assert rules(cut_cards=case["accepted"]).dealing.cut_cards == case["accepted"]


@rule(_REGULATION, "D.3")
def test_a_change_needs_a_newer_version_with_its_own_approval() -> None:
    table = CoupTable(version=2)
    assert table.change(2, max_tie=900) == "version_not_newer"
    assert table.rule == "D.3"
    assert table.change(3, max_tie=900, approval="") == "outside_rulebook"
    assert table.rule == "D.3"
    assert table.change(3, max_tie=900) is None
    assert table.state.rules.betting.max_tie == 900


@rule(_REGULATION, "27")
def test_a_table_for_many_has_a_betting_period() -> None:
    assert refusal(betting_ms=...).rule == f"{_REGULATION}#27"


@rule(_REGULATION, "37/1")
def test_a_demo_table_plays_by_the_same_rules_and_names_no_account_of_real_money() -> None:
    """The same configuration but its kind: odds, drawing table and commission are nowhere else."""
    demo, real = rules(kind="demo", approval="", approved_on=""), rules()
    differing = {name for name in real.__struct_fields__ if getattr(demo, name) != getattr(real, name)}
    assert differing == {"kind", "currency", "approval", "approved_on"}
    bets = ["ponto 300", "banca 2000", "empate 100", "par_ponto 100", "par_banca 100"]
    for cards in SCORING.values():
        tables = {kind: CoupTable(kind=kind).seat(1) for kind in ("demo", "real")}
        played = {kind: table.plays(cards, s1=bets) for kind, table in tables.items()}
        assert replace(played["demo"], currency="EUR") == played["real"]
        assert [tables["demo"].cards(side) for side in ("ponto", "banca")] == [
            tables["real"].cards(side) for side in ("ponto", "banca")
        ]
        assert tables["demo"].leave(1) is None
        books = Sittings("p1", currency=PLAY_CURRENCY, kind="demo").follow(tables["demo"])
        assert {book_of_account(account) for account in books.accounts} == {"demo"}


# The bank.


def test_a_table_opens_only_with_a_bank_that_can_pay_the_worst_case_of_all_seats() -> None:
    """70 times the minimum on a side or 8 times 15 on the tie, and 11 times 8 on each pair: 29,600 cents a seat."""
    configured = rules()
    assert configured.worst_case == 9 * (8 * 1500 + 2 * 11 * 800)
    assert configured.worst_case <= BANK
    assert rules(pair_bets=False, seats=1).worst_case == 12_000
    assert rules(pair_bets=False, seats=1, max_tie=500).worst_case == 7000
    assert rules(MACAU).worst_case is None
    assert rules(MACAU, prize_limit=100_000).worst_case == 100_000 + 22 * 8000
    table = CoupTable()
    assert table.open(bank=configured.worst_case - 1) == "bank_too_small"
    assert table.open(bank=BANK, risk_limit=configured.worst_case - 1) == "above_risk_limit"
    assert table.open(bank=configured.worst_case) is None


def test_a_macau_table_without_a_prize_limit_opens_with_any_bank() -> None:
    assert CoupTable(MACAU, bank=1).seat(1).betting().bet(1, "ponto 10000") is None
    assert CoupTable(MACAU, bank=0).seat(1).bet(1, "ponto 10000") == "bank_too_small", "there is none yet"
