"""Offset commits that the group refuses: asked again, ever more slowly, and made in the end (journal 12)."""

import asyncio
from itertools import pairwise

from libs.journal.log import LogUnavailable
from tests.journal.bank import NAMES
from tests.journal.house import GROUP, PARTITION, QUICK, House, until
from tests.testkit.simulated import SimulatedSource

REFUSED = 4


async def test_a_refused_commit_is_not_asked_again_at_once(monkeypatch):
    """Found on a starved machine: four runners that asked four times a second kept the client from joining anew."""
    asked: list[float] = []
    inner = SimulatedSource.commit

    async def commit(self, offset, sign=None):
        asked.append(asyncio.get_running_loop().time())
        if len(asked) <= REFUSED:
            raise LogUnavailable("between two memberships")
        await inner(self, offset, sign)

    monkeypatch.setattr(SimulatedSource, "commit", commit)
    house = House()
    async with house.runner():
        await house.ask(house.command("Deposit", amount=1))
        await until(lambda: house.broker.offsets.get((GROUP, NAMES.commands, PARTITION)) == 1, 30)

    waited = [later - earlier for earlier, later in pairwise(asked)][:REFUSED]
    for number, seconds in enumerate(waited, start=1):
        assert seconds > 0.9 * 2**number * QUICK.offsets_every_s
