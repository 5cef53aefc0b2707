"""A sitting, table against wallet: every chip played was reserved for it, and all that left the table came home, once.

The two journals are read apart, so either side may come first; `GRACE_MS` is what a policy may take in between.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from libs.contracts import table_events as t
from libs.contracts import wallet_events as w
from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from services.audit.verifying.findings import Finding, Kind

GRACE_MS = 30_000
NEVER = (1 << 53) - 1
"""Later than any time, milliseconds since the epoch."""
_AT_ONCE = -(1 << 53)
_NO_POLICY_MS = GRACE_MS - 5_000
"""So much sooner is missed what the other side tells before: no policy stands between, only clocks differ."""


@dataclass(slots=True)
class Reserve:
    table: str
    amount: int
    at: int
    ended: bool = False
    settled: bool = False
    """It ended with its sitting, and was not released since."""


@dataclass(slots=True)
class Sitting:
    """What both sides say of one sitting. `*_at` are milliseconds since the epoch."""

    table: str = ""
    account: str = ""
    used: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Reserve id to what the table seated or topped up with, and when."""
    reserves: dict[str, Reserve] = field(default_factory=dict)
    given_up: dict[str, int] = field(default_factory=dict)
    """Reserve id to the time at which the table gave the seat or the top-up up."""
    released: dict[str, int] = field(default_factory=dict)
    """Reserve id to the time at which the wallet gave it back."""
    refused: set[str] = field(default_factory=set)
    """Reserve ids that the wallet will never reserve."""
    left_with: int | None = None
    left_at: int = 0
    returned: int | None = None
    returned_at: int = 0
    waits: int = 0
    """Since when something is missing or does not agree; `NEVER`: as far as it goes, it agrees. 0: not known."""


def sitting_of(fact: Fact) -> str | None:
    """The sitting that a fact of either service is about."""
    match fact:
        case t.PlayerSeated() | t.SeatReleased() | t.TopUpAdded() | t.TopUpFailed() | t.PlayerLeft() | t.RefundSent():
            return fact.reservation
        case w.FundsReserved() | w.ReserveRefused() | w.FundsReleased() | w.SittingSettled():
            return fact.sitting
        case _:
            return None


def note(sitting: Sitting, event: PublicEvent, fact: Fact, heard: int = NEVER) -> None:
    """Takes one of its facts. `heard`: when it was, milliseconds since the epoch: the other side is waited for from no
    later than that, for whoever writes an event may tell a time that has not come."""
    at = min(event.time, heard)
    match fact:
        case t.PlayerSeated():
            sitting.table = event.stream
            sitting.used[fact.reservation] = (fact.amount, at)
        case t.TopUpAdded():
            sitting.used[fact.top_up] = (fact.amount, at)
        case t.SeatReleased():
            sitting.given_up[fact.reservation] = at
        case t.TopUpFailed():
            sitting.given_up[fact.top_up] = at
        case t.PlayerLeft():
            sitting.left_with, sitting.left_at = (sitting.left_with or 0) + fact.stack, at
        case t.RefundSent():
            # Of a hand that was void after they had left: it comes home as well (pt-811-2015 72).
            sitting.left_with, sitting.left_at = (sitting.left_with or 0) + fact.amount, at
        case w.FundsReserved():
            sitting.account = event.stream
            sitting.reserves[fact.reserve] = Reserve(fact.table, fact.amount, at)
        case w.ReserveRefused():
            sitting.refused.add(fact.reserve)
        case w.FundsReleased():
            sitting.account = event.stream
            sitting.released[fact.reserve] = at
            if (reserve := sitting.reserves.get(fact.reserve)) is not None:
                reserve.ended, reserve.settled = True, False
        case w.SittingSettled():
            sitting.returned, sitting.returned_at = (sitting.returned or 0) + fact.returned, at
            for reserve in sitting.reserves.values():
                reserve.settled |= not reserve.ended
                reserve.ended = True
        case _:
            pass
    sitting.waits = min((since for since, _ in _complaints("", sitting)), default=NEVER)


def is_over(sitting: Sitting) -> bool:
    """Whether both sides have said all that is to come of it, and the same."""
    if not all(reserve.ended for reserve in sitting.reserves.values()):
        return False
    if not sitting.released.keys() <= sitting.given_up.keys():
        return False
    if any(reserve.settled for name, reserve in sitting.reserves.items() if name in sitting.given_up):
        return False
    if sitting.used or sitting.left_with is not None:
        return sitting.left_with is not None and sitting.left_with == sitting.returned
    asked = sitting.reserves.keys() | sitting.refused | sitting.released.keys()
    return bool(asked) and asked == sitting.given_up.keys()


def check_sitting(name: str, sitting: Sitting, now: int, grace_ms: int = GRACE_MS) -> Iterator[Finding]:
    """What does not agree at `now`, milliseconds since the epoch."""
    return (finding for since, finding in _complaints(name, sitting) if since < now - grace_ms)


_Complaint = tuple[int, Finding]
"""Since when (milliseconds since the epoch), and what."""


def _complaints(name: str, sitting: Sitting) -> Iterator[_Complaint]:
    yield from _covered(name, sitting)
    yield from _homecoming(name, sitting)
    yield from _ended(name, sitting)
    yield from _released(name, sitting)


def _covered(name: str, sitting: Sitting) -> Iterator[_Complaint]:
    for reserve_id, (amount, at) in sitting.used.items():
        reserve = sitting.reserves.get(reserve_id)
        if reserve is None:
            detail = f"sitting {name} played {amount} that no reserve covers"
            yield at - _NO_POLICY_MS, Finding(Kind.RESERVE, sitting.table, detail)
        elif (reserve.amount, reserve.table) != (amount, sitting.table):
            detail = f"sitting {name} played {amount}, {reserve.amount} was reserved for it"
            yield _AT_ONCE, Finding(Kind.RESERVE, sitting.table, detail)


def _homecoming(name: str, sitting: Sitting) -> Iterator[_Complaint]:
    left, returned = sitting.left_with, sitting.returned
    if left is not None and returned is None:
        detail = f"sitting {name} left with {left} and nothing came home"
        yield sitting.left_at, Finding(Kind.RESERVE_OPEN, sitting.table, detail)
    if left is None and returned is not None:
        detail = f"{returned} came home from sitting {name}, which has not left"
        yield sitting.returned_at - _NO_POLICY_MS, Finding(Kind.RESERVE, sitting.account, detail)
    # A refund may be on its way behind the stack (pt-811-2015 72).
    if left is not None and returned is not None and left != returned:
        detail = f"sitting {name} left with {left}, {returned} came home"
        at = max(sitting.left_at, sitting.returned_at)
        yield at, Finding(Kind.RESERVE, sitting.account or sitting.table, detail)


def _ended(name: str, sitting: Sitting) -> Iterator[_Complaint]:
    for reserve_id, given_up in sitting.given_up.items():
        reserve = sitting.reserves.get(reserve_id)
        if reserve is not None and not reserve.ended:
            detail = f"reserve {reserve_id} of {reserve.amount} was given up by the table and never ended"
            yield max(given_up, reserve.at), Finding(Kind.RESERVE_OPEN, sitting.account, detail)
        elif reserve is not None and reserve.settled:
            detail = f"reserve {reserve_id} of {reserve.amount} was given up by the table and ended with sitting {name}"
            yield max(given_up, sitting.returned_at), Finding(Kind.RESERVE_OPEN, sitting.account, detail)


def _released(name: str, sitting: Sitting) -> Iterator[_Complaint]:
    """An account alone does not tell whether a top-up that comes home after its sitting was played."""
    for reserve_id, at in sitting.released.items():
        what = f"reserve {reserve_id} of sitting {name} was given back"
        if reserve_id in sitting.used:
            yield _AT_ONCE, Finding(Kind.RESERVE, sitting.account, f"{what}, and the table has played it")
        elif reserve_id not in sitting.reserves:
            # It comes behind its reserve, in one stream; and a sitting is over once what was given up is home.
            yield _AT_ONCE, Finding(Kind.RESERVE, sitting.account, f"{what}, and the sitting was over or had none such")
        elif reserve_id not in sitting.given_up:
            detail = f"{what}, and the table has not given it up"
            yield at - _NO_POLICY_MS, Finding(Kind.RESERVE, sitting.account, detail)
