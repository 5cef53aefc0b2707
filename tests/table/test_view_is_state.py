"""What people are told of a table is what it goes by: after every event, whoever asks for what, at tables of all games.

View and table fold the same events by rules of their own; only facts that are told keep the two together.
`test_whole_tables.py` looks at hands played at random, this at whatever anybody may ask near every deadline.
"""

from random import Random

import pytest

from libs.contracts.table_commands import CloseTable, WakeTable
from services.table.domain.table.waking import next_wake
from tests.table.deadlines.scenarios import SCENARIOS
from tests.table.views import Seen
from tests.table.wishes import wishes

STEPS, WALKS = 40, 3
_SELDOM = 0.02
"""How often a table is closed."""


@pytest.mark.parametrize("walk", range(WALKS))
@pytest.mark.parametrize("name", SCENARIOS)
def test_what_is_told_is_what_holds(name: str, walk: int) -> None:
    luck, table = Random(f"{name} {walk}"), SCENARIOS[name]()
    seen = Seen(table.state.table)
    seen.follow(table)
    for _ in range(STEPS):
        if table.state.status == "closed":
            break
        due = next_wake(table.state)
        if due is not None and luck.random() < 0.2:
            table.now = max(table.now, due)
            table.wake()
        else:
            closes = luck.random() < _SELDOM
            asked = [each for each in wishes(table.state) if not isinstance(each[1], WakeTable)]
            who, command = luck.choice([each for each in asked if isinstance(each[1], CloseTable) == closes] or asked)
            table.now += luck.choice([0, 1, 500, 3_000])
            table.send(who, command)
        seen.follow(table)
