"""What one of the staff moved alone above a bound is an incident, and who moved what on a day can be asked."""

from typing import Any

import pytest

from libs.contracts import wallet_events as w
from libs.money.cash import CashBounds
from libs.projecting import Pool
from libs.projecting.projector import project
from services.audit.incidents import incidents
from services.audit.projections.live_checks import LiveChecks
from services.audit.projections.waiting_checks import cash_on, cash_waiting
from services.audit.verifying.cash import Cash
from services.audit.verifying.findings import Kind
from tests.audit.scripted import Script
from tests.audit.test_live_checks import fresh, source_of
from tests.testkit.marks import AUDIT

pytestmark = pytest.mark.stack
DAY = "2023-11-14"
BOUNDS = CashBounds(alone_up_to=600, a_day=1_000)


class Cage(Script):
    """Deposits and withdrawals of real money; figures follow."""

    def __init__(self) -> None:
        super().__init__()
        self.available: dict[str, int] = {}

    def moved(self, player: str, amount: int, by: str = "staff:bo", **more: Any) -> None:
        what = w.FundsDeposited if amount > 0 else w.FundsWithdrawn
        self.available[player] = self.available.get(player, 0) + amount
        told = {"reference": f"r{len(self.events)}", "amount": abs(amount), "reserved": 0, "by": by, **more}
        self.at_wallet(player, what, available=self.available[player], **told)

    def requested(self, player: str, amount: int, reference: str, by: str = "staff:bo") -> None:
        self.at_wallet(player, w.CashRequested, reference=reference, purpose="deposit", amount=amount, by=by)


async def found(pool: Pool, cage: Cage, limit: int = 2) -> list[tuple[Kind, str, str]]:
    await project(pool, "audit", [LiveChecks(marks=AUDIT, cash=BOUNDS)], source_of(cage.events), limit=limit)
    async with pool.acquire() as connection:
        rows, _ = await incidents(connection, marks=AUDIT)
    return [(Kind(row.kind), row.severity, row.detail) for row in rows]


async def test_one_person_above_a_bound_is_told_and_two_are_not(database: str) -> None:
    pool = await fresh(database)
    cage = Cage()
    cage.moved("ann", 600)
    cage.moved("eve", 5_000, by="operator:acme")
    cage.moved("eve", -400)
    cage.requested("ann", 9_000, "big")
    cage.moved("ann", 9_000, by="staff:cy", reference="big", requested_by="staff:bo")
    assert await found(pool, cage) == []
    async with pool.acquire() as connection:
        assert await cash_on(connection, DAY, AUDIT) == [
            Cash(DAY, "staff:bo", "EUR", deposited=600, withdrawn=400),
            Cash(DAY, "staff:cy", "EUR", approved=9_000),
        ]
        assert await cash_waiting(connection, 10, AUDIT) == []

    cage.moved("eve", -1, by="staff:BO")
    cage.moved("ann", 601, by="staff:di")
    assert await found(pool, cage) == [
        (Kind.CASH, "major", "staff:BO moved more than 1000 EUR alone on 2023-11-14"),
        (Kind.CASH, "major", "staff:di deposited 601 EUR alone: at most 600 may be at once"),
    ]
    await pool.close()


async def test_what_nobody_else_had_asked_for_is_told(database: str) -> None:
    """As who had the wallet's login and marks would write it."""
    pool = await fresh(database)
    cage = Cage()
    cage.requested("ann", 9_000, "big")
    cage.requested("ann", 700, "open")
    cage.moved("ann", 9_000, by="staff:Bo", reference="big", requested_by="staff:bo")
    cage.moved("ann", 9_000, by="staff:cy", reference="never", requested_by="staff:bo")
    details = [detail for _, _, detail in await found(pool, cage)]
    assert details == [
        "staff:Bo deposited 9000 EUR, which nobody else had asked for",
        "staff:cy approved a deposit of 9000 EUR that nobody had asked for",
    ]
    async with pool.acquire() as connection:
        [waits] = await cash_waiting(connection, 10, AUDIT)
    assert (waits.player, waits.reference, waits.amount, waits.by) == ("ann", "open", 700, "staff:bo")
    await pool.close()


async def test_play_money_is_nothing_to_count(database: str) -> None:
    pool = await fresh(database)
    script = Cage()
    told = {"player": "ann", "currency": "EUR", "reference": "r", "reserved": 0, "by": "staff:bo"}
    account = "account-ann-EUR-demo"
    script.say(account, w.FundsDeposited(account=account, amount=10**6, available=10**6, **told))  # type: ignore[arg-type]
    assert await found(pool, script) == []
    async with pool.acquire() as connection:
        assert await cash_on(connection, DAY, AUDIT) == []
    await pool.close()
