"""Conservation in a wallet account: available and reserved are what came in, less what went out, plus sittings."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import get_args

from libs.contracts import wallet_events as w
from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.contracts.wallet_commands import claimant
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.kept import Known

_AHEAD_MS = 86_400_001
"""So much later than the end of what it forgets an account may draw the line: clocks may differ by a day."""
_Complaint = tuple[Kind, str]
_Reserve = tuple[str, int]
"""Sitting and amount."""


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
    reserves: dict[str, _Reserve] = field(default_factory=dict)
    """The open ones, by id."""
    top_ups: dict[str, _Reserve] = field(default_factory=dict)
    """By id, those settled with their sitting since the last `SittingsForgotten`: the table may still say that they
    never became chips, and then they come home, too."""
    former_top_ups: dict[str, _Reserve] = field(default_factory=dict)
    """Of the time between the last two: what the account forgets with the next one (adr/0016)."""
    references: set[str] = field(default_factory=set)
    events: int = 0
    turned_at: int = 0
    """When the account last told `ReferencesForgotten`, milliseconds since the epoch; 0: never, or not known."""


def check_account(
    account: Account, event: PublicEvent, fact: Fact, counted: Known[str] | None = None
) -> Iterator[Finding]:
    """Folds one event of one account and yields what does not agree after it. `counted`: references, elsewhere than in
    the account."""
    account.events += 1
    if isinstance(fact, w.SittingsForgotten):
        account.former_top_ups, account.top_ups = account.top_ups, {}
    if isinstance(fact, w.ReferencesForgotten):
        if account.turned_at and fact.before > account.turned_at + _AHEAD_MS:
            detail = f"refuses what answers events of before {fact.before}, and remembers all since {account.turned_at}"
            yield Finding(Kind.ACCOUNT, event.stream, detail, event.version)
        account.turned_at = fact.at
    if not isinstance(fact, _MOVES):
        return
    once = partial(_counts_once, account.references if counted is None else counted, event.stream)
    for kind, detail in _moved(account, fact, once):
        yield Finding(kind, event.stream, detail, event.version)
    account.available, account.reserved = fact.available, fact.reserved
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


def keep_latest_top_ups(account: Account, most: int) -> None:
    """Forgets the settled top-ups beyond so many, those that were settled first before others."""
    for held in (account.former_top_ups, account.top_ups):
        beyond = len(account.former_top_ups) + len(account.top_ups) - most
        for reserve in list(islice(held, max(beyond, 0))):
            del held[reserve]


_Move = (
    w.FundsDeposited | w.FundsWithdrawn | w.FundsReserved | w.FundsReleased | w.SittingSettled | w.FeeCharged
    | w.TournamentPaid | w.TournamentCredited
)  # fmt: skip
_MOVES = get_args(_Move)


def _moved(account: Account, fact: _Move, once: Callable[[str], Iterator[_Complaint]]) -> Iterator[_Complaint]:
    """What should be there after it, and what does not agree about it."""
    available, reserved = 0, 0
    match fact:
        case w.FundsDeposited():
            yield from once(f"deposit:{claimant(fact.by)}:{fact.reference}")
            account.deposits += fact.amount
            available = fact.amount
        case w.FundsWithdrawn():
            yield from once(f"withdrawal:{claimant(fact.by)}:{fact.reference}")
            account.withdrawals += fact.amount
            available = -fact.amount
        case w.FundsReserved():
            if any(fact.reserve in held for held in (account.reserves, account.top_ups, account.former_top_ups)):
                yield Kind.RESERVE, f"reserve {fact.reserve} is made twice"
            account.reserves[fact.reserve] = (fact.sitting, fact.amount)
            available, reserved = -fact.amount, fact.amount
        case w.FundsReleased():
            late = _settled_top_up(account, fact.reserve)
            sitting, amount = late or account.reserves.pop(fact.reserve, ("", 0))
            if (sitting, amount) != (fact.sitting, fact.amount):
                yield Kind.RESERVE, f"reserve {fact.reserve} gives back {fact.amount}, {amount} was reserved"
            # What was settled with its sitting is reserved no more, and was counted as lost there.
            account.settled += fact.amount if late else 0
            available, reserved = fact.amount, 0 if late else -fact.amount
        case w.SittingSettled():
            names = [reserve for reserve, (sitting, _) in account.reserves.items() if sitting == fact.sitting]
            ended = {reserve: account.reserves.pop(reserve) for reserve in names}
            brought = sum(amount for _, amount in ended.values())
            ended.pop(fact.sitting, None)  # the buy-in's reserve has the sitting's own id; the others were for top-ups
            account.top_ups |= ended
            if brought != fact.brought:
                yield Kind.RESERVE, f"sitting {fact.sitting} settles {fact.brought}, {brought} was reserved for it"
            account.settled += fact.returned - fact.brought
            available, reserved = fact.returned, -fact.brought
        case w.FeeCharged():
            yield from once(f"fee:{fact.fee}")
            account.settled -= fact.amount
            available = -fact.amount
        case w.TournamentPaid():
            yield from once(f"payment:{fact.tournament}:{fact.payment}")
            account.settled -= fact.amount
            available = -fact.amount
        case w.TournamentCredited():
            yield from once(f"credit:{fact.tournament}:{fact.credit}")
            account.settled += fact.amount
            available = fact.amount
    account.due_available += available
    account.due_reserved += reserved


def _settled_top_up(account: Account, reserve: str) -> _Reserve | None:
    """Takes it out; None: an open reserve, or not known."""
    if reserve in account.reserves:
        return None
    return account.top_ups.pop(reserve, None) or account.former_top_ups.pop(reserve, None)


def _counts_once(counted: Known[str], stream: str, reference: str) -> Iterator[_Complaint]:
    whole = f"{stream}\x1f{reference}"
    if whole in counted:
        yield Kind.ACCOUNT, "an external reference counted twice"
    counted.add(whole)
