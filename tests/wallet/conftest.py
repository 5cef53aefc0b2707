"""The wallet's books on the real database."""

from collections.abc import AsyncIterator

import pytest_asyncio

from libs.projecting import Pool, open_pool
from libs.stack import Stack
from services.wallet.projections import ROLE, SCHEMA
from tests.conftest import database_for


@pytest_asyncio.fixture
async def books_pool(database: str) -> AsyncIterator[Pool]:
    """Connections as the service has them: the wallet's schema, the wallet's role."""
    pool = await open_pool(database, SCHEMA, role=ROLE)
    yield pool
    await pool.close()


@pytest_asyncio.fixture
async def database(stack: Stack, template: str) -> AsyncIterator[str]:
    """Every schema is there: a copy takes a third of a migration's time."""
    async with database_for(stack, template) as url:
        yield url
