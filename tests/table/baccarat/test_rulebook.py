"""What an operator may set, and what the regulation has fixed: refused by field and rule."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts.configurations import flat
from libs.contracts.table_events import TableOpened
from libs.decider import Rejected
from services.table.domain.games.baccarat.configuration import BaccaratConfiguration
from tests.table.baccarat.play import BANK, CHAPTER_I, MACAU, CoupTable

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


@rule(_REGULATION, "D.2")
def test_what_is_left_to_the_operator_is_stored_as_a_version_and_the_rest_is_refused() -> None:
    table = CoupTable(pair_bets=False, commission_mode="half-on-5", max_tie=900, version=3)
    opened = table.of(TableOpened, everything=True)[0]
    configured = opened.configuration
    assert (configured.version, configured.betting.pair_bets, configured.betting.commission_mode) == (
        3,
        False,
        "half-on-5",
    )
    assert len(opened.rulebook_hash) == 64
    assert refusal(tie_pays=9).rule == f"{_REGULATION}#25.b"
    assert refusal(pair_pays=12).rule == f"{_REGULATION}#25.c"
    assert refusal(banca_pays=2).rule == f"{_REGULATION}#25.a"


@rule(_REGULATION, "D.3")
def test_rules_without_a_recorded_approval_open_no_table() -> None:
    assert refusal(approval="").rule == f"{_REGULATION}#D.3"
    assert refusal(approved_on="").rule == f"{_REGULATION}#D.3"
    assert refusal(approved_on="yesterday").rule == f"{_REGULATION}#D.3"
    configured = rules(approval="SRIJ 9/2026", approved_on="2026-03-01")
    assert (configured.approval, configured.approved_on) == ("SRIJ 9/2026", "2026-03-01")


@rule(_REGULATION, "D.3")
def test_a_change_needs_a_newer_version_with_its_own_approval() -> None:
    table = CoupTable(version=2)
    assert table.change(2, max_tie=900) == "version_not_newer"
    assert table.rule == "D.3"
    assert table.change(3, max_tie=900, approval="") == "outside_rulebook"
    assert table.rule == "D.3"
    assert table.change(3, max_tie=900) is None
    assert table.state.rules.betting.max_tie == 900


@rule(_REGULATION, "4")
def test_a_table_for_one_and_a_table_for_many() -> None:
    single = CoupTable(mode="single").seat(1)
    assert single.take(None, player="p2") == "table_full"
    assert single.rule == "4"
    many = CoupTable(seats=2).seat(1)
    assert many.take(None, player="p2") is None


@rule(_REGULATION, "6.a")
def test_one_to_nine_seats() -> None:
    assert [refusal(seats=seats).rule for seats in (0, 10)] == [f"{_REGULATION}#6.a"] * 2
    assert [rules(seats=seats).seats for seats in (1, 9)] == [1, 9]
    assert refusal(mode="single", seats=2).rule == f"{_REGULATION}#6.a"


@rule(_REGULATION, "6.b")
def test_six_or_eight_decks() -> None:
    assert [refusal(decks=decks).rule for decks in (1, 5, 7)] == [f"{_REGULATION}#6.b"] * 3
    assert [rules(decks=decks).dealing.decks for decks in (6, 8)] == [6, 8]


@rule(_REGULATION, "14")
@pytest.mark.parametrize("min_bet", [0, ...])
def test_without_a_minimum_no_table_opens(min_bet: Any) -> None:
    assert refusal(min_bet=min_bet).rule == f"{_REGULATION}#14"


@rule(_REGULATION, "15.a", "15.b", "15.c")
@pytest.mark.parametrize(
    ("field", "most", "ref"), [("max_ponto_banca", 7000, "15.a"), ("max_tie", 1500, "15.b"), ("max_pair", 800, "15.c")]
)
def test_maxima_are_multiples_of_the_minimum_at_most(field: str, most: int, ref: str) -> None:
    assert refusal(CHAPTER_I, **{field: most + 1}).rule == f"{_REGULATION}#{ref}"
    assert flat(rules(CHAPTER_I, **{field: most}))[field] == most
    assert refusal(CHAPTER_I, **{field: 99}).rule == f"{_REGULATION}#{ref}"


@rule(_REGULATION, "26")
def test_commission_is_one_of_four_modes_and_never_a_mixture() -> None:
    for mode in ("none", "five-percent", "half-on-5", "half-on-6"):
        assert rules(commission_mode=mode).betting.commission_mode == mode
    for mixture in (
        {"commission_mode": "half-on-5-and-6"},
        {"commission_mode": ["five-percent", "half-on-6"]},
        {"commission_mode": ["half-on-5", "half-on-6"]},
        {"commission_mode": "four-percent"},
        {"commission_mode": "quarter-on-6"},
        {"commission_bp": 400},
        {"commission_mode": ...},
    ):
        assert refusal(**mixture).rule == f"{_REGULATION}#26", mixture


@rule(_REGULATION, "FP-1")
def test_the_cut_card_lies_at_least_five_cards_before_the_end() -> None:
    assert refusal(cut_cards=4).rule == f"{_REGULATION}#FP-1"
    assert rules(cut_cards=5).dealing.cut_cards == 5
    assert rules().dealing.cut_cards == 14


@rule(_REGULATION, "27")
def test_a_table_for_many_has_a_betting_period() -> None:
    assert refusal(betting_ms=...).rule == f"{_REGULATION}#27"


@rule(_REGULATION, "39", "40", "41")
def test_the_macau_variant_has_a_prize_limit_in_place_of_maxima() -> None:
    configured = rules(MACAU, prize_limit=100_000)
    assert (configured.betting.prize_limit, configured.tie_limit, configured.pair_limit) == (100_000, 10_000, 8000)
    assert rules(MACAU).betting.prize_limit is None
    assert [refusal(MACAU, prize_limit=amount).rule for amount in (0, -1)] == [f"{_REGULATION}#41"] * 2
    assert refusal(CHAPTER_I, prize_limit=100_000).rule == f"{_REGULATION}#41"
    for mode in ("none", "five-percent", "half-on-5", "half-on-6"):
        assert rules(MACAU, commission_mode=mode).betting.commission_mode == mode


@rule(_REGULATION, "37")
def test_a_demo_table_plays_by_the_same_rules() -> None:
    """The same configuration but its kind: odds, drawing table and commission are nowhere else."""
    demo, real = rules(kind="demo", approval="", approved_on=""), rules()
    differing = {name for name in real.__struct_fields__ if getattr(demo, name) != getattr(real, name)}
    assert differing == {"kind", "currency", "approval", "approved_on"}
    played = [CoupTable(kind=kind).seat(1).plays("2h Qs 4c 5d 3h", s1=["banca 2000"]) for kind in ("demo", "real")]
    assert replace(played[0], currency="EUR") == played[1]


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
