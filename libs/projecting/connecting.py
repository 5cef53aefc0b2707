"""One connection to the house's database, as its tools make it: nothing that somebody has kept for logins or for the
database says where names are looked up, or which rows are shown."""

from typing import Any

import asyncpg

SEES_ALL = {"row_security": "off"}
"""Rows that a policy would hide are an error: no migration makes one, so somebody else has."""


_MAY_WAIT = {"idle_in_transaction_session_timeout": "0"}
"""Who compares or scans holds one moment of the database while it reads the log, for hours."""


async def connect(database_url: str, schema: str = "pg_catalog") -> "asyncpg.Connection[asyncpg.Record]":
    """`schema`: where a name without one is looked up, beside PostgreSQL's own."""
    return await asyncpg.connect(database_url, server_settings={"search_path": schema, **SEES_ALL, **_MAY_WAIT})


async def is_there(connection: Any, table: str) -> bool:
    """Whether there is such a table, named as in a statement; of a service that has never run here there is none."""
    there: bool = await connection.fetchval("select to_regclass($1) is not null", table)
    return there
