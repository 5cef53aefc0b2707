"""The two statements that policies send to PostgreSQL, answered from memory: a stand-in, slow or away at times."""

import asyncio
from random import Random

from tests.simulation.books import Database
from tests.testkit.process import Process
from tests.testkit.weather import Sky


class PolicyPool:
    """As much of a pool as `TableKinds` uses."""

    def __init__(self, process: Process, database: Database, sky: Sky, random: Random) -> None:
        self._process = process
        self._database = database
        self._sky = sky
        self._random = random

    async def execute(self, _: str, table: str, kind: str) -> None:
        await self._way()
        self._database.policy_tables.setdefault(table, kind)
        await self._way()

    async def fetchval(self, _: str, table: str) -> str | None:
        await self._way()
        return self._database.policy_tables.get(table)

    async def _way(self) -> None:
        await self._process.gate.passed()
        await asyncio.sleep(0.001)
        if not self._sky.healed and self._random.random() < 0.02:
            self._sky.fired["database away"] += 1
            raise ConnectionResetError("the database is away")
