"""One sample of every event of an entrant."""

from typing import Any

from libs.contracts import tournament_events as e
from libs.contracts.facts import TableEvent
from tests.table.tournament.play import TOURNAMENT

_WHO: dict[str, Any] = {
    "at": 1_700_000_000_000, "table": "t1", "tournament": TOURNAMENT, "reservation": "e1", "player": "p1", "seat": 1,
}  # fmt: skip


def samples() -> list[TableEvent]:
    return [
        e.HandsAllowed(at=1_700_000_000_000, table="t1", tournament=TOURNAMENT, through=12, until=1_700_000_600_000),
        e.TableStood(
            at=1_700_000_000_000, table="t1", tournament=TOURNAMENT, since=1_699_999_992_000, until=1_700_000_000_000
        ),
        e.EntrantSeated(**_WHO, chips=30_000),
        e.EntrantChipsDue(**_WHO, payment="payment-7", chips=10_000),
        e.EntrantChipsAdded(**_WHO, payment="payment-7", chips=10_000, stack=12_000),
        e.EntrantEliminated(**_WHO),
        e.EntrantMoved(**_WHO, chips=41_500, to_table="t2"),
        e.EntrantBarred(**_WHO, why="excluded", after_hand=12),
        e.EntrantDisqualified(**_WHO, chips=14_000),
        e.EntrantFinished(**_WHO, chips=90_000),
    ]
