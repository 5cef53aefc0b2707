"""The auditor's database: under its own login, and as who owns it."""

from collections.abc import AsyncIterator

import asyncpg
import pytest
import pytest_asyncio

from libs.projecting import Pool, open_pool
from libs.stack import Stack
from services.audit.settings import ROLE, SCHEMA
from tests.conftest import login_at


@pytest_asyncio.fixture
async def pool(stack: Stack, house_database: str) -> AsyncIterator[Pool]:
    """The auditor's own login, as the service has it."""
    async with await open_pool(login_at(stack, house_database, "audit"), SCHEMA, role=ROLE) as pool:
        yield pool


@pytest_asyncio.fixture
async def owner(house_database: str) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    connection = await asyncpg.connect(house_database, server_settings={"search_path": SCHEMA})
    yield connection
    await connection.close()


@pytest.fixture
def database(house_database: str) -> str:
    """Every schema is there, and the logins come in: without that it is no house's."""
    return house_database
