"""Conservation in a table's escrow at the wallet: no more goes home than was brought there (adr/0022).

What goes home is held against what the table says, and what the account takes, as a sitting (`sittings.py`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from libs.contracts import escrow_events as e
from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from services.audit.verifying.findings import Finding, Kind


@dataclass(slots=True)
class Escrowed:
    """Fold of one escrow. All of it is read from its beginning: there was none before."""

    left: dict[str, int] = field(default_factory=dict)
    """By currency, minor units."""
    at_risk: int = 0
    """What the house accepts to lose beyond a bank, and has not lost, minor units."""


def check_escrow(escrow: Escrowed, event: PublicEvent, fact: Fact) -> Iterator[Finding]:
    """Folds one event of one escrow and yields what does not agree after it."""
    if not isinstance(fact, e.EscrowEvent):
        return
    before = escrow.left.get(fact.currency, 0)
    due = before + _change(fact, escrow.at_risk)
    if isinstance(fact, e.HomeCovered) and due < 0:
        detail = f"{fact.claim.amount} goes home, and {before} lies at the table"
        yield Finding(Kind.ACCOUNT, event.stream, detail, event.version)
    elif fact.left != due:
        detail = f"{fact.left} is said to lie at the table, which has {due}"
        yield Finding(Kind.ACCOUNT, event.stream, detail, event.version)
    escrow.left[fact.currency] = fact.left
    if isinstance(fact, e.RiskNoted):
        escrow.at_risk = fact.amount
    elif isinstance(fact, e.CoverNoted):
        escrow.at_risk = max(0, escrow.at_risk - fact.amount)


def _change(fact: e.EscrowEvent, at_risk: int) -> int:
    match fact:
        case e.ReserveNoted() | e.RiskNoted():
            return fact.amount
        case e.BankNoted():
            return fact.amount if fact.direction == "top_up" else -fact.amount
        case e.BankReturned():
            return -fact.amount - at_risk
        case e.HomeCovered():
            return -fact.claim.amount
        case _:
            return 0
