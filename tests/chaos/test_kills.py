"""Each part of the house is killed while hands run; afterwards every cent, link and card is where it should be."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from libs.stack import provision, up
from libs.stack.home import jars_folder
from services.cli.house import build_house
from tests.chaos.faults import FAULTS, Scene
from tests.e2e.evening import croupier, evening

ROUNDS = int(os.environ.get("CHAOS_ROUNDS", "1"))
"""How often each fault is fired; `make chaos` fires it more often."""


@pytest_asyncio.fixture
async def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Scene]:
    """A broker and a database that nobody else's tests run on, since they are killed."""
    if os.environ.get("KAFKA_BOOTSTRAP_SERVERS") or os.environ.get("DATABASE_URL"):
        pytest.skip("a given broker or database is not ours to kill")
    monkeypatch.setenv("CROUPIER_JARS", str(jars_folder()))
    stack = await asyncio.to_thread(up, tmp_path / "stack")
    await provision(stack.bootstrap)
    house = build_house(stack.bootstrap, stack.database_url, tmp_path / "house")
    for process in house.processes.values():
        process.environment["CROUPIER_GROUP_SESSION_MS"] = "2000"
    try:
        await house.start()
        yield Scene(house, stack)
    finally:
        await house.stop()
        await asyncio.to_thread(stack.down, True)


@pytest.mark.timeout(300 * ROUNDS)
async def test_nothing_is_lost_or_doubled_whatever_is_killed(scene: Scene) -> None:
    async with evening(scene.house, tables=3, bots=4) as it:
        await it.hands(6)
        for _ in range(ROUNDS):
            for name, fault in FAULTS.items():
                print(f"{name}: {it.statistics.total_hands} hands so far", flush=True)
                await fault(scene)
                await it.hands(4, timeout_s=90)
                assert it.statistics.voided == 0, name
        await it.close()
        assert it.watcher is not None
        assert it.watcher.started_twice == []

    for command in (("rebuild", "--compare"), ("verify",), ("scan",)):
        status, report = await croupier(scene.house, *command)
        assert status == 0, (command, report)
