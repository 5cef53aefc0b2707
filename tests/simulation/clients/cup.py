"""A tournament elsewhere: what the wallet's policies ask of accounts because of it, and each payment goes back."""

import asyncio
from random import Random
from typing import TYPE_CHECKING

from libs.contracts.commands import message_of
from libs.contracts.messages import Principal, command_id_at
from libs.contracts.wallet_commands import Answering, PayTournament, ReturnPayment
from tests.simulation.games.game import account_of
from tests.simulation.house import MARKS
from tests.simulation.topics import WALLET
from tests.testkit.partitions import partition_of

if TYPE_CHECKING:
    from tests.simulation.world import World

_BACK_S = 3.0


class Cup:
    """Its events lie nowhere in this house: their commands alone do."""

    def __init__(self, world: "World", dice: Random) -> None:
        self._world = world
        self._dice = dice
        self._count = 0

    async def run(self) -> None:
        while True:
            await asyncio.sleep(self._dice.expovariate(0.8))
            player = self._dice.choice(list(self._world.plan.players))
            account = account_of(player, self._world.plan.kind_of(player))
            self._count += 1
            payment = f"entry-{command_id_at(self._world.now(), 'cup', str(self._count))}"
            amount = self._dice.randint(1, 40)
            self._ask(account, PayTournament(payment=payment, tournament="cup", amount=amount, told_at=self._now))
            back = self._dice.uniform(0.0, _BACK_S)
            asyncio.get_running_loop().call_later(back, self._give_back, account, payment, amount)

    def _give_back(self, account: str, payment: str, amount: int) -> None:
        self._ask(account, ReturnPayment(payment=payment, tournament="cup", amount=amount, told_at=self._now))

    def _ask(self, account: str, command: Answering) -> None:
        self._count += 1
        policy = Principal("policy", "wallet.when_payment_due")
        message = message_of(command, id=command_id_at(self._now, "asked", str(self._count)), stream=account, by=policy)
        broker = self._world.broker
        place = WALLET.commands, partition_of(account, broker.partitions)
        key, value = account.encode(), message.encoded()
        broker.land(*place, [(key, value, MARKS["wallet"].marked(place, key, value, ()))])

    @property
    def _now(self) -> int:
        return self._world.now()
