"""What a platform's credential may deposit in a day, where the file of credentials bounds it."""

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from libs.contracts.messages import Reply
from libs.contracts.wallet_commands import ClaimReference
from libs.edge.problems import Problem
from services.gateway.app.commands import Order

DAY_MS = 86_400_000
_UNKNOWN = 500
"""Problems from here on say nothing of what became of the deposit."""


@dataclass(slots=True)
class _Deposit:
    """One deposit, however often it is asked for."""

    under_way: int = 0
    kept: bool = False
    """It was made, or nobody knows."""


@dataclass(slots=True)
class DailyDeposits:
    """Counted by this gateway since it runs: several gateways let so much through each, and a start begins anew.

    It bounds what a stolen credential can do before somebody looks, it keeps no books.
    """

    bounds: Callable[[str], Mapping[str, int]]
    """Of a credential: minor units a day (UTC) by currency; what is not named has no bound."""
    now: Callable[[], int] = field(default=lambda: time.time_ns() // 1_000_000)
    _day: int = 0
    _counted: dict[tuple[str, ClaimReference], _Deposit] = field(default_factory=dict, repr=False)
    """By credential. A repetition counts once; the same reference with other content is another one until refused."""
    _taken: Counter[tuple[str, str]] = field(default_factory=Counter, repr=False)
    """By credential and currency, minor units."""

    async def within(self, order: Order, submit: Callable[[Order], Awaitable[Reply]]) -> Reply:
        """`Problem` 403 above the bound. What was refused takes nothing of it."""
        claim, by = order.claim, order.principal
        bound = self.bounds(by.id).get(claim.currency) if claim and by.kind == "operator" else None
        if claim is None or bound is None or claim.purpose != "deposit":
            return await submit(order)
        self._turn()
        asked, account = (by.id, claim), (by.id, claim.currency)
        deposit = self._counted.get(asked)
        if deposit is None:
            left = bound - self._taken[account]
            if claim.amount > left:
                detail = f"This credential may deposit {bound} minor units of {claim.currency} a day, and now {left}."
                raise Problem(403, "daily-deposits", detail, currency=claim.currency, bound=bound, left=left)
            deposit = self._counted[asked] = _Deposit()
            self._taken[account] += claim.amount
        deposit.under_way += 1
        kept = True
        try:
            reply = await submit(order)
            kept = reply.verdict == "accepted"
        except Problem as refused:
            kept = refused.status >= _UNKNOWN
            raise
        finally:
            deposit.under_way -= 1
            deposit.kept |= kept
            # Not before the last one is back: it may be the one that is accepted. Yesterday's count is gone.
            if not deposit.under_way and not deposit.kept and self._counted.get(asked) is deposit:
                del self._counted[asked]
                self._taken[account] -= claim.amount
        return reply

    def _turn(self) -> None:
        day = self.now() // DAY_MS
        if day != self._day:
            self._day, self._counted, self._taken = day, {}, Counter()
