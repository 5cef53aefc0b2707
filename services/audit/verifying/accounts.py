"""Conservation in a wallet account: available and reserved are what came in, less what went out, plus sittings."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from libs.contracts import wallet_events as w
from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from services.audit.verifying.findings import Finding, Kind


@dataclass(slots=True)
class Account:
    """Fold of one account. `available` and `reserved` are what the last *event* said; `due_*` what they should be."""

    available: int = 0
    reserved: int = 0
    due_available: int = 0
    due_reserved: int = 0
    deposits: int = 0
    withdrawals: int = 0
    settled: int = 0
    """What sittings brought home less what was reserved for them; below zero is a loss."""
    reserves: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Open reserves: id to (sitting, amount)."""
    references: set[str] = field(default_factory=set)
    events: int = 0


def check_account(account: Account, event: PublicEvent, fact: Fact) -> Iterator[Finding]:
    """Folds one event of one account and yields what does not agree after it."""
    account.events += 1
    step = _STEPS.get(type(fact))
    if step is None:
        return
    for kind, detail in step(account, fact):
        yield Finding(kind, event.stream, detail, event.version)
    if (account.available, account.reserved) != (account.due_available, account.due_reserved):
        detail = (
            f"told available {account.available} reserved {account.reserved}, "
            f"folded {account.due_available} and {account.due_reserved}"
        )
        yield Finding(Kind.ACCOUNT, event.stream, detail, event.version)
        # One break is reported once: go on from what was told.
        account.due_available, account.due_reserved = account.available, account.reserved
    if account.available < 0 or account.reserved < 0:
        yield Finding(Kind.NEGATIVE, event.stream, "an account is below zero", event.version)


Complaint = tuple[Kind, str]
Step = Callable[[Account, Any], Iterator[Complaint]]


def _deposited(account: Account, fact: w.FundsDeposited) -> Iterator[Complaint]:
    yield from _counts_once(account, f"deposit:{fact.reference}")
    account.deposits += fact.amount
    account.due_available += fact.amount
    _take(account, fact)


def _withdrawn(account: Account, fact: w.FundsWithdrawn) -> Iterator[Complaint]:
    yield from _counts_once(account, f"withdrawal:{fact.reference}")
    account.withdrawals += fact.amount
    account.due_available -= fact.amount
    _take(account, fact)


def _reserved(account: Account, fact: w.FundsReserved) -> Iterator[Complaint]:
    if fact.reserve in account.reserves:
        yield Kind.RESERVE, f"reserve {fact.reserve} is made twice"
    account.reserves[fact.reserve] = (fact.sitting, fact.amount)
    account.due_available -= fact.amount
    account.due_reserved += fact.amount
    _take(account, fact)


def _released(account: Account, fact: w.FundsReleased) -> Iterator[Complaint]:
    sitting, amount = account.reserves.pop(fact.reserve, ("", 0))
    if (sitting, amount) != (fact.sitting, fact.amount):
        yield Kind.RESERVE, f"reserve {fact.reserve} gives back {fact.amount}, {amount} was reserved"
    account.due_available += fact.amount
    account.due_reserved -= fact.amount
    _take(account, fact)


def _settled(account: Account, fact: w.SittingSettled) -> Iterator[Complaint]:
    ended = [reserve for reserve, (sitting, _) in account.reserves.items() if sitting == fact.sitting]
    brought = sum(account.reserves.pop(reserve)[1] for reserve in ended)
    if brought != fact.brought:
        yield Kind.RESERVE, f"sitting {fact.sitting} settles {fact.brought}, {brought} was reserved for it"
    account.settled += fact.returned - fact.brought
    account.due_available += fact.returned
    account.due_reserved -= fact.brought
    _take(account, fact)


def _charged(account: Account, fact: w.FeeCharged) -> Iterator[Complaint]:
    yield from _counts_once(account, f"fee:{fact.fee}")
    account.settled -= fact.amount
    account.due_available -= fact.amount
    _take(account, fact)


def _counts_once(account: Account, reference: str) -> Iterator[Complaint]:
    if reference in account.references:
        yield Kind.ACCOUNT, "an external reference counted twice"
    account.references.add(reference)


def _take(
    account: Account,
    fact: w.FundsDeposited | w.FundsWithdrawn | w.FundsReserved | w.FundsReleased | w.SittingSettled | w.FeeCharged,
) -> None:
    account.available, account.reserved = fact.available, fact.reserved


_STEPS: dict[type[Fact], Step] = {
    w.FundsDeposited: _deposited,
    w.FundsWithdrawn: _withdrawn,
    w.FundsReserved: _reserved,
    w.FundsReleased: _released,
    w.SittingSettled: _settled,
    w.FeeCharged: _charged,
}
