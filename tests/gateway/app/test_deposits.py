"""A credential's daily bound: above it nothing reaches the wallet, and what was refused takes nothing of it."""

import asyncio

import pytest

from libs.contracts.messages import Principal, Reply, command_id_at
from libs.contracts.wallet_commands import ClaimReference, DepositFunds, Purpose
from libs.edge.problems import Problem
from services.gateway.app.commands import Order
from services.gateway.app.deposits import DAY_MS, DailyDeposits

BOUNDS = {"acme": {"EUR": 1_000}}


class Desk:
    def __init__(self) -> None:
        self.now, self.sent, self.refuses = 0, 0, False
        self.fails: Problem | None = None
        self.opens: asyncio.Event | None = None
        self.deposits = DailyDeposits(lambda name: BOUNDS.get(name, {}), lambda: self.now)

    async def submit(self, order: Order) -> Reply:
        self.sent += order.command.amount if isinstance(order.command, DepositFunds) else 0
        if self.fails is not None:
            raise self.fails
        verdict = "rejected" if self.refuses else "accepted"
        if self.opens is not None:
            await self.opens.wait()
        return Reply(command_id=command_id_at(0), stream=order.stream, verdict=verdict, version=1)  # type: ignore[arg-type]

    async def ask(
        self, reference: str, amount: int, by: Principal | None = None, currency: str = "EUR",
        purpose: Purpose = "deposit",
    ) -> str:  # fmt: skip
        claim = ClaimReference(reference=reference, player="ann", currency=currency, purpose=purpose, amount=amount)
        command = DepositFunds(reference=reference, amount=amount)
        order = Order(by or Principal("operator", "acme"), "k", "account-ann-EUR", command, claim=claim)
        try:
            return (await self.deposits.within(order, self.submit)).verdict
        except Problem as refused:
            return f"{refused.status} {refused.slug} {refused.extensions.get('left', '')}".strip()


async def test_a_days_deposits_of_a_credential_are_bounded() -> None:
    desk = Desk()
    assert await desk.ask("a", 600) == "accepted"
    assert await desk.ask("a", 600) == "accepted", "a repetition counts once"
    assert await desk.ask("b", 401) == "403 daily-deposits 400"
    assert await desk.ask("c", 400) == "accepted"
    assert await desk.ask("d", 1) == "403 daily-deposits 0"
    assert desk.sent == 600 + 600 + 400
    desk.now = DAY_MS
    assert await desk.ask("d", 1) == "accepted"


@pytest.mark.parametrize("again", [600, 300])
async def test_what_is_refused_takes_nothing_and_frees_nothing_that_was_taken(again: int) -> None:
    desk = Desk()
    desk.refuses = True
    assert await desk.ask("a", 1_000) == "rejected"
    desk.refuses = False
    assert await desk.ask("b", 600) == "accepted"
    desk.refuses = True
    assert await desk.ask("b", again) == "rejected", "the same reference with other content"
    assert await desk.ask("c", 401) == "403 daily-deposits 400"


async def test_others_other_currencies_and_withdrawals_have_no_bound() -> None:
    desk = Desk()
    assert await desk.ask("a", 5_000, Principal("operator", "beta")) == "accepted"
    assert await desk.ask("b", 5_000, currency="USD") == "accepted"
    assert await desk.ask("c", 5_000, purpose="withdrawal") == "accepted"
    assert await desk.ask("d", 5_000, Principal("staff", "acme")) == "accepted", "a cashier of that name"


async def test_a_small_deposit_that_never_was_lets_no_large_one_of_its_reference_by() -> None:
    """Found by an attacker (issue 11): a key too old was refused 422, and its reference then went unbounded."""
    desk = Desk()
    desk.fails = Problem(422, "idempotency-key-time", "too old")
    assert await desk.ask("a", 1) == "422 idempotency-key-time"
    desk.fails = None
    assert await desk.ask("a", 10**12) == "403 daily-deposits 1000"
    assert await desk.ask("b", 1_000) == "accepted", "what never reached the wallet takes nothing"


async def test_an_outcome_that_is_unknown_stays_counted_at_its_own_amount() -> None:
    desk = Desk()
    desk.fails = Problem(504, "outcome-unknown", "repeat")
    assert await desk.ask("a", 700) == "504 outcome-unknown"
    desk.fails = None
    assert await desk.ask("a", 1_000) == "403 daily-deposits 300"
    assert await desk.ask("a", 700) == "accepted", "the repetition"
    assert await desk.ask("b", 301) == "403 daily-deposits 300"


async def test_of_two_at_once_the_one_that_is_refused_frees_nothing_before_the_other_is_back() -> None:
    desk = Desk()
    desk.refuses, desk.opens = True, asyncio.Event()
    slow = asyncio.create_task(desk.ask("a", 1_000))
    await asyncio.sleep(0)
    gate, desk.refuses, desk.opens = desk.opens, False, asyncio.Event()
    accepted = asyncio.create_task(desk.ask("a", 1_000))
    await asyncio.sleep(0)
    gate.set()
    assert await slow == "rejected"
    assert await desk.ask("b", 1) == "403 daily-deposits 0"
    desk.opens.set()
    assert await accepted == "accepted"
    assert await desk.ask("b", 1) == "403 daily-deposits 0"
