"""Who sits at a table for money hears of rules that could cost more, in time to leave before they hold."""

from typing import Any

import pytest

from libs.contracts.poker_events import BlindPosted
from libs.contracts.table_events import ConfigurationActivated, ConfigurationAnnounced, TableSuspended
from services.table.domain.games.poker.notice import NOTICE_MS
from tests.table.play import HOLDEM, PORTUGAL, TableUnderTest

LONG = {"decision_ms": 3 * NOTICE_MS, "time_bank_ms": 1000}


def seated(rulebook: str = HOLDEM, **changes: Any) -> TableUnderTest:
    kind = {"kind": "real", "approval": "A-1"}
    return TableUnderTest(rulebook, **{**kind, **LONG, **changes}).seat(1, 2, 3)


def change(table: TableUnderTest, version: int = 2, **changes: Any) -> int:
    """From when it holds; 0: at once."""
    usual = {"kind": "real", "approval": "A-2", **LONG}
    assert table.change(version, **{**usual, **changes}) is None, table.refused
    return int(table.of(ConfigurationAnnounced)[0].holds_from)


DEARER: list[dict[str, Any]] = [
    {"ante": 100},
    {"big_blind_ante": 50},
    {"straddle": 200},
    {"big_blind": 101},
    {"small_blind": 51},
    {"rake_bp": 1000},
    {"decision_ms": 3_000},
    {"decision_ms": 3 * NOTICE_MS + 1},
    {"time_bank_ms": 1001},
    {"structure": "pot_limit"},
    {"timer_action": "all_in"},
    {"no_flop_no_rake": False},
    {"buy_in_max": 20_000, "buy_in_min": 10_000},
    {"buy_in": 9_000},
]


@pytest.mark.parametrize("dearer", DEARER, ids=lambda changed: "-".join(changed))
def test_what_may_cost_more_is_in_force_a_minute_later(dearer: dict[str, Any]) -> None:
    table = seated().deal(button=1)
    holds_from = change(table, **dearer)
    assert holds_from == table.now + NOTICE_MS
    table.folds_round()
    assert not table.of(ConfigurationActivated)
    table.now = holds_from - 1
    table.wake()
    assert not table.of(ConfigurationActivated), "this hand began in the last millisecond of the old rules"
    table.folds_round()
    table.now += 1
    table.wake()
    assert table.state.rules.version == 2


def test_a_small_change_is_told_in_time_all_the_same() -> None:
    table = seated()
    assert change(table, big_blind=101) == table.now + NOTICE_MS
    assert table.names == ["ConfigurationAnnounced"], "also between two hands"


def test_who_leaves_in_that_minute_pays_nothing_of_it() -> None:
    """The floor makes the ante as high as it can be; nobody is all-in who did not choose to stay."""
    table = seated().deal(button=1)
    change(table, ante=100)
    table.folds_round()
    before = table.stacks
    assert [table.leave(seat) for seat in (1, 2, 3)] == [None] * 3
    assert table.state.seats == {}
    assert sum(event.stack for event in table.told if type(event).__name__ == "PlayerLeft") == sum(before.values())
    assert not [event for event in table.of(BlindPosted, True) if event.blind == "ante"]


@pytest.mark.parametrize(
    "gentler",
    [{}, {"big_blind": 50}, {"break_ms": 600_000}],
    ids=lambda changed: "-".join(changed) or "nothing",
)
def test_what_is_only_for_the_better_holds_at_once(gentler: dict[str, Any]) -> None:
    table = seated()
    assert change(table, **gentler) == 0
    assert table.state.rules.version == 2


def test_a_cap_on_rake_that_is_lifted_waits_and_less_rake_does_not() -> None:
    table = seated(rake_bp=500, rake_cap_big_blinds=3)
    assert change(table, rake_bp=400, rake_cap_big_blinds=3) == 0
    assert change(table, 3, rake_bp=400) == table.now + NOTICE_MS


def test_where_nobody_sits_nobody_has_to_be_told() -> None:
    table = TableUnderTest(HOLDEM, kind="real", approval="A-1", **LONG)
    assert change(table, ante=100) == 0
    assert table.take(1, 10_000) is None
    assert change(table, 3) == 0, "the ante goes"
    assert change(table, 4, ante=100) == table.now + NOTICE_MS, "who has a seat reserved has seen the rules before"


def test_play_money_and_another_announcement() -> None:
    demo = TableUnderTest(HOLDEM).seat(1, 2, 3)
    assert demo.change(2, ante=100) is None
    assert demo.state.rules.version == 2
    table = seated()
    first = change(table, ante=1)
    table.now += NOTICE_MS - 1
    assert change(table, 3, ante=100) == table.now + NOTICE_MS > first, "the time begins anew for what is dearer still"


def test_a_minimum_that_leaves_too_few_suspends_the_table_and_deals_nothing() -> None:
    table = seated(PORTUGAL)
    change(table, big_blind=12_000, buy_in=20_000, top_up_to=20_000)
    table.now += NOTICE_MS
    table.state = table.after_button(1).state
    table.wake()
    assert (table.state.hand, table.state.rules.version) == (None, 2)
    assert table.of(TableSuspended)


def test_a_seat_that_is_to_go_is_not_given_away_meanwhile() -> None:
    table = seated(seats=6)
    change(table, seats=3, ante=100)
    assert table.take(6, 10_000) == "table_full"
