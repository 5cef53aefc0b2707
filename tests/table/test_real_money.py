"""What no table with money at it is opened or changed to, whatever its rulebook leaves to the operator."""

from typing import Any

import pytest

from libs.contracts.configurations import Configuration
from libs.rulebooks.library import RULEBOOKS
from libs.rulebooks.real_money import DAY, FIRST_VERSION_MAX, VERSION_STEP
from services.table.configure import configure
from tests.table.play import HOLDEM, PORTUGAL, TableUnderTest, configuration

REAL = {"kind": "real", "approval": "A-1"}
CASINO = "pt-217-2007-holdem"
NO_DRAW = "pt-803-2015-no-draw"
BACCARAT = "pt-812-2015-baccarat"


def broken(rulebook: str, **changes: Any) -> list[str]:
    """Fields that are refused; empty when accepted."""
    book = RULEBOOKS[rulebook]
    usual = configuration(rulebook) if book.game == "poker" else book.example
    answer = configure(book, {**usual, **changes})
    return [] if isinstance(answer, Configuration) else [refusal.field for refusal in answer]


@pytest.mark.parametrize("rulebook", [HOLDEM, PORTUGAL, CASINO, NO_DRAW])
def test_nobody_decides_in_less_than_three_seconds(rulebook: str) -> None:
    assert broken(rulebook, **REAL, decision_ms=2_999) == ["decision_ms"]
    assert broken(rulebook, **REAL, decision_ms=3_000) == []


@pytest.mark.parametrize("rulebook", [NO_DRAW, BACCARAT])
def test_nor_bets_against_the_house(rulebook: str) -> None:
    assert broken(rulebook, **REAL, betting_ms=2_999) == ["betting_ms"]
    assert broken(rulebook, **REAL, betting_ms=3_000) == []


@pytest.mark.parametrize(
    ("field", "least", "most"),
    [
        ("decision_ms", 3_000, 600_000),
        ("time_bank_ms", 0, 600_000),
        ("resume_ms", 1_000, DAY),
        ("reservation_ms", 1_000, DAY),
        ("waiting_ms", 1_000, DAY),
        ("break_ms", 0, DAY),
        ("reentry_ms", 0, DAY),
        ("between_hands_ms", 0, DAY),
    ],
)
def test_every_time_has_two_ends(field: str, least: int, most: int) -> None:
    for time in (least, most):
        assert broken(HOLDEM, **REAL, **{field: time}) == [], time
    for time in (least - 1, most + 1):
        assert broken(HOLDEM, **REAL, **{field: time}) == [field], time


def test_every_time_of_every_rulebook_is_bounded() -> None:
    for name, rulebook in RULEBOOKS.items():
        if not rulebook.enabled:
            continue
        times = [field for field in rulebook.fields if field.endswith("_ms")]
        assert times
        for field in times:
            assert field in broken(name, **REAL, **{field: 10**15}), (name, field)


@pytest.mark.parametrize(
    ("field", "most"), [("ante", 100), ("big_blind_ante", 100), ("straddle", 400), ("min_unit", 100)]
)
def test_nothing_is_posted_that_is_out_of_proportion(field: str, most: int) -> None:
    assert broken(HOLDEM, **REAL, **{field: most}) == []
    assert field in broken(HOLDEM, **REAL, **{field: most + 1})
    assert field in broken(HOLDEM, **REAL, **{field: 10**9})


@pytest.mark.parametrize(
    ("posts", "sum_of_them"),
    [({}, 100), ({"ante": 100}, 200), ({"big_blind_ante": 60}, 160), ({"straddle": 300, "ante": 7}, 307)],
)
def test_the_least_buy_in_pays_for_a_hand(posts: dict[str, int], sum_of_them: int) -> None:
    for rulebook in (HOLDEM, "common-omaha"):
        asked = {**REAL, **posts, "buy_in": ..., "buy_in_max": 10_000}
        usual = {name: value for name, value in {**configuration(rulebook), **asked}.items() if value is not ...}
        enough = configure(RULEBOOKS[rulebook], {**usual, "buy_in_min": sum_of_them})
        assert isinstance(enough, Configuration), enough
        short = configure(RULEBOOKS[rulebook], {**usual, "buy_in_min": sum_of_them - 1})
        assert isinstance(short, list)
        assert [refusal.field for refusal in short] == ["buy_in_min"]


def test_play_money_is_free_of_it() -> None:
    assert broken(HOLDEM, kind="demo", decision_ms=1, ante=10**6, straddle=10**9) == []


def test_a_version_that_would_be_the_last_for_ever_is_refused() -> None:
    table = TableUnderTest(version=6)
    assert table.change(6 + VERSION_STEP + 1) == "version_too_high"
    assert table.change(10**15) == "version_too_high"
    assert table.change(6 + VERSION_STEP) is None
    assert table.change(6 + 2 * VERSION_STEP) is None


def test_nor_is_a_table_opened_with_one() -> None:
    TableUnderTest(version=FIRST_VERSION_MAX)
    with pytest.raises(AssertionError, match="outside_rulebook"):
        TableUnderTest(version=FIRST_VERSION_MAX + 1)
