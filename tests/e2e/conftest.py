"""The whole house as real processes on the real broker and database, one for each test."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest_asyncio

from libs.stack import Stack
from services.cli.house import House, build_house


@pytest_asyncio.fixture
async def house_at(stack: Stack, topics: str, database: str, tmp_path: Path) -> AsyncIterator[House]:
    """Not started yet; each service under a login of its own."""
    built = build_house(replace(stack, database_url=database), tmp_path, topics)
    for process in built.processes.values():
        process.environment["CROUPIER_GROUP_SESSION_MS"] = "2000"
    try:
        yield built
    finally:
        await built.stop()


@pytest_asyncio.fixture
async def house(house_at: House) -> House:
    """Every service started and ready, on topics and in a database of this test's own."""
    await house_at.start()
    return house_at
