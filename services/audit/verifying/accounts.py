"""Conservation in a wallet account: what is available and held is what came in, less what went out, plus sittings."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from libs.contracts import wallet_events as w
from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from services.audit.verifying.findings import Finding, Kind


@dataclass(slots=True)
class Account:
    """Fold of one account. `available` and `held` are what the last *event* said; `due_*` what they should be."""

    available: int = 0
    held: int = 0
    due_available: int = 0
    due_held: int = 0
    deposits: int = 0
    withdrawals: int = 0
    settled: int = 0
    """What sittings brought home less what was held for them; below zero is a loss."""
    holds: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Open holds: id to (sitting, amount)."""
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
    if (account.available, account.held) != (account.due_available, account.due_held):
        detail = (
            f"told available {account.available} held {account.held}, "
            f"folded {account.due_available} and {account.due_held}"
        )
        yield Finding(Kind.ACCOUNT, event.stream, detail, event.version)
        # One break is reported once: go on from what was told.
        account.due_available, account.due_held = account.available, account.held
    if account.available < 0 or account.held < 0:
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


def _held(account: Account, fact: w.FundsHeld) -> Iterator[Complaint]:
    if fact.hold in account.holds:
        yield Kind.HOLD, f"hold {fact.hold} is made twice"
    account.holds[fact.hold] = (fact.sitting, fact.amount)
    account.due_available -= fact.amount
    account.due_held += fact.amount
    _take(account, fact)


def _released(account: Account, fact: w.HoldReleased) -> Iterator[Complaint]:
    sitting, amount = account.holds.pop(fact.hold, ("", 0))
    if (sitting, amount) != (fact.sitting, fact.amount):
        yield Kind.HOLD, f"hold {fact.hold} gives back {fact.amount}, it held {amount}"
    account.due_available += fact.amount
    account.due_held -= fact.amount
    _take(account, fact)


def _settled(account: Account, fact: w.HoldSettled) -> Iterator[Complaint]:
    ended = [hold for hold, (sitting, _) in account.holds.items() if sitting == fact.sitting]
    brought = sum(account.holds.pop(hold)[1] for hold in ended)
    if brought != fact.brought:
        yield Kind.HOLD, f"sitting {fact.sitting} settles {fact.brought}, {brought} was held for it"
    account.settled += fact.returned - fact.brought
    account.due_available += fact.returned
    account.due_held -= fact.brought
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
    fact: w.FundsDeposited | w.FundsWithdrawn | w.FundsHeld | w.HoldReleased | w.HoldSettled | w.FeeCharged,
) -> None:
    account.available, account.held = fact.available, fact.held


_STEPS: dict[type[Fact], Step] = {
    w.FundsDeposited: _deposited,
    w.FundsWithdrawn: _withdrawn,
    w.FundsHeld: _held,
    w.HoldReleased: _released,
    w.HoldSettled: _settled,
    w.FeeCharged: _charged,
}
