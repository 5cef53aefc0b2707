"""What a platform's credential may deposit in a day, where the file of credentials bounds it."""

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from libs.contracts.messages import Reply
from libs.edge.problems import Problem
from services.gateway.app.commands import Order

DAY_MS = 86_400_000


@dataclass(slots=True)
class DailyDeposits:
    """Counted by this gateway since it runs: several gateways let so much through each, and a start begins anew.

    It bounds what a stolen credential can do before somebody looks, it keeps no books.
    """

    bounds: Callable[[str], Mapping[str, int]]
    """Of a credential: minor units a day (UTC) by currency; what is not named has no bound."""
    now: Callable[[], int] = field(default=lambda: time.time_ns() // 1_000_000)
    _day: int = 0
    _references: set[tuple[str, str]] = field(default_factory=set, repr=False)
    """By credential: a repetition counts once."""
    _taken: Counter[tuple[str, str]] = field(default_factory=Counter, repr=False)
    """By credential and currency, minor units."""

    async def within(self, order: Order, submit: Callable[[Order], Awaitable[Reply]]) -> Reply:
        """`Problem` 403 above the bound. What was refused takes nothing of it."""
        claim, by = order.claim, order.principal
        bound = self.bounds(by.id).get(claim.currency) if claim and by.kind == "operator" else None
        if claim is None or bound is None or claim.purpose != "deposit":
            return await submit(order)
        self._turn()
        reference, account = (by.id, claim.reference), (by.id, claim.currency)
        if reference in self._references:
            return await submit(order)
        left = bound - self._taken[account]
        if claim.amount > left:
            detail = f"This credential may deposit {bound} minor units of {claim.currency} a day, and now {left}."
            raise Problem(403, "daily-deposits", detail, currency=claim.currency, bound=bound, left=left)
        self._references.add(reference)
        self._taken[account] += claim.amount
        day = self._day
        reply = await submit(order)  # an outcome that is unknown stays counted
        if reply.verdict != "accepted" and day == self._day:
            self._references.discard(reference)
            self._taken[account] -= claim.amount
        return reply

    def _turn(self) -> None:
        day = self.now() // DAY_MS
        if day != self._day:
            self._day, self._references, self._taken = day, set(), Counter()
