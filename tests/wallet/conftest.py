"""The wallet's books on the real database."""

from collections.abc import AsyncIterator

import pytest_asyncio

from libs.projecting import Pool, migrate, open_pool
from services.wallet.projections import MIGRATIONS, ROLE, SCHEMA


@pytest_asyncio.fixture
async def books_pool(database: str) -> AsyncIterator[Pool]:
    """Connections as the service has them: the wallet's schema, the wallet's role."""
    await migrate(database, SCHEMA, MIGRATIONS)
    pool = await open_pool(database, SCHEMA, role=ROLE)
    yield pool
    await pool.close()
