"""A hand's record says which acts a human dealer entered for a player (pt-217-2007 53, 71)."""

import msgspec

from libs.contracts.poker_commands import Act
from libs.views.hand import Hand
from libs.views.records import Records, fold_records
from libs.views.table import TableView, fold_table
from services.audit.integrity.acts import _played
from tests.table.live.play import DEALER, LiveTable
from tests.table.live.test_taken_out import between_two


def record_of(table: LiveTable) -> tuple[Hand, TableView]:
    """The auditor's record of the last hand, and everybody's view of it."""
    records, view = Records(), TableView("t1")
    for version, event in enumerate(table.told, 1):
        records, view = fold_records(records, event, version), fold_table(view, event, version)
        records = msgspec.json.decode(msgspec.json.encode(records), type=Records)
    assert isinstance(records.record, Hand)
    return records.record, view


def enters(table: LiveTable, act: str) -> str | None:
    return table.send(DEALER, Act(hand=table.state.hands, seat=4, act=act, to=None))  # type: ignore[arg-type]


def test_an_act_that_a_dealer_entered_says_so_and_is_not_of_the_player() -> None:
    table = between_two(400)
    assert enters(table, "fold") is None
    record, view = record_of(table)
    assert record.actions[-1].dealer == "dealer-1"
    assert view.hand is not None
    assert view.hand.actions == record.actions
    fold = _played(record).acts[-1]
    assert (fold.action, fold.entered, fold.taken_out, fold.by_house) == ("fold", True, True, False)


def test_any_other_record_is_what_it_always_was() -> None:
    table = between_two(400).plays("4 fold")
    record, _ = record_of(table)
    assert b'dealer":' not in msgspec.json.encode(record.actions)
    fold = _played(record).acts[-1]
    assert (fold.entered, fold.taken_out) == (False, False)


def test_while_it_waits_the_player_is_shown_what_is_on_offer() -> None:
    table = between_two()
    assert enters(table, "fold") is None
    _, view = record_of(table)
    assert view.hand is not None
    assert view.hand.decision is not None
    assert (view.hand.decision.seat, view.hand.incidents[-1].state) == (4, "SUPERVISOR_DECISION")
    assert table.rule_on("go_on") is None
    table.plays("4 check")
    assert table.burn().turn_up().report("PE-71f", seat=4, act="fold") is None
    _, view = record_of(table)
    assert view.hand is not None
    assert view.hand.decision is None, "whose turn it was waits for the supervisor"
