"""A table of real money that one of the staff opens is told; a platform's own, or one of play money, is not."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts.messages import Principal, PublicEvent
from libs.contracts.registry import decode_fact, encode_fact
from libs.contracts.table_commands import OpenTable
from libs.contracts.table_events import TableOpened
from services.audit.projections.live_checks import _told
from services.audit.verifying.findings import Finding, Kind
from tests.table.play import START, configuration
from tests.table.under_test import AnyTable, staff

PLATFORM = Principal("operator", "house-tables")


def opening(by: Principal, rulebook: str = "mo-97-2010-omaha", **changes: Any) -> TableOpened:
    table = AnyTable("t1", START)
    opens = OpenTable(name="T", rulebook=rulebook, configuration=configuration(rulebook, **changes))
    assert table.send(by, opens) is None, table.refused
    (opened,) = [event for event in table.told if isinstance(event, TableOpened)]
    return opened


def told(opened: TableOpened) -> list[Finding]:
    name, data = encode_fact(opened)
    event = PublicEvent(stream="t1", version=1, type=name, time=START, causation="c", data=data)
    return list(_told((event, decode_fact(name, data))))


@pytest.mark.parametrize("rulebook", ["mo-97-2010-omaha", "pt-217-2007-holdem"])
def test_one_of_the_staff_opens_a_table_of_real_money_and_is_named(rulebook: str) -> None:
    """Found by an attacker: free of rake, while the same as a change waits for a second person."""
    opened = opening(staff(), rulebook, rake_bp=0)
    assert opened.by == staff().id
    (found,) = told(opened)
    assert (found.kind, found.severity, found.stream, found.version) == (Kind.OPENED_ALONE, "minor", "t1", 1)
    assert f"opened by {staff().id} alone for real money under {rulebook}" in found.detail
    assert "rake 0 hundredths of a percent (pot)" in found.detail


def test_a_platforms_own_and_play_money_are_nothing_to_tell() -> None:
    opened = opening(PLATFORM, rake_bp=0)
    assert opened.by == ""
    assert told(opened) == []
    assert told(opening(staff(), kind="demo", currency="FUN")) == []


def test_of_what_was_opened_before_it_was_kept_nothing_is_told() -> None:
    assert told(replace(opening(staff()), by="")) == []
