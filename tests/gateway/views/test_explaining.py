"""A table's rules in plain sentences say what its configuration does."""

from typing import Any

import pytest

from libs.contracts.configurations import flat
from services.gateway.views.explaining import taking_part
from tests.table.live.play import live_h6
from tests.table.play import TableUnderTest


@pytest.mark.parametrize(
    ("changes", "late"),
    [
        ({"timer_action": "act"}, "after that you check, or fold where a bet is owed."),
        (
            {"timer_action": "all_in", "protections": 3},
            "as if all-in, where a bet is owed (3 times in a sitting, then you fold).",
        ),
    ],
)
def test_what_the_clock_does_is_said(changes: dict[str, Any], late: str) -> None:
    table = TableUnderTest("common-holdem", **changes)
    assert any(each.endswith(late) for each in taking_part(flat(table.state.rules))), taking_part(
        flat(table.state.rules)
    )


def test_where_the_clock_does_not_act_a_supervisor_may() -> None:
    said = taking_part(flat(live_h6(timer_action="none").state.rules))
    late = "after that you are warned, and a supervisor may check for you, or fold where a bet is owed."
    assert any(each.endswith(late) for each in said), said
