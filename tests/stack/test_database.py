"""What the services' database role is, and is not."""

import asyncpg
import pytest

pytestmark = pytest.mark.stack


async def test_each_test_has_an_empty_database_of_its_own(database: str) -> None:
    connection = await asyncpg.connect(database)
    try:
        tables = await connection.fetchval("select count(*) from pg_tables where schemaname = 'public'")
        assert tables == 0
    finally:
        await connection.close()


async def test_the_services_role_is_no_superuser(database: str) -> None:
    connection = await asyncpg.connect(database)
    try:
        assert await connection.fetchval("select rolsuper from pg_roles where rolname = current_user") is False
    finally:
        await connection.close()
