"""One connection to the house's database, as its tools make it: nothing that somebody has kept for logins or for the
database says where names are looked up, or which rows are shown."""

import asyncpg

SEES_ALL = {"row_security": "off"}
"""Rows that a policy would hide are an error: no migration makes one, so somebody else has."""


async def connect(database_url: str, schema: str = "pg_catalog") -> "asyncpg.Connection[asyncpg.Record]":
    """`schema`: where a name without one is looked up, beside PostgreSQL's own."""
    return await asyncpg.connect(database_url, server_settings={"search_path": schema, **SEES_ALL})
