"""What tables cost that were closed: no memory, and at a start next to nothing; and what is still told of them."""

import copy
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts import table_events as e
from libs.contracts.conduct_events import MessageSent
from libs.contracts.facts import TableEvent
from libs.contracts.versions import Accepted
from libs.views.hand import Hand
from libs.views.round import RoundRecord
from services.gateway.app.floor import Floor
from services.gateway.views import tables as views
from services.gateway.views.kept_table import front_in, table_in
from services.gateway.views.tables import GONE_MS, Tables
from services.gateway.ws.fan_out import FanOut
from tests.gateway.banked import told
from tests.gateway.hands import T, closed, everybody, opened, started, to_the_end

PLAYED = [opened(), *everybody(), *to_the_end(41), *closed()]
SENT = MessageSent(**T, message="m-1", player="alice", sealed="c2VhbGVk", at=1)


def play(tables: Tables, table: str, *facts: TableEvent) -> None:
    for fact in facts:
        assert tables.accept(table, replace(fact, table=table), tables.version(table) + 1) is Accepted.YES


def house(count: int, *facts: TableEvent) -> Tables:
    tables = Tables()
    for number in range(count):
        play(tables, f"t-{number:03}", *(facts or PLAYED))
    return tables


def restored(tables: Tables, *names: str) -> Tables:
    after = Tables()
    after.take((each, *tables.kept(each)) for each in names)
    return after


def test_none_of_them_is_at_hand_and_a_start_decodes_none(monkeypatch: pytest.MonkeyPatch) -> None:
    before, decoded = house(200), []
    play(before, "open", *PLAYED[:9])
    assert (list(before.held), before.listed) == (["open"], ["open"])

    def counted(state: bytes) -> Any:
        decoded.append(front_in(state).table)
        return table_in(state)

    monkeypatch.setattr(views, "table_in", counted)
    names = [f"t-{number:03}" for number in range(200)]
    after = restored(before, *names, "open")
    assert (list(after.held), after.listed, decoded) == (["open"], ["open"], ["open"])
    for name in names:
        assert after.version(name) == len(PLAYED)
        assert after.recallable(name) == ({41}, 41), "as each private deal of a day asks"
        assert after.is_closed(name)
        assert after.kept(name) == before.kept(name)
    assert decoded == ["open"]
    assert (after.view("t-007"), decoded) == (before.view("t-007"), ["open", "t-007", "t-007"])


def test_a_last_hand_is_kept_once() -> None:
    """It was kept as the hand on the table, too: 11 kB."""
    for facts, player in ((PLAYED, "alice"), (PLAYED[: -len(closed())], "alice")):
        tables = house(1, *facts)
        state = tables.kept("t-000")[1]
        assert state.count(b"deck_root") == 1
        after = restored(tables, "t-000")
        view = after.view("t-000")
        assert view is not None
        assert view == tables.view("t-000")
        assert (view.hand, after.last_played("t-000", player)) == (tables.last_played("t-000", player),) * 2


@pytest.mark.rule("pt-811-2015", "65")
@pytest.mark.parametrize("restart", [False, True], ids=["the same gateway", "after a restart"])
def test_the_last_hand_is_recalled_for_twenty_minutes(restart: bool) -> None:
    tables = house(1, opened(), *everybody(), *to_the_end(41), SENT, *closed(at=5_000))
    if restart:
        tables = restored(tables, "t-000")
    table = "t-000"
    tables.kept(table, 4_999 + GONE_MS)
    assert tables.quiet(4_999 + GONE_MS) == []
    record = tables.last_played(table, "bob")
    assert isinstance(record, Hand)
    assert record.hand == 41
    assert (tables.messages(table) != [], tables.is_stranger(table, "bob", 5_001)) == (True, False)

    assert tables.quiet(5_000 + GONE_MS) == [table]
    version, state = tables.kept(table, 5_000 + GONE_MS)
    assert (version, len(state) < 2_000) == (tables.version(table), True)
    assert tables.quiet(5_000 + GONE_MS) == [], "once"
    for each in (tables, restored(tables, table)):
        assert each.last_played(table, "bob") is None
        assert each.recallable(table) == (set(), 41), "no deal of it is opened"
        assert (each.messages(table), each.is_stranger(table, "bob", 5_001)) == ([], True)
        assert each.quiet(1 << 60) == []
        view = each.view(table)
        assert view is not None
        assert (view.status, view.name, view.hands_played, view.hand) == ("closed", "Lisboa", 1, None)
        assert view.configuration == opened().configuration


@pytest.mark.parametrize("slim", [False, True])
def test_an_event_that_comes_late_is_folded(slim: bool) -> None:
    tables = house(1)
    if slim:
        tables.kept("t-000", GONE_MS)
    before, held = copy.copy(tables.held), tables.view("t-000")
    late: Sequence[TableEvent] = (replace(SENT, at=7), *to_the_end(41)[1:2])
    play(tables, "t-000", *late)
    assert tables.held == before
    assert [each.at for each in tables.messages("t-000")] == [7]
    assert held is not None
    assert tables.version("t-000") == held.version + 2
    assert tables.quiet(6 + GONE_MS) == []
    assert tables.quiet(7 + GONE_MS) == ["t-000"], "slim once more"
    assert len(tables.kept("t-000", 7 + GONE_MS)[1]) < 2_000

    play(tables, "t-000", e.TableResumed(**T, by="staff"), *everybody(), *to_the_end(42))
    assert (list(tables.held), tables.listed) == (["t-000"], ["t-000"])
    record = tables.last_played("t-000", "alice")
    assert isinstance(record, Hand)
    assert (record.hand, record.table_name) == (42, "Lisboa")
    assert tables.quiet(1 << 60) == []


def test_a_gap_and_an_event_that_breaks_leave_it_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = house(1)
    version, state = tables.kept("t-000")
    assert tables.accept("t-000", SENT, version) is Accepted.SEEN
    assert tables.accept("t-000", SENT, version + 2) is Accepted.GAP
    assert tables.gaps == {"t-000"}
    assert not tables.is_stranger("t-000", "mallory", 1)

    def breaks(*_: Any) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patched:
        patched.setattr(views, "fold_table", breaks)
        with pytest.raises(ZeroDivisionError):
            tables.accept("t-000", SENT, version + 1)
    assert (tables.kept("t-000"), tables.gaps, list(tables.held)) == ((version, state), {"t-000"}, [])
    assert tables.accept("t-000", SENT, version + 1) is Accepted.YES
    assert tables.gaps == set()


def test_what_no_format_holds_stays_at_hand() -> None:
    tables = house(1, opened(), replace(everybody()[0], stack=1 << 70), e.TableClosed(**T))
    assert list(tables.held) == ["t-000"]
    assert (tables.listed, tables.is_closed("t-000"), tables.quiet(1 << 60)) == ([], True, [])
    with pytest.raises(OverflowError):
        tables.kept("t-000", 1 << 60)


def test_who_asks_for_what_there_is_not() -> None:
    tables = Tables()
    assert (tables.version("none"), tables.view("none"), tables.is_closed("none")) == (0, None, False)
    assert (tables.recallable("none"), tables.last_played("none", "alice")) == ((set(), 0), None)
    with pytest.raises(KeyError):
        tables.kept("none")


def test_a_round_and_its_shoe_go_too() -> None:
    facts = [told.opened(told.BACCARAT), told.seated(told.BACCARAT, 1), told.seated(told.BACCARAT, 2), told.shoe(),
             *told.coup_open(), *told.coup_cards(), told.coup_paid(), e.TableClosed()]  # fmt: skip
    tables = house(1, *facts)
    for each in (tables, restored(tables, "t-000")):
        view = each.view("t-000")
        assert view is not None
        assert view.round is not None
        assert view.shoe is not None
        assert isinstance(each.last_played("t-000", told.who(1, told.BACCARAT)["player"]), RoundRecord)
    tables.kept("t-000", GONE_MS)
    view = tables.view("t-000")
    assert view is not None
    assert (view.round, view.shoe, view.hands_played) == (None, None, 1)


def test_own_cards_go_with_the_hands() -> None:
    floor = Floor(FanOut())
    for number in range(3):
        play(floor.tables, f"t-{number:03}", *PLAYED)
        floor._cards.put(f"t-{number:03}", 41, 1, "alice", ("As", "Ad", "7h", "4c"))
    told_of = floor.last_played("t-001", "alice")
    assert told_of is not None
    assert told_of["own"]["cards"] == ["As", "Ad", "7h", "4c"]
    assert floor.needs_cards("t-001", 41)
    floor.tables.kept("t-001", GONE_MS)
    assert (floor.knows("t-001"), floor.last_played("t-001", "alice")) == (True, None)
    assert not floor.needs_cards("t-001", 41)
    assert sorted(floor._cards._held) == ["t-000", "t-002"]
    shown = floor.view("t-001", "alice")
    assert shown is not None
    assert shown["status"] == "closed"


def test_a_table_that_is_open_is_never_slim() -> None:
    tables = house(1, opened(), *everybody(), *to_the_end(41), started(42))
    assert tables.quiet(1 << 60) == []
    assert tables.kept("t-000", 1 << 60) == tables.kept("t-000")
