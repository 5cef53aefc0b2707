"""What the house may fix for a table, and within which bounds (enacting article 2; 5, 13, 17)."""

from libs.contracts.table_commands import OpenTable
from tests.table.omaha.play import portugal
from tests.table.play import PORTUGAL, TableUnderTest, configuration
from tests.table.test_rulebooks import accepted, rules_broken
from tests.table.under_test import staff
from tests.testkit.cases import Case


@portugal("enact.2/1")
def test_no_house_rule_contradicts_the_regulation(case: Case) -> None:
    assert rules_broken(PORTUGAL, rake_bp=case["rate"]) == [("rake_bp", "pt-811-2015#17.a")]
    table = TableUnderTest()
    outside = OpenTable(name="x", rulebook=PORTUGAL, configuration=configuration(rake_bp=case["rate"]))
    table.state = type(table.state)(table="t2")
    assert table.send(staff(), outside) == "outside_rulebook"
    assert table.refused is not None
    assert f"{case['least']} to {case['most']} basis points" in table.refused.detail


@portugal("enact.2/2")
def test_gaps_are_filled_or_left_at_their_default(case: Case) -> None:
    asked = {
        "mode": "continuous",
        "structure": "pot_limit",
        "rake_mode": "pot",
        "approval": "SRIJ-1",
        "seats": case["seats"],
        "buy_in": case["buy_in"],
        "top_up_to": case["top_up_to"],
        "big_blind": case["minimum"],
        "small_blind": case["small"],
        "rake_bp": case["rate"],
        "decision_ms": case["seconds"] * 1000,
    }
    left_out = {name: ... for name in configuration() if name not in asked}
    rules = accepted(PORTUGAL, **asked, **left_out)
    assert (rules.seats, rules.entry.buy_in_min, rules.entry.buy_in_max) == (
        case["seats"],
        case["buy_in"],
        case["buy_in"],
    )
    assert (rules.betting.big_blind, rules.betting.small_blind) == (case["minimum"], case["small"])
    assert (rules.entry.top_up_to, rules.rake.bp) == (case["top_up_to"], case["rate"])
    assert (rules.timing.decision_ms, rules.timing.break_ms) == (case["seconds"] * 1000, 600_000)
    assert (rules.dealing.first_button, rules.betting.heads_up_blinds) == ("drawn", "button_small")


@portugal("5/1")
def test_two_to_ten_seats(case: Case) -> None:
    for seats in case.ints("refused"):
        assert rules_broken(PORTUGAL, seats=seats) == [("seats", "pt-811-2015#5")]
    for seats in case.ints("accepted"):
        assert accepted(PORTUGAL, seats=seats).seats == seats


@portugal("17/1")
def test_the_two_commission_modes_exclude_each_other(case: Case) -> None:
    both = rules_broken(PORTUGAL, rake_mode=["pot", "buy_in"], rake_bp=case["pot"])
    assert both == [("rake_mode", "pt-811-2015#16")]
    assert rules_broken(PORTUGAL, rake_mode="both", rake_bp=case["pot"]) == [("rake_mode", "pt-811-2015#16")]
    rates = rules_broken(PORTUGAL, rake_mode="pot", rake_bp=[case["pot"], case["buy_in"]])
    assert [field for field, _ in rates] == ["rake_bp"]
    other = rules_broken(PORTUGAL, rake_mode="pot", rake_bp=case["pot"], buy_in_bp=case["buy_in"])
    assert [field for field, _ in other] == ["buy_in_bp"]


@portugal("17.b/1")
def test_the_rates_on_buy_ins(case: Case) -> None:
    for rate in case.ints("refused"):
        assert rules_broken(PORTUGAL, rake_mode="buy_in", rake_bp=rate) == [("rake_bp", "pt-811-2015#17.b")]
    for rate in case.ints("accepted"):
        assert accepted(PORTUGAL, rake_mode="buy_in", rake_bp=rate).rake.bp == rate
