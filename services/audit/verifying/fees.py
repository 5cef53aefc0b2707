"""A session's fee (pt-217-2007 7.b), table against wallet: what a table asks for is charged or refused, once, and that.

The two journals are read apart, so either side may come first.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from libs.contracts import poker_events as p
from libs.contracts import wallet_events as w
from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.contracts.wallet_commands import account_id
from libs.money.play import kind_of
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.sittings import GRACE_MS


@dataclass(slots=True)
class Fee:
    """What both sides say of one fee. `*_at` are milliseconds since the epoch."""

    table: str = ""
    account: str = ""
    """Whose it is, by the table."""
    due: int | None = None
    due_at: int = 0
    answered_by: str = ""
    """Account that was charged, or refused."""
    answered: int | None = None
    answered_at: int = 0
    at_table: str = ""
    """By the wallet."""


def fee_of(fact: Fact) -> str | None:
    """The fee that a fact of either service is about."""
    return fact.fee if isinstance(fact, p.SessionFeeDue | w.FeeCharged | w.FeeRefused) else None


def note_fee(fee: Fee, event: PublicEvent, fact: Fact) -> None:
    """Takes one of its facts."""
    match fact:
        case p.SessionFeeDue():
            fee.table, fee.account = event.stream, account_id(fact.player, fact.currency, kind_of(fact.currency))
            fee.due, fee.due_at = fact.amount, event.time
        case w.FeeCharged() | w.FeeRefused():
            fee.answered_by, fee.at_table = event.stream, fact.table
            fee.answered, fee.answered_at = fact.amount, event.time
        case _:
            pass


def is_answered(fee: Fee) -> bool:
    """Whether both sides have said all that is to come of it, and the same."""
    asked = (fee.due, fee.account, fee.table)
    return fee.due is not None and asked == (fee.answered, fee.answered_by, fee.at_table)


def check_fee(name: str, fee: Fee, now: int, grace_ms: int = GRACE_MS) -> Iterator[Finding]:
    """What does not agree at `now`, milliseconds since the epoch."""
    old = now - grace_ms
    if fee.answered is None and fee.due is not None and fee.due_at < old:
        detail = f"fee {name} of {fee.due} fell due and was neither charged nor refused by {fee.account}"
        yield Finding(Kind.FEE_OPEN, fee.table, detail)
    if fee.due is None and fee.answered is not None and fee.answered_at < old:
        yield Finding(Kind.FEE, fee.answered_by, f"fee {name} of {fee.answered} was asked for by no table")
    if None not in (fee.due, fee.answered) and not is_answered(fee):
        detail = f"fee {name} is {fee.due} of {fee.account}, and {fee.answered} of {fee.answered_by} by the wallet"
        yield Finding(Kind.FEE, fee.table, detail)
