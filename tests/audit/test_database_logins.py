"""Logins of the database that are none of the house's are told, and so is what the house's own have beside."""

from collections.abc import AsyncIterator
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest
import pytest_asyncio

from libs.projecting import Connection
from libs.stack import Stack
from libs.stack.postgres import ADMIN, ARCHIVIST, INSPECTOR, SERVICES
from libs.stack.postgres import OWNER as STACKS_OWNER
from services.audit.database_logins import HOUSE, OWNER, strangers
from services.audit.settings import ROLE
from services.audit.verifying.findings import Kind
from services.cli.migrate import MEMBERS
from tests.conftest import login_at

pytestmark = pytest.mark.stack
SCHEMAS = ("wallet", "audit")


@pytest_asyncio.fixture
async def server(stack: Stack, kept_database: str) -> AsyncIterator[Connection]:
    """As the superuser, in a transaction that nobody else ever sees: roles are the server's, not a database's."""
    if "postgres" in stack.given:
        pytest.skip("a database that is given has its own superuser")
    theirs = urlsplit(stack.database(ADMIN))
    connection = await asyncpg.connect(urlunsplit(theirs._replace(path=urlsplit(kept_database).path)))
    transaction = connection.transaction()
    await transaction.start()
    await connection.execute("create role stranger login")
    try:
        yield connection
    finally:
        await transaction.rollback()
        await connection.close()


async def told(server: Connection, *further: str) -> list[tuple[str, str]]:
    found = await strangers(server, SCHEMAS, further)
    assert {each.kind for each in found} <= {Kind.DATABASE_STRANGERS}
    return [(each.stream, each.detail.removeprefix(f"the login {each.stream} of the database is ")) for each in found]


def test_the_houses_logins_are_those_that_it_makes() -> None:
    assert (HOUSE.keys(), OWNER) == ({*SERVICES, INSPECTOR, ARCHIVIST}, STACKS_OWNER)
    given = {login: tuple(role for member, role, _ in MEMBERS if member == login) for login in HOUSE}
    assert {**given, INSPECTOR: ("pg_read_all_data",)} == HOUSE


async def test_a_house_as_it_is_made_has_none(server: Connection) -> None:
    database = await server.fetchval("select current_database()")
    assert await told(server) == []
    await server.execute(f'grant connect on database "{database}" to stranger; grant pg_monitor to stranger')
    assert await told(server) == [], "a managed server has logins of its own"


async def test_the_auditors_login_may_ask(stack: Stack, kept_database: str) -> None:
    connection = await asyncpg.connect(login_at(stack, kept_database, "audit"))
    await connection.execute(f"set role {ROLE}")
    assert await told(connection) == []
    await connection.close()


@pytest.mark.parametrize(
    ("done", "why"),
    [
        ("grant croupier_ledger_owner to stranger", "is in croupier_ledger_owner"),
        ("create role group_x; grant group_x to stranger; grant croupier_audit to group_x", "is in croupier_audit"),
        ("grant croupier to stranger with inherit false", "croupier"),
        ("grant usage on schema wallet to stranger", "has rights in the house's schemas"),
        ("alter table wallet.transfers owner to stranger", "has rights in the house's schemas"),
        ("alter role stranger superuser", "is a superuser"),
    ],
)
async def test_who_has_the_houses_rights_is_told(server: Connection, done: str, why: str) -> None:
    database = await server.fetchval("select current_database()")
    await server.execute(done)
    if "superuser" not in done:
        assert await told(server) == [], "who may not connect has no use of it"
    await server.execute(f'grant connect on database "{database}" to stranger')
    ((stream, detail),) = await told(server)
    assert stream == "stranger"
    assert detail.startswith("none of the house's and ")
    assert why in detail
    assert await told(server, "stranger") == []
    await server.execute("alter role stranger nologin")
    assert await told(server) == []


async def test_what_a_login_of_the_house_has_beside_its_own_is_told(server: Connection) -> None:
    await server.execute("grant croupier_ledger_owner to wallet; grant pg_write_all_data to inspector")
    assert [stream for stream, _ in await told(server)] == [
        "inspector/pg_write_all_data",
        "wallet/croupier_ledger_owner",
    ]
    await server.execute("grant audit to wallet")
    assert "wallet/audit" in dict(await told(server))


async def test_what_a_login_of_the_house_has_no_more_is_told(server: Connection) -> None:
    await server.execute("revoke croupier_wallet from wallet granted by croupier")
    ((stream, detail),) = await told(server)
    assert (stream, "is not in croupier_wallet" in detail) == ("wallet/croupier_wallet", True)
    assert await told(server, "wallet") == []
    await server.execute("alter role wallet nologin")
    assert await told(server) == []
