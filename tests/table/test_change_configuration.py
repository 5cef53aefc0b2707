"""A new version of a table's rules: approved, announced, in force from the next hand on."""

from typing import Any

import msgspec
import pytest

from libs.contracts.messages import Principal
from libs.contracts.poker_events import BlindPosted, HandEnded, HandStarted
from libs.contracts.table_commands import ApproveConfiguration, ChangeConfiguration, OpenTable
from libs.contracts.table_events import (
    ConfigurationActivated,
    ConfigurationAnnounced,
    PlayerInvitedToLeave,
    PlayerSeated,
    TopUpAdded,
)
from services.table.domain.games.poker.notice import NOTICE_MS
from services.table.domain.table.waking import next_wake
from tests.table.play import MACAU, START, TableUnderTest, staff
from tests.table.under_test import SECOND, AnyTable
from tests.testkit.cases import Case


def portugal(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-811-2015", *refs)


def macau(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("mo-97-2010", *refs)


def sixth(**changes: Any) -> TableUnderTest:
    return TableUnderTest(version=6, **changes).seat(1, 2, 3)


@portugal("enact.3/1")
def test_without_an_approval_the_version_before_stays(case: Case) -> None:
    table = TableUnderTest(version=case["old"]).seat(1, 2, 3).deal(button=1)
    assert table.change(case["new"], approval=...) == "outside_rulebook"
    assert table.refused is not None
    assert table.refused.rule == "pt-811-2015#enact.3"
    table.folds_round()
    table.wake()
    assert table.of(HandStarted)[0].configuration_version == case["old"]


@portugal("enact.3/2", "17")
def test_the_running_hand_is_finished_under_the_version_before(case: Case) -> None:
    new = case.int("new")
    table = TableUnderTest(version=case["old"]).seat(1, 2, 3).deal(button=1)
    assert table.change(new, approval="SRIJ-114", approved_on="2026-11-02", big_blind=50, rake_bp=300) is None
    assert table.names == ["ConfigurationAnnounced"]
    (announced,) = table.of(ConfigurationAnnounced)
    assert announced.configuration.version == new
    table.plays("1 call", "2 call", "3 check").checks_down()
    assert sum(event.rake for event in table.of(HandEnded)) == 15  # 5 % of 300, not 3 %
    (activated,) = table.of(ConfigurationActivated)
    rules = activated.configuration
    assert (rules.version, rules.approval, rules.approved_on) == (new, "SRIJ-114", "2026-11-02")
    assert (announced.requested_by, activated.by, activated.at) == ("staff-1", "staff-2", table.now)
    assert table.names.index("HandEnded") < table.names.index("ConfigurationActivated")
    table.wake()
    (started,) = table.of(HandStarted)
    assert started.configuration_version == new
    assert [event.amount for event in table.of(BlindPosted)] == [25, 50]


@portugal("enact.3")
def test_between_hands_it_is_in_force_at_once() -> None:
    table = sixth()
    assert table.change(7) is None
    assert table.names == ["ConfigurationAnnounced", "ConfigurationActivated"]
    assert table.state.announced is None
    assert table.state.rules.version == 7


@portugal("17/2")
def test_from_pots_to_buy_ins_who_sits_pays_with_the_next_top_up() -> None:
    table = sixth(decision_ms=2 * NOTICE_MS).deal(button=1)
    assert table.change(7, rake_mode="buy_in", rake_bp=1000, decision_ms=2 * NOTICE_MS) is None
    assert table.state.rules.rake.mode == "pot"
    table.now += NOTICE_MS
    table.plays("1 raise 300", "2 fold", "3 call", "3 check", "1 check").checks_down()
    assert table.state.rules.rake.mode == "buy_in"
    raked = table.state.books.raked
    assert raked == 32  # 5 % of 650: the hand began under the version before
    short = min(table.stacks, key=lambda seat: table.stacks[seat])
    assert table.top_up(short, 100) is None
    table.confirm_top_up()
    assert table.of(TopUpAdded)[0].commission == 10
    table.wake()
    table.checks_down()
    assert table.state.books.raked == raked + 10


@portugal("17/2", "enact.3")
@pytest.mark.parametrize("woken", [True, False])
@pytest.mark.parametrize("late", [-1, 0, 1, 3_600_000])
def test_no_hand_runs_and_the_announced_rules_hold_from_their_time(late: int, woken: bool) -> None:
    """Who comes then, and who tops up then, pays by the rules of that time, and never in both modes."""
    entry: dict[str, Any] = {"buy_in_min": 5_000, "buy_in_max": 10_000}
    table = TableUnderTest(version=6, **entry).seat(1)
    assert table.change(7, rake_mode="buy_in", rake_bp=1000, **entry) is None
    (announced,) = table.of(ConfigurationAnnounced)
    assert next_wake(table.state) == announced.holds_from == table.now + NOTICE_MS
    table.now = announced.holds_from + late
    if woken:
        table.wake()
    table.take(2, 10_000)
    table.confirm(2)
    assert table.top_up(1, 1_000) is None
    table.confirm_top_up()
    pays = 1_000 if late >= 0 else 0
    (seated,) = [event for event in table.of(PlayerSeated, True) if event.seat == 2]
    (topped_up,) = table.of(TopUpAdded, True)
    assert (seated.commission, topped_up.commission) == (pays, pays // 10)
    (mine,) = [event for event in table.of(PlayerSeated, True) if event.seat == 1]
    assert mine.commission == 0, "who sat there before pays with the next buy-in or top-up"
    assert [event.at for event in table.of(ConfigurationActivated, True)] == [table.now] * (late >= 0)


@portugal("17/2")
@pytest.mark.parametrize("closes", [-1, 0])
def test_no_rules_follow_after_the_hours_are_over(closes: int) -> None:
    start = TableUnderTest(version=6).now
    hours = start + NOTICE_MS + closes
    table = TableUnderTest(version=6, closes_at=hours).seat(1)
    assert table.change(7, rake_mode="buy_in", rake_bp=1000, closes_at=hours + NOTICE_MS) is None
    table.now = start + 2 * NOTICE_MS - 1
    assert table.take(2, 10_000) == ("table_not_open" if closes < 0 else None)


@portugal("enact.3")
@macau("order.2")
def test_the_order_of_reasons() -> None:
    """The first row is wrong in every way; each row mends one thing and meets the next reason."""
    table = TableUnderTest(version=6, seats=6).seat(1, 6)
    wrong = {"rake_bp": 600, "kind": "demo", "seats": 5}
    assert table.change(6, **wrong) == "outside_rulebook"
    assert table.change(6, **(wrong | {"rake_bp": 400})) == "version_not_newer"
    assert table.refused is not None
    assert table.refused.rule == "pt-811-2015#enact.3"
    assert table.change(7, kind="demo", seats=5) == "fixed_at_opening"
    assert table.change(7, seats=5) == "seats_in_use"
    assert table.change(7, seats=6) is None
    table = TableUnderTest(MACAU, version=2)
    assert table.change(2) == "version_not_newer"
    assert table.refused is not None
    assert table.refused.rule == "mo-97-2010#order.2"


def test_the_last_announcement_counts_and_only_a_newer_one() -> None:
    table = sixth().deal(button=1)
    assert [table.change(8), table.change(7), table.change(9, big_blind=50)] == [None, "version_not_newer", None]
    table.folds_round()
    assert [event.configuration.version for event in table.of(ConfigurationActivated)] == [9]


@portugal("15", "70.a")
def test_a_higher_minimum_bet_invites_who_is_short_of_it() -> None:
    wide: dict[str, Any] = {"buy_in_min": 1000, "buy_in_max": 10_000, "decision_ms": 2 * NOTICE_MS}
    table = TableUnderTest(**wide).with_stacks(s1=10_000, s2=10_000, s3=1000).deal(button=1)
    assert table.change(2, **{**wide, "big_blind": 2000, "buy_in_min": 2000}) is None
    table.now += NOTICE_MS
    table.folds_round()
    assert table.state.seats[3].short_since == table.now
    table.later(30_000)
    assert [(event.seat, event.reason) for event in table.of(PlayerInvitedToLeave)] == [(3, "below_minimum")]
    table.folds_round()
    assert table.change(3, **{**wide, "buy_in_min": 2000}) is None
    assert (table.state.seats[3].short_since, table.state.seats[3].notice) == (None, None)


@pytest.mark.parametrize("rake_bp", [300, 400])
def test_one_of_the_staff_alone_changes_no_rules_of_real_money(rake_bp: int) -> None:
    """The house's rake is its money, too. A platform has its own way to agree on its tables."""
    table = sixth()
    wish = ChangeConfiguration(configuration=table.configured(version=7, rake_bp=rake_bp))
    assert table.send(staff(), wish) is None
    assert table.names == ["ConfigurationRequested"]
    assert table.send(staff(), ApproveConfiguration(version=7)) == "own_request"
    assert table.state.rules.version == 6
    newer = ChangeConfiguration(configuration=table.configured(version=8, rake_bp=rake_bp))
    assert table.send(Principal("operator", "platform"), newer) is None
    assert (table.state.rules.version, table.state.rules.rake.bp) == (8, rake_bp)
    assert table.send(SECOND, ApproveConfiguration(version=7)) == "no_such_change"


def test_only_staff_and_only_an_open_table() -> None:
    table = sixth()
    wish = ChangeConfiguration(configuration={})
    assert table.send(Principal("player", "p1"), wish) == "not_allowed"
    table.deal(button=1)
    table.close()
    assert table.change(7) == "table_not_open"


def test_a_table_that_closes_activates_nothing() -> None:
    table = sixth().deal(button=1)
    table.change(7)
    table.close()
    table.folds_round()
    assert table.of(ConfigurationActivated) == []
    assert table.state.status == "closed"


def test_what_the_api_shows_as_an_example_opens_a_table_and_changes_its_rules() -> None:
    table = AnyTable("t1", START)
    assert table.send(staff(), msgspec.convert(OpenTable.example, OpenTable)) is None, table.refused
    assert table.send(staff(), msgspec.convert(ChangeConfiguration.example, ChangeConfiguration)) is None, table.refused
