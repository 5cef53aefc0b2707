"""Conservation in a tournament's pool at the wallet: what it covers is what was noted as paid, and what two people have
promised of the house's money (adr/0021).

Each credit that it covers is held against what the account then pays as a passage (`tournaments.py`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from libs.contracts import pool_events as p
from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from services.audit.verifying.findings import Finding, Kind


@dataclass(slots=True)
class Covering:
    """Fold of one pool, minor units. All of it is read from its beginning: there was none before."""

    promised: int = 0
    came: int = 0
    """In payments and tickets."""
    out: int = 0
    """Covered, or paid before there were pools."""
    payments: dict[str, int] = field(default_factory=dict)
    """By name, tickets too."""
    credits: set[str] = field(default_factory=set)
    over: bool = False
    """So many of them that they are not kept any more: sums alone are looked at."""


MOST = 4_000
"""Names of one pool that are kept: a row is written with them at each batch."""


def check_pool(pool: Covering, event: PublicEvent, fact: Fact) -> Iterator[Finding]:
    """Folds one event of one pool and yields what does not agree after it."""
    for detail in _folded(pool, fact):
        yield Finding(Kind.ACCOUNT, event.stream, detail, event.version)
    if len(pool.payments) + len(pool.credits) > MOST:
        pool.payments.clear()
        pool.credits.clear()
        pool.over = True


def _folded(pool: Covering, fact: Fact) -> Iterator[str]:
    match fact:
        case p.TermsNoted():
            pool.promised = fact.terms.promised
        case p.PaymentNoted():
            yield from _came(pool, f"payment {fact.payment}", fact.amount)
        case p.TicketNoted():
            yield from _came(pool, f"ticket {fact.ticket}", fact.amount)
        case p.CreditNoted():
            pool.credits.add(fact.credit)
            pool.out += fact.amount
        case p.CreditCovered():
            claim = fact.claim
            if claim.name in pool.credits:
                yield f"credit {claim.name} is covered twice"
            pool.credits.add(claim.name)
            pool.out += claim.amount
            paid = pool.payments.get(f"payment {claim.name}")
            if claim.why == "return" and paid != claim.amount and not pool.over:
                yield f"payment {claim.name} of {claim.amount} is covered as a return, and {paid} was noted"
            if pool.out > pool.came + pool.promised:
                yield f"{pool.out} is covered, of {pool.came} that came and {pool.promised} that was promised"


def _came(pool: Covering, name: str, amount: int) -> Iterator[str]:
    if name in pool.payments:
        yield f"{name} is noted twice"
    pool.payments[name] = amount
    pool.came += amount
