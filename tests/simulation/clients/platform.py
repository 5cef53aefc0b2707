"""The operator's own system: accounts, deposits, withdrawals; a reference is repeated until its fate is known."""

import asyncio
from random import Random
from typing import TYPE_CHECKING, Any

from libs.contracts import wallet_commands as w
from libs.contracts.messages import Principal
from tests.simulation.games.game import CURRENCY, Kind, account_of

if TYPE_CHECKING:
    from tests.simulation.world import World

OPERATOR = Principal(kind="operator", id="platform")


class Platform:
    def __init__(self, world: "World", dice: Random) -> None:
        self.world = world
        self.dice = dice
        self._count = 0

    async def welcome(self, player: str, amount: int) -> None:
        """Accounts are open and money is there. Who plays for nothing has real money too, and it stays where it is."""
        kinds: dict[Kind, None] = {self.world.plan.kind_of(player): None, "real": None}
        for kind in kinds:
            account, body = account_of(player, kind), {"player": player, "currency": CURRENCY[kind], "kind": kind}
            while not await self._opened(account, body):
                await asyncio.sleep(0.2)
            await self.move(account, amount, patient=True)

    async def fund(self, player: str, amount: int) -> None:
        """Money of the kind that the player's table is for."""
        await self.move(self._account(player), amount, patient=True)

    async def look_after(self, player: str) -> None:
        """For good: a withdrawal that was asked for in the storm may take all that is there now."""
        unit = self.world.plan.tables[self.world.plan.players[player]].unit
        while True:
            await asyncio.sleep(4.0)
            if self.world.witness.truth.states[self._account(player)].available < 60 * unit:
                await self.fund(player, 120 * unit)

    async def run(self) -> None:
        """Alone or in a burst on one account, so that commits stand in flight behind each other."""
        while True:
            await asyncio.sleep(self.dice.expovariate(0.4))
            player = self.dice.choice(list(self.world.plan.players))
            amounts = [self.dice.randint(1, 500) for _ in range(self.dice.choice([1, 1, 2, 5, 12]))]
            moves = [
                self.move(self._account(player), n if self.dice.random() < 0.5 else -n, patient=False) for n in amounts
            ]
            await asyncio.gather(*moves)

    async def move(self, account: str, amount: int, patient: bool) -> bool:
        """A deposit, or a withdrawal of a negative amount. The reference counts once, whatever key it comes under."""
        self._count += 1
        reference = f"ref-{self._count}"
        kind, body = w.DepositFunds if amount > 0 else w.WithdrawFunds, {"reference": reference, "amount": abs(amount)}
        while True:
            reply = await self.world.ask(
                OPERATOR, account, kind, body, what=f"move {reference} {amount}",
                patient=patient,
            )  # fmt: skip
            if reply is not None and reply.verdict in ("accepted", "rejected"):
                return reply.verdict == "accepted"
            if not patient and self.dice.random() < 0.5:
                return False
            await asyncio.sleep(0.3)

    async def _opened(self, account: str, body: dict[str, Any]) -> bool:
        reply = await self.world.ask(OPERATOR, account, w.OpenAccount, body, patient=True)
        return reply is not None and reply.verdict in ("accepted", "rejected")

    def _account(self, player: str) -> str:
        return account_of(player, self.world.plan.kind_of(player))
