"""Somebody with a gateway's login and keys writes to a table's commands, past all its doors: each does nothing."""

import asyncio
from random import Random
from typing import TYPE_CHECKING

from libs.contracts.commands import message_of
from libs.contracts.messages import Principal, command_id_at
from libs.contracts.table_commands import ReleaseSeat
from tests.simulation.house import MARKS
from tests.simulation.topics import TABLE
from tests.testkit.partitions import partition_of

if TYPE_CHECKING:
    from tests.simulation.world import World

_NOTHING = ReleaseSeat(reservation="nothing", reason="cancelled")


class Flooder:
    def __init__(self, world: "World", dice: Random) -> None:
        self.world = world
        self.dice = dice
        strangers = [Principal("player", f"mallory{number}") for number in range(dice.choice([1, 3, 40]))]
        insiders = [Principal("player", name) for name in world.plan.players]
        self._names = dice.choice([strangers, strangers, insiders[:1], insiders, [Principal("staff", "eve")]])
        self._sent = 0
        self.is_stranger = self._names == strangers
        """Nothing of the house depends on this one: the flood may go on for ever."""

    async def run(self) -> None:
        while True:
            await asyncio.sleep(self.dice.expovariate(1.2))
            table = self.world.plan.first
            place = (TABLE.commands, partition_of(table, self.world.broker.partitions))
            for _ in range(self.dice.choice([1, 5, 20])):
                self._sent += 1
                self.world.sky.fired["flood"] += 1
                by = self.dice.choice(self._names)
                command_id = command_id_at(self.world.now(), str(by), f"flood{self._sent}")
                told = message_of(_NOTHING, id=command_id, stream=table, by=by)
                key, value = table.encode(), told.encoded()
                headers = MARKS["gateway"].marked(place, key, value, ())
                self.world.broker.land(*place, [(key, value, headers)])
