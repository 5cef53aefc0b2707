"""How the events of a bank change what is remembered of the table."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from libs.contracts.bank_events import (
    BankAlarmRaised,
    BankChangeDeclined,
    BankChangeRequested,
    BankClosed,
    BankCovered,
    BankDropped,
    BankOpened,
    BankToppedUp,
)
from libs.contracts.facts import TableEvent
from services.table.domain.table.bank.state import BankChange
from services.table.domain.table.state import Table


def _opened(state: Table, event: BankOpened) -> Table:
    return replace(_moved(state, event.amount), office=replace(state.office, risk_limit=event.risk_limit))


def _requested(state: Table, event: BankChangeRequested) -> Table:
    change = BankChange(direction=event.direction, amount=event.amount, by=event.by)
    office = replace(state.office, pending={**state.office.pending, event.change: change})
    return replace(state, office=office, used_ids=state.used_ids | {event.change})


def _topped_up(state: Table, event: BankToppedUp) -> Table:
    return _moved(_without(state, event.change, alarmed=False), event.amount)


def _dropped(state: Table, event: BankDropped) -> Table:
    return _moved(_without(state, event.change, alarmed=state.office.alarmed), -event.amount)


def _declined(state: Table, event: BankChangeDeclined) -> Table:
    return _without(state, event.change, alarmed=state.office.alarmed)


def _alarmed(state: Table, event: BankAlarmRaised) -> Table:
    return replace(state, office=replace(state.office, alarmed=True))


def _covered(state: Table, event: BankCovered) -> Table:
    return _moved(state, event.amount)


def _closed(state: Table, event: BankClosed) -> Table:
    return _moved(replace(state, office=replace(state.office, pending={})), -event.amount)


def _moved(state: Table, amount: int) -> Table:
    books = replace(state.books, banked=state.books.banked + amount)
    return replace(state, bank=state.bank + amount, books=books)


def _without(state: Table, change: str, alarmed: bool) -> Table:
    pending = {name: other for name, other in state.office.pending.items() if name != change}
    return replace(state, office=replace(state.office, pending=pending, alarmed=alarmed))


BANK_FOLDS: Mapping[type[TableEvent], Callable[[Table, Any], Table]] = {
    BankOpened: _opened,
    BankChangeRequested: _requested,
    BankToppedUp: _topped_up,
    BankDropped: _dropped,
    BankChangeDeclined: _declined,
    BankAlarmRaised: _alarmed,
    BankCovered: _covered,
    BankClosed: _closed,
}
