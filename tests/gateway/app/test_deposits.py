"""A credential's daily bound: above it nothing reaches the wallet, and what was refused takes nothing of it."""

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
        self.deposits = DailyDeposits(lambda name: BOUNDS.get(name, {}), lambda: self.now)

    async def submit(self, order: Order) -> Reply:
        self.sent += order.command.amount if isinstance(order.command, DepositFunds) else 0
        verdict = "rejected" if self.refuses else "accepted"
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
            return f"{refused.status} {refused.slug} {refused.extensions['left']}"


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


@pytest.mark.parametrize("again", [600, 700])
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
