"""A hand's record says whom the clock folded while the connection was lost: seldom anybody's own will (11.e)."""

from typing import Any, Literal

import msgspec
import pytest
from msgspec.structs import replace

from libs.contracts.facts import TableEvent
from libs.contracts.poker_events import PlayerFolded
from libs.contracts.table_events import ConnectionLost, ConnectionRestored, PlayerLeft
from libs.contracts.waiting_list_events import SeatChanged
from libs.views.hand import Hand
from libs.views.records import Records, fold_records
from libs.views.table import TableView, fold_table
from services.audit.integrity.acts import _played
from tests.table.play import PORTUGAL, TableUnderTest

WHO: dict[str, Any] = {"player": "p3", "seat": 3}
LOST, BACK = ConnectionLost(**WHO), ConnectionRestored(**WHO)
GONE = PlayerLeft(**WHO, reservation="r2", currency="EUR", stack=0, reason="player")
AWAY = SeatChanged(player="p3", reservation="r2", from_seat=3, to_seat=2)


def record_of(*before: TableEvent, reason: Literal["timeout", "left"] = "timeout") -> tuple[Hand, Hand | None]:
    """A running hand in which 3 folds after `before`: the auditor's record, and what the table's view has of it."""
    table = TableUnderTest(PORTUGAL).seat(1, 3, 5).deal(1)
    fold = PlayerFolded(hand=table.state.hands, **WHO, actor="house", reason=reason)
    records, view = Records(), TableView("t1")
    for version, event in enumerate([*table.told, *before, fold], 1):
        records, view = fold_records(records, event, version), fold_table(view, event, version)
        records = msgspec.json.decode(msgspec.json.encode(records), type=Records)
    assert isinstance(records.record, Hand)
    return records.record, view.hand


@pytest.mark.parametrize("before", [(LOST,), (BACK, LOST), (LOST, LOST)])
def test_who_is_folded_with_a_lost_connection_is_marked(before: tuple[TableEvent, ...]) -> None:
    record, shown = record_of(*before)
    assert record.actions[-1].offline is True
    assert shown is not None
    assert shown.actions == record.actions, "the gateway shows players the same"
    assert _played(record).acts[-1].offline


@pytest.mark.parametrize("before", [(), (LOST, BACK), (LOST, GONE), (LOST, AWAY)])
def test_nobody_else_is_and_the_record_is_what_it_always_was(before: tuple[TableEvent, ...]) -> None:
    record, _ = record_of(*before)
    assert b"offline" not in msgspec.json.encode(record)
    assert not _played(record).acts[-1].offline


def test_who_left_with_a_lost_connection_folded_by_leaving() -> None:
    record, _ = record_of(LOST, reason="left")
    assert b"offline" not in msgspec.json.encode(record)


def test_openings_of_before_are_read() -> None:
    text = msgspec.json.encode(Records(name="Lisboa"))
    assert b"offline" not in text
    assert msgspec.json.decode(text, type=Records) == Records(name="Lisboa")
    assert msgspec.json.decode(msgspec.json.encode(replace(Records(), offline=(3,))), type=Records).offline == (3,)
