"""What a login keeps for its own sessions ends no service, and is told; so is a bound that it has no more."""

from collections.abc import AsyncIterator
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import asyncpg
import pytest
import pytest_asyncio

from libs.projecting import Connection, open_pool
from libs.stack import Stack
from libs.stack.database_bounds import QUIET as MADE_QUIET
from libs.stack.database_bounds import TEMP_FILES
from services.audit.database_logins import HOUSE
from services.audit.login_settings import QUIET, kept_settings, lifted_bounds
from services.audit.settings import SCHEMA
from services.audit.verifying.findings import Kind
from services.audit.watch import Watch
from tests.audit.conftest import ROLE
from tests.audit.test_database_logins import server
from tests.audit.test_live_checks import Ends
from tests.conftest import login_at

pytestmark = pytest.mark.stack
__all__ = ["server"]


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


def test_the_bounds_that_are_told_are_those_that_the_house_keeps() -> None:
    assert QUIET.keys() == MADE_QUIET.keys()
    assert all(value in QUIET[name] for name, value in MADE_QUIET.items())
    assert TEMP_FILES.keys() == HOUSE.keys()


async def test_a_house_as_it_is_made_has_its_bounds(server: Connection) -> None:
    assert await lifted_bounds(server) == []


@pytest.mark.parametrize(
    ("done", "stream", "what"),
    [
        ("alter role inspector reset all", "inspector/bounds", ", ".join(sorted((*QUIET, "temp_file_limit")))),
        ("alter role wallet set temp_file_limit = -1", "wallet/bounds", "temp_file_limit"),
        ("alter role audit set log_min_messages = log", "audit/bounds", "log_min_messages"),
        (
            "alter role archivist in database {database} set log_min_error_statement = error",
            "archivist/bounds",
            "log_min_error_statement",
        ),
        ("grant usage on language plpgsql to public", "plpgsql/language", "everybody"),
        ("grant usage on language plpgsql to croupier_archivist", "plpgsql/language", "croupier_archivist"),
    ],
)
async def test_a_bound_that_was_lifted_is_told(server: Connection, done: str, stream: str, what: str) -> None:
    await server.execute(done.format(database=await server.fetchval("select current_database()")))
    (found,) = await lifted_bounds(server)
    assert (found.kind, found.stream) == (Kind.LOGIN_SETTINGS, stream)
    assert f" {what}" in found.detail
    assert await lifted_bounds(server, list(HOUSE)) == []


async def test_a_larger_bound_and_a_server_without_a_superuser_are_not_told(server: Connection) -> None:
    await server.execute("alter role audit set temp_file_limit = '40GB'; alter role wallet reset log_min_messages")
    database = await server.fetchval("select current_database()")
    await server.execute(f"alter database {database} set log_min_messages = fatal")
    assert await lifted_bounds(server) == [], "kept for all"
    await server.execute("grant usage on language plpgsql to public")
    for login in HOUSE:
        await server.execute(f"alter role {login} reset all")
    assert await lifted_bounds(server) == []


async def test_the_auditors_login_may_ask_for_bounds(stack: Stack, house_database: str) -> None:
    connection = await asyncpg.connect(login_at(stack, house_database, "audit"))
    await connection.execute(f"set role {ROLE}")
    assert await lifted_bounds(connection) == []
    await connection.close()
