"""What a login keeps for its own sessions ends no service, and is told."""

from collections.abc import AsyncIterator
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import asyncpg
import pytest
import pytest_asyncio

from libs.projecting import open_pool
from libs.stack import Stack
from services.audit.login_settings import kept_settings
from services.audit.settings import SCHEMA
from services.audit.verifying.findings import Kind
from services.audit.watch import Watch
from tests.audit.conftest import ROLE
from tests.audit.test_live_checks import Ends

pytestmark = pytest.mark.stack


@pytest_asyncio.fixture
async def login(stack: Stack, house_database: str) -> AsyncIterator[str]:
    """One of the auditor's kind, for this test alone: logins are the server's, not a database's."""
    name, server = f"login_{uuid4().hex[:10]}", await asyncpg.connect(house_database)
    await server.execute(f"create role {name} login password '{name}' in role {ROLE}")
    await server.execute(f'grant connect on database "{urlsplit(house_database).path[1:]}" to {name}')
    try:
        yield name
    finally:
        await server.execute(f"drop owned by {name}")
        await server.execute(f"drop role {name}")
        await server.close()


async def test_no_setting_that_a_login_keeps_ends_its_service_and_all_are_told(
    stack: Stack, house_database: str, login: str
) -> None:
    name = urlsplit(house_database).path[1:]
    server = await asyncpg.connect(house_database)
    assert await kept_settings(server) == []
    for setting in ("default_transaction_read_only = on", "statement_timeout = 1", "enable_indexscan = off"):
        await server.execute(f'alter role {login} in database "{name}" set {setting}')

    found = await kept_settings(server)
    assert [(each.kind, each.stream) for each in found] == [(Kind.LOGIN_SETTINGS, login)]
    assert found[0].detail.endswith("default_transaction_read_only, enable_indexscan, statement_timeout")
    await server.close()
    async with await open_pool(house_database, SCHEMA, role=ROLE) as pool:
        looked = await Watch(pool, Ends({}), [SCHEMA], "wallet").look()  # type: ignore[arg-type]
    assert {each.kind for each in looked if each.stream == login} == {Kind.LOGIN_SETTINGS, Kind.DATABASE_STRANGERS}

    address = urlsplit(house_database)
    theirs = urlunsplit(address._replace(netloc=f"{login}:{login}@{address.hostname}:{address.port}", query=""))
    async with await open_pool(theirs, SCHEMA, role=ROLE) as pool, pool.acquire() as connection:
        for setting, value in (("transaction_read_only", "off"), ("statement_timeout", "0")):
            assert await connection.fetchval(f"show {setting}") == value
        await connection.execute("reset all")  # as a pool does when a connection comes back
        assert await connection.fetchval("show transaction_read_only") == "off"
