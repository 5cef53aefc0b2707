"""The whole house as real processes on the real broker and database: one for each test, or for those of a module."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from libs.stack import Stack
from services.cli.house import House, build_house
from tests.conftest import database_for, topics_for


@asynccontextmanager
async def a_house(stack: Stack, template: str, folder: Path) -> AsyncIterator[House]:
    """Not started yet; each service under a login of its own.

    Afterwards its processes are killed: with its topics gone there is nothing to be handed over.
    """
    async with topics_for(stack) as topics, database_for(stack, template) as database:
        built = build_house(replace(stack, database_url=database), folder, topics)
        for process in built.processes.values():
            process.environment["CROUPIER_GROUP_SESSION_MS"] = "2000"
        try:
            yield built
        finally:
            await asyncio.gather(*(process.kill() for process in built.processes.values() if process.running))


@pytest_asyncio.fixture
async def house_at(stack: Stack, template: str, tmp_path: Path) -> AsyncIterator[House]:
    async with a_house(stack, template, tmp_path) as built:
        yield built


@pytest_asyncio.fixture
async def house(house_at: House) -> House:
    """Every service started and ready, on topics and in a database of this test's own."""
    await house_at.start()
    return house_at


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_house_at(
    stack: Stack, template: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[House]:
    async with a_house(stack, template, tmp_path_factory.mktemp("house")) as built:
        yield built


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_house(shared_house_at: House) -> House:
    """One for the tests of a module, in names of their own; they run in the module's loop."""
    await shared_house_at.start()
    return shared_house_at
