"""What `make bench-house --search` takes for a number of tables that a machine carries, and how players are shared."""

from typing import Any

import pytest

from tests.bench.house.crowd import merged, shares
from tests.bench.house.lags import behind
from tests.bench.house.search import NothingHolds, most_that_hold, wrong_with

HOLDS: dict[str, Any] = {
    "tables": 100, "answer_ms": {"p50": 12.0, "p99": 149.0}, "late_ms": {"p50": 1.0, "p99": 20.0}, "behind": [],
    "players": {"seated": 600, "playing": 600},
}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"answer_ms": {"p50": 12.0, "p99": 151.0}}, "p99 151 ms is over 150"),
        ({"late_ms": {"p50": 1.0, "p99": 400.0}}, "the bots are late, p99 400 ms"),
        ({"behind": ["group wallet-policies"]}, "behind: group wallet-policies"),
        ({"players": {"seated": 600, "playing": 597}}, "3 players have stopped"),
    ],
)
def test_a_stage_holds_unless_something_is_wrong_with_it(changed: dict[str, Any], why: str) -> None:
    assert wrong_with(HOLDS, 150.0) == []
    assert wrong_with(HOLDS | changed, 150.0) == [why]


def test_the_most_tables_of_those_that_hold_are_taken() -> None:
    rows = [HOLDS, HOLDS | {"tables": 200}, HOLDS | {"tables": 300, "behind": ["wallet"]}]
    assert most_that_hold(rows, 150.0) == 200
    with pytest.raises(NothingHolds, match="search among fewer"):
        most_that_hold(rows, 50.0)


def test_who_has_more_than_three_seconds_of_records_before_it_is_behind() -> None:
    lags = {"group wallet-policies": 1_400, "wallet: records not in the books": 1_600, "tables": 0}
    assert behind(lags, 100.0) == ["wallet: records not in the books"]
    assert behind({"tables": 5}, 0.1) == [], "a single act's records are on their way in the quietest house"


def test_processes_share_tables_and_pace() -> None:
    assert shares(5, "human", 2) == [(3, "human"), (2, "human")]
    assert shares(4, "100", 2) == [(2, "50.0"), (2, "50.0")]
    assert shares(1, "10", 2) == [(1, "10.0"), (0, "0.0")]
    assert merged([{"acts": [1], "seated": 6}, {"acts": [2], "seated": 12}]) == {"acts": [1, 2], "seated": 18}
