"""What people move at the cage: alone within bounds, and above them only when two have agreed.

The wallet decides so; here it is judged by what it told, and added up by person and day.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from libs.contracts import wallet_events as w
from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.contracts.people import person_of, same_person
from libs.contracts.wallet_commands import account_id, is_of_staff
from libs.money.cash import CashBounds
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.promises import day_of

_MOVED = w.FundsDeposited | w.FundsWithdrawn


@dataclass(slots=True)
class Cash:
    """Of one person on one day (UTC) in one currency of real money, minor units."""

    day: str = ""
    by: str = ""
    currency: str = ""
    deposited: int = 0
    """Alone, as is the next."""
    withdrawn: int = 0
    approved: int = 0
    """What another one had asked for and this one approved, in and out."""


@dataclass(slots=True)
class Request:
    """One deposit or withdrawal that waits for a second person, as long as it does."""

    account: str = ""
    player: str = ""
    currency: str = ""
    reference: str = ""
    purpose: str = ""
    amount: int = 0
    by: str = ""
    since: int = 0
    answered: bool = False


def cash_of(event: PublicEvent, fact: Fact) -> str:
    """Name of the person's day that it belongs to; empty: of none."""
    if not isinstance(fact, _MOVED) or not is_of_staff(fact.by):
        return ""
    if event.stream != account_id(fact.player, fact.currency):
        return ""  # play money
    return f"{day_of(event.time)} {fact.currency} {person_of(_id(fact.by))}"


def check_cash(cash: Cash, event: PublicEvent, fact: Fact, bounds: CashBounds) -> Iterator[Finding]:
    """Adds it up, and tells what one person moved alone above a bound."""
    assert isinstance(fact, _MOVED), "nothing else moves cash"
    cash.day, cash.by, cash.currency = day_of(event.time), fact.by, fact.currency
    what = "deposited" if isinstance(fact, w.FundsDeposited) else "withdrew"
    if fact.requested_by:
        cash.approved += fact.amount
        if same_person(_id(fact.requested_by), _id(fact.by)):
            detail = f"{fact.by} {what} {fact.amount} {fact.currency}, which nobody else had asked for"
            yield Finding(Kind.CASH, event.stream, detail, event.version)
        return
    if what == "deposited":
        cash.deposited += fact.amount
    else:
        cash.withdrawn += fact.amount
    if fact.amount > bounds.alone_up_to:
        detail = f"{fact.by} {what} {fact.amount} {fact.currency} alone: at most {bounds.alone_up_to} may be at once"
        yield Finding(Kind.CASH, event.stream, detail, event.version)
    if cash.deposited + cash.withdrawn > bounds.a_day:
        detail = f"{fact.by} moved more than {bounds.a_day} {fact.currency} alone on {cash.day}"
        yield Finding(Kind.CASH, "cash", detail)


def request_of(event: PublicEvent, fact: Fact) -> str:
    """Name of what waits, or waited, for a second person; empty: nothing did."""
    asked = isinstance(fact, w.CashRequested | w.CashDeclined)
    if asked or (isinstance(fact, w.FundsMoved) and fact.requested_by):
        return f"{event.stream}/{fact.reference}"  # type: ignore[attr-defined]
    return ""


def note_request(request: Request, event: PublicEvent, fact: Fact) -> Iterator[Finding]:
    """What was approved is what another one had asked for."""
    if isinstance(fact, w.CashRequested):
        request.account, request.player, request.currency = event.stream, fact.player, fact.currency
        request.reference, request.purpose, request.amount = fact.reference, fact.purpose, fact.amount
        request.by, request.since, request.answered = fact.by, event.time, False
        return
    if isinstance(fact, _MOVED):
        purpose = "deposit" if isinstance(fact, w.FundsDeposited) else "withdrawal"
        if request.answered or (request.by, request.purpose, request.amount) != (
            fact.requested_by,
            purpose,
            fact.amount,
        ):
            detail = f"{fact.by} approved a {purpose} of {fact.amount} {fact.currency} that nobody had asked for"
            yield Finding(Kind.CASH, event.stream, detail, event.version)
    request.answered = True


def _id(by: str) -> str:
    return by.partition(":")[2]
