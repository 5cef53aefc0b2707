"""The role and the database that services use: the role is no superuser, so that what is forbidden to it holds."""

import asyncpg


async def ensure(admin_url: str, role: str, database: str) -> None:
    """Make role and database unless they are there. Both names are ours, never a user's words."""
    connection = await asyncpg.connect(admin_url, timeout=10)
    try:
        if not await connection.fetchval("select 1 from pg_roles where rolname = $1", role):
            await connection.execute(f'create role "{role}" login createdb createrole')
        if not await connection.fetchval("select 1 from pg_database where datname = $1", database):
            await connection.execute(f'create database "{database}" owner "{role}"')
    finally:
        await connection.close()
