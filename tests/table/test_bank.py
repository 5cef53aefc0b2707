"""A table's bank: opened with it, changed by two of the staff, never below what a round can cost, home at the end."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts.bank_commands import ApproveBankChange, DeclineBankChange, RequestBankChange
from libs.contracts.bank_events import (
    OPENING,
    BankAlarmRaised,
    BankChangeDeclined,
    BankChangeRequested,
    BankClosed,
    BankDropped,
    BankOpened,
    BankToppedUp,
)
from libs.contracts.messages import Principal
from libs.contracts.people import same_person
from libs.contracts.table_commands import CloseTable, OpenTable
from libs.decider import Decided, Given, Rejected
from libs.identity.oidc import staff_id
from services.table.domain.table.decide import decide
from services.table.domain.table.state import USED_KEPT, Table
from services.table.domain.table.waking import next_wake
from tests.table.approving import approval_of
from tests.table.baccarat.play import BANK, MACAU, CoupTable
from tests.table.no_draw.play import NoDraw
from tests.table.play import PORTUGAL, TableUnderTest, configuration
from tests.table.under_test import refolded

Banked = CoupTable | NoDraw
BOTH = pytest.mark.parametrize("game", [CoupTable, NoDraw])


def staff(name: str) -> Principal:
    return Principal("staff", name)


def ask(table: Banked, direction: str, amount: int, change: str = "c1", by: str = "ana") -> str | None:
    fields: dict[str, Any] = {"change": change, "direction": direction, "amount": amount, "reason": "shift"}
    return table.send(staff(by), RequestBankChange(**fields))


def approve(table: Banked, change: str = "c1", by: str = "rui") -> str | None:
    return table.send(staff(by), approval_of(table.state, change))


@BOTH
def test_a_change_that_waits_keeps_its_name_whatever_else_is_asked(game: type[Banked]) -> None:
    """One of the staff had asked for thousands, until the name was forgotten, and put another sum under it."""
    table = game(bank=BANK)
    assert ask(table, "top_up", 100, change="evening-1") is None
    for number in range(2 * USED_KEPT):
        name = f"c{number}"
        assert ask(table, "top_up", 1, change=name) is None
        assert table.send(staff("ana"), DeclineBankChange(change=name, reason="no")) is None
    assert "evening-1" not in table.state.used_ids
    assert ask(table, "top_up", 5_000_000, change="evening-1") == "change_used"
    assert table.state.office.pending["evening-1"].amount == 100


@BOTH
def test_what_is_approved_is_what_waits(game: type[Banked]) -> None:
    table = game(bank=BANK)
    assert ask(table, "top_up", 100) is None
    for direction, amount in (("top_up", 101), ("drop", 100)):
        told = ApproveBankChange(change="c1", direction=direction, amount=amount)  # type: ignore[arg-type]
        assert table.send(staff("rui"), told) == "change_differs"
    assert approve(table) is None
    assert table.state.bank == BANK + 100


@BOTH
def test_twenty_changes_wait_at_the_most(game: type[Banked]) -> None:
    table = game(bank=BANK)
    for number in range(20):
        assert ask(table, "top_up", 1, change=f"c{number}", by=f"cashier-{number % 4}") is None
    assert ask(table, "top_up", 1, change="c20") == "too_many_changes"
    assert approve(table, "c7") is None
    assert ask(table, "top_up", 1, change="c20") is None


@BOTH
def test_five_of_them_at_the_most_are_of_one_person(game: type[Banked]) -> None:
    """One cashier had asked for twenty, and nobody else could ask at that table."""
    table = game(bank=BANK)
    for number in range(5):
        assert ask(table, "top_up", 1, change=f"c{number}", by=("ana", "ANA")[number % 2]) is None
    assert ask(table, "top_up", 1, change="c5", by="Ana") == "too_many_changes"
    assert ask(table, "top_up", 1, change="c5", by="bea") is None
    assert approve(table, "c0") is None
    assert ask(table, "top_up", 1, change="c6", by="ana") is None


def worst(table: Banked) -> int:
    case: int = table.state.rules.worst_case
    return case


@BOTH
def test_it_opens_with_the_table(game: type[Banked]) -> None:
    table = game(bank=BANK)
    opened = table.of(BankOpened, everything=True)
    assert [(event.amount, event.bank, event.risk_limit) for event in opened] == [(0, 0, BANK)]
    assert (table.state.bank, table.state.books.banked) == (BANK, BANK)
    told = ["TableOpened", "BankOpened", "BankChangeRequested", "BankToppedUp"]
    assert [type(event).__name__ for event in table.told] == told


@BOTH
def test_nobody_opens_it_alone(game: type[Banked]) -> None:
    """What one has asked for another approves; until then nothing is bet."""
    table = game(bank=BANK)
    asked = next(event for event in table.told if isinstance(event, BankChangeRequested))
    fresh = Table(table="t9")
    opening = OpenTable(name="T", rulebook=table.state.rules.rulebook, configuration=table.configured(), bank=BANK)
    machine = decide(fresh, opening, Given(0, None, Principal("operator", "platform")))
    assert isinstance(machine, Rejected)
    assert machine.reason == "not_allowed"
    opened = decide(fresh, opening, Given(0, None, staff(asked.by)))
    assert isinstance(opened, Decided)
    alone = opened.states[-1]
    assert (alone.bank, list(alone.office.pending)) == (0, ["opening"])
    again = decide(alone, approval_of(alone, "opening"), Given(0, None, staff(asked.by)))
    assert isinstance(again, Rejected)
    assert again.reason == "own_request"
    assert next_wake(alone) is None


@BOTH
@pytest.mark.parametrize("spelled", ["ANA", "Ana", "aNa"])
def test_one_person_is_one_however_they_are_spelled(game: type[Banked], spelled: str) -> None:
    table = game(bank=BANK)
    assert ask(table, "top_up", 5000, by="ana") is None
    assert approve(table, by=spelled) == "own_request"
    assert approve(table, by="ana2") is None


@BOTH
@pytest.mark.parametrize("spelled", ["ANA@casino.example", "Ana@Casino.Example", "ana @casino.example"])
def test_one_person_is_one_where_the_provider_has_addresses(game: type[Banked], spelled: str) -> None:
    table = game(bank=BANK)
    ana, again, bea = (staff_id("https://login.example", each) for each in ("ana@casino.example", spelled, "bea@x"))
    assert ana != again
    assert ask(table, "top_up", 5000, by=ana) is None
    assert approve(table, by=again) == "own_request"
    assert approve(table, by=bea) is None


def test_names_that_read_alike_are_one_person() -> None:
    for spelled in ("ana", "ANA", " ana", "a na", "\uff41na", "an\u00aa", "ana\u00a0"):
        assert same_person("ana", spelled), spelled
        assert same_person("ana", staff_id("https://login.example", spelled)), spelled
    assert not same_person("ana", "anna")
    assert not same_person("ana", staff_id("https://login.example", "ana@x"))


def opened_by_one(game: type[Banked], alone_up_to: int) -> Banked:
    """Ana has opened the table; nobody has approved its opening."""
    table = game(bank=BANK)
    what: dict[str, Any] = {"rulebook": table.state.rules.rulebook, "configuration": table.configured()}
    table.state, table.told = Table(table=table.state.table), []
    table.send(staff("ana"), OpenTable(name="T", **what, bank=BANK, alone_up_to=alone_up_to))
    return table


@BOTH
def test_who_opens_a_table_moves_nothing_alone_before_another_approved(game: type[Banked]) -> None:
    """The attack: open with all of `alone_up_to`, then top up twice and take it out."""
    table = opened_by_one(game, alone_up_to=BANK)
    for direction in ("top_up", "drop"):
        assert ask(table, direction, 1) == "opening_pending"
    assert approve(table, OPENING, by="Ana") == "own_request"
    assert (table.state.bank, table.state.office.alone_up_to) == (0, 0)
    assert table.of(BankChangeRequested, everything=True)[0].alone_up_to == BANK, "who approves sees it"
    assert approve(table, OPENING) is None
    assert ask(table, "top_up", BANK) is None
    assert table.state.bank == 2 * BANK


@BOTH
def test_an_opening_that_was_declined_lets_nobody_move_anything_alone(game: type[Banked]) -> None:
    table = opened_by_one(game, alone_up_to=BANK)
    assert table.send(staff("ana"), DeclineBankChange(change=OPENING, reason="around it")) is None
    assert ask(table, "top_up", 1, OPENING) == "change_used"
    assert ask(table, "top_up", 1, "c1") is None
    assert table.state.bank == 0
    assert approve(table, "c1") is None
    assert ask(table, "top_up", 2, "c2") is None
    assert table.state.bank == 1, "a cent approved is no opening approved"


@BOTH
def test_no_more_may_be_moved_alone_than_the_bank_opens_with(game: type[Banked]) -> None:
    table = opened_by_one(game, alone_up_to=BANK + 1)
    assert (table.refused.reason if table.refused else None, table.state.status) == ("alone_above_bank", "new")
    assert opened_by_one(game, alone_up_to=BANK).refused is None


def test_a_bank_opened_empty_lets_nobody_move_anything_alone() -> None:
    table = CoupTable(MACAU, bank=0)
    assert ask(table, "top_up", 5, OPENING) == "change_used", "the name is the opening's"
    assert ask(table, "top_up", 5) is None
    assert approve(table) is None
    assert ask(table, "top_up", 5, "c2") is None
    assert table.state.bank == 5


@BOTH
def test_a_journal_from_before_still_says_what_was_approved(game: type[Banked]) -> None:
    """Its request of the opening says nothing of `alone_up_to`; the bank's opening does."""
    table = opened_by_one(game, alone_up_to=1_000)
    assert approve(table, OPENING) is None
    state = Table(table=table.state.table)
    for event in table.told:
        before = replace(event, alone_up_to=0) if isinstance(event, BankChangeRequested) else event
        state = refolded(state, before, None)
    assert state.office == table.state.office
    assert state.office.alone_up_to == 1_000


@BOTH
def test_one_may_move_alone_what_the_table_lets_and_no_more_in_small_pieces(game: type[Banked]) -> None:
    table = opened_by_one(game, alone_up_to=1_000)
    assert approve(table, OPENING) is None
    assert ask(table, "top_up", 600, "a1") is None
    assert table.of(BankToppedUp)[0].requested_by == table.of(BankToppedUp)[0].by == "ana"
    assert ask(table, "top_up", 600, "a2") is None
    assert table.of(BankToppedUp) == []
    assert ask(table, "drop", 400, "a3", by="rui") is None, "what is left, whoever moves it"
    assert table.of(BankDropped) != []
    assert ask(table, "top_up", 1, "a4") is None
    assert table.of(BankToppedUp) == []
    assert approve(table, "a2") is None
    assert ask(table, "top_up", 1_000, "a5") is None
    assert table.of(BankToppedUp) != [], "two have agreed in between"


def test_limits_that_the_bank_or_the_house_can_not_bear_are_refused() -> None:
    table = CoupTable()
    need = worst(table)
    assert table.open(bank=need) is None
    assert table.open(bank=need - 1) == "bank_too_small"
    assert str(need) in (table.refused.detail if table.refused is not None else "")
    assert table.open(bank=need, risk_limit=need - 1) == "above_risk_limit"
    assert table.open(bank=2 * need, risk_limit=need) is None
    assert NoDraw(bank=worst(NoDraw()) - 1).refused_opening == "bank_too_small"
    assert CoupTable(MACAU, bank=0).state.bank == 0  # unlimited by the regulation: nothing to measure it against


def test_new_limits_are_held_against_the_bank_too() -> None:
    table = CoupTable(seats=2)
    assert table.open(bank=worst(table), seats=2) is None
    assert table.change(2, seats=3) == "bank_too_small"
    assert ask(table, "top_up", worst(table)) is None
    assert approve(table) is None
    assert table.change(2, seats=3) == "above_risk_limit"
    assert table.change(2, seats=1) is None


@BOTH
def test_two_of_the_staff_fill_it(game: type[Banked]) -> None:
    table = game(bank=BANK)
    assert ask(table, "top_up", 5000) is None
    requested = table.of(BankChangeRequested)[0]
    assert (requested.direction, requested.amount, requested.by, requested.reason) == ("top_up", 5000, "ana", "shift")
    assert table.state.bank == BANK
    assert approve(table, by="ana") == "own_request"
    assert approve(table, by="rui") is None
    topped = table.of(BankToppedUp)[0]
    assert (topped.amount, topped.bank, topped.requested_by, topped.by) == (5000, BANK + 5000, "ana", "rui")
    assert table.state.bank == BANK + 5000
    assert approve(table, by="rui") == "no_such_change"
    assert ask(table, "top_up", 5000) == "change_used"


@BOTH
def test_a_declined_change_moves_nothing_and_is_spent(game: type[Banked]) -> None:
    table = game(bank=BANK)
    assert ask(table, "drop", 1) is None
    assert table.send(staff("rui"), DeclineBankChange(change="c1", reason="not now")) is None
    assert table.of(BankChangeDeclined)[0].requested_by == "ana"
    assert approve(table) == "no_such_change"
    assert table.state.bank == BANK


@BOTH
def test_a_drop_leaves_the_worst_case_and_waits_for_the_round(game: type[Banked]) -> None:
    table = game(bank=BANK)
    spare = BANK - worst(table)
    assert ask(table, "drop", BANK + 1) == "above_bank"
    assert ask(table, "drop", spare + 1) == "bank_too_small"
    assert ask(table, "drop", spare) is None
    assert ask(table, "drop", 1, change="c2") is None
    assert approve(table) is None
    dropped = table.of(BankDropped)[0]
    assert (dropped.amount, dropped.bank) == (spare, BANK - spare)
    assert approve(table, "c2") == "bank_too_small"  # what was there when it was asked for has gone


def test_nothing_is_dropped_while_bets_lie_on_the_table() -> None:
    table = CoupTable(MACAU).seat(1).betting()
    assert ask(table, "drop", 1) is None
    assert table.bet(1, "ponto 1000") is None
    assert approve(table) == "round_runs"
    table.close_bets()
    assert approve(table) is None


@BOTH
def test_players_and_policies_do_not_touch_it(game: type[Banked]) -> None:
    table = game(bank=BANK)
    fields: dict[str, Any] = {"change": "c1", "direction": "top_up", "amount": 1, "reason": "mine"}
    assert table.send(Principal("player", "p1"), RequestBankChange(**fields)) == "not_allowed"
    assert ask(table, "top_up", 1) is None
    assert table.send(Principal("policy", "wallet"), approval_of(table.state, "c1")) == "not_allowed"


@BOTH
def test_it_goes_home_before_the_table_closes(game: type[Banked]) -> None:
    table = game(bank=BANK)
    assert table.send(staff("ana"), CloseTable(reason="night")) is None
    assert table.names[-2:] == ["BankClosed", "TableClosed"]
    assert table.of(BankClosed)[0].amount == BANK
    assert (table.state.bank, table.state.books.banked) == (0, 0)


def test_a_bank_below_the_worst_case_is_told_once_and_takes_no_bets_until_it_is_filled() -> None:
    table = CoupTable(bank=worst(CoupTable())).seat(1)
    table.plays("9c 2d Kh Ks", s1=["ponto 1000"])
    alarm = table.of(BankAlarmRaised)[0]
    assert (alarm.bank, alarm.exposure) == (worst(table) - 1000, worst(table))
    table.now += 60_000
    table.wake()
    assert table.state.round is None
    assert ask(table, "top_up", 1000) is None
    assert approve(table) is None
    assert not table.state.office.alarmed
    table.wake()
    assert table.state.round is not None


def test_players_against_each_other_have_no_bank() -> None:
    table = TableUnderTest()
    assert table.of(BankOpened, everything=True) == []
    fields: dict[str, Any] = {"change": "c1", "direction": "top_up", "amount": 1, "reason": "why"}
    assert table.send(staff("ana"), RequestBankChange(**fields)) == "no_bank"
    opening = OpenTable(name="T", rulebook=PORTUGAL, configuration=configuration(PORTUGAL), bank=1)
    answer = decide(Table(table="t2"), opening, Given(0, None, staff("ana")))
    assert isinstance(answer, Rejected)
    assert answer.reason == "no_bank"
