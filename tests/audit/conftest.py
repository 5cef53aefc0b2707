"""The auditor's database: under its own login, and as who owns it."""

from collections.abc import AsyncIterator

import asyncpg
import pytest_asyncio

from libs.projecting import Pool, open_pool
from libs.stack import Stack
from services.audit.settings import ROLE, SCHEMA
from tests.conftest import database_for, login_at


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


@pytest_asyncio.fixture
async def database(stack: Stack, template: str) -> AsyncIterator[str]:
    """Every schema is there: a copy takes a third of a migration's time."""
    async with database_for(stack, template) as url:
        yield url
