"""No login fills the disk of the database's server: by what it sorts, has logged, makes or sends."""

import asyncio
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg
import pytest

from libs.stack import Stack
from libs.stack.database_bounds import QUIET, TEMP_FILES
from libs.stack.home import Home
from libs.stack.postgres import _MAY, ADMIN, BOUNDED, DATABASE, OWNER, bind, bounds, log_file
from tests.conftest import login_at
from tests.stack.test_database_logins import connected

pytestmark = pytest.mark.stack


@pytest.fixture
def log(stack: Stack) -> Path:
    file = log_file(Home(stack.home))
    if "postgres" in stack.given or not file.exists():
        pytest.skip("a server that is given has its log elsewhere")
    return file


def _text(log: Path) -> str:
    return log.read_text(errors="replace")


def test_every_login_but_the_owners_has_bounds() -> None:
    assert set(BOUNDED) == TEMP_FILES.keys() == _MAY.keys() - {OWNER}
    assert all(_MAY[login].connections for login in BOUNDED)


@pytest.mark.parametrize("login", BOUNDED)
async def test_what_a_login_sorts_has_a_bound_that_it_can_not_lift(
    stack: Stack, house_database: str, login: str
) -> None:
    async with connected(login_at(stack, house_database, login)) as connection:
        assert await connection.fetchval("show temp_file_limit") == TEMP_FILES[login]
        for name in ("temp_file_limit", *QUIET):
            await connection.execute(f"alter role {login} reset all")  # what is a superuser's stays
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(f"alter role {login} reset {name}")
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(f"set {name} to default")
    async with connected(login_at(stack, house_database, login)) as connection:
        assert await connection.fetchval("show temp_file_limit") == TEMP_FILES[login]


async def test_a_sort_over_the_bound_is_ended(stack: Stack, house_database: str) -> None:
    async with connected(login_at(stack, house_database, "wallet")) as connection:
        with pytest.raises(asyncpg.ConfigurationLimitExceededError, match="temp_file_limit"):
            await connection.execute(
                "select count(*) from (select repeat(md5(g::text), 60) as r from generate_series(1, 400000) as g"
                " order by r offset 0) as x"
            )


@pytest.mark.parametrize("login", BOUNDED)
async def test_nothing_that_a_login_says_is_in_the_servers_log(
    stack: Stack, house_database: str, log: Path, login: str
) -> None:
    """Found by an attacker: 60 MB a second by `raise log`, as the smallest login."""
    said = f"x{uuid4().hex}"  # no number, whatever its digits
    async with connected(login_at(stack, house_database, login)) as connection:
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="language plpgsql"):
            await connection.execute(f"do $$ begin raise log '{said}'; end $$")
        with pytest.raises(asyncpg.DivisionByZeroError):
            await connection.execute(f'select 1 / 0 as "{said}"')
        with pytest.raises(asyncpg.InvalidTextRepresentationError, match=said):
            await connection.execute(f"select '{said}'::int")
        await connection.execute(f"set debug_print_parse = on; set debug_print_plan = on; select '{said}'")
        with pytest.raises(asyncpg.PostgresConnectionError):
            await connection.execute(f"set transaction_timeout = 100; select pg_sleep(9) /* {said} */")
    text = _text(log)
    assert said not in text
    assert "parse tree" not in text
    assert "transaction timeout" in text, "how its session ended"


async def test_the_log_still_has_what_the_owner_and_the_server_say(
    stack: Stack, house_database: str, log: Path
) -> None:
    said = uuid4().hex
    async with connected(house_database) as owner:
        await owner.execute(f"do $$ begin raise log '{said}'; end $$")
    assert said in _text(log)


@pytest.mark.parametrize("login", BOUNDED)
@pytest.mark.parametrize(
    "attempt",
    [
        "select pg_logical_emit_message(false, 'x', repeat('x', 1000))",
        "select pg_logical_emit_message(true, 'x', ''::bytea)",
        "select pg_export_snapshot()",
        "select lo_create(0)",
    ],
)
async def test_no_login_makes_what_lies_on_the_disk(stack: Stack, attempt: str, login: str) -> None:
    if "postgres" in stack.given:
        pytest.skip("a database that is given has its own superuser")
    async with connected(stack.database(ADMIN).replace("/postgres?", f"/{DATABASE}?")) as server:
        await server.execute(f"set role {login}")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await server.execute(attempt)


async def test_a_house_of_before_gets_the_bounds(stack: Stack) -> None:
    """At its next `croupier up`, or by the script; in a transaction that is not kept, for roles are the cluster's."""
    if "postgres" in stack.given:
        pytest.skip("a database that is given has its own superuser")
    lifting = ("reset temp_file_limit", "reset log_min_messages", "connection limit 3")

    async def kept(server: "asyncpg.Connection[asyncpg.Record]") -> list[str]:
        asked = "select unnest(setconfig) from pg_db_role_setting where setrole = 'archivist'::regrole"
        return sorted(each for (each,) in await server.fetch(asked))

    async with connected(stack.database(ADMIN)) as server:
        usual = await kept(server)
        transaction = server.transaction()
        await transaction.start()
        try:
            await server.execute(";".join(f"alter role archivist {each}" for each in lifting))
            assert len(await kept(server)) == len(usual) - 2
            await bind(server)
            assert await kept(server) == usual
            assert await server.fetchval("select rolconnlimit from pg_roles where rolname = 'archivist'") == 2
            await server.execute(";".join(f"alter role archivist {each}" for each in lifting))
            await server.execute(bounds())
            assert await kept(server) == usual
        finally:
            await transaction.rollback()


async def test_who_does_not_say_who_he_is_keeps_a_place_for_seconds(stack: Stack) -> None:
    """Found by an attacker: 192 sockets that said one packet each kept every login out for a minute, and again."""
    if "postgres" in stack.given:
        pytest.skip("a database that is given has its own settings")
    address, loop = urlsplit(stack.database(ADMIN)), asyncio.get_running_loop()
    asked = b"\0\x03\0\0user\0wallet\0database\0croupier\0\0"
    began, there = loop.time(), []
    for said in 4 * (b"", (len(asked) + 4).to_bytes(4, "big") + asked):
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        writer.write(said)
        there.append((reader, writer))
    async with asyncio.timeout(40):  # 5 s of the server's, on a busy machine
        for reader, _ in there:
            await reader.read()
    assert loop.time() - began > 2, "nobody is ended who has had no time"
    for _, writer in there:
        writer.close()


async def test_what_a_login_sends_to_nobody_fills_no_disk(stack: Stack, house_database: str) -> None:
    """What is sent lies on the disk until all who listen have read it, and one who listens reads nothing in between."""
    async with connected(login_at(stack, house_database, "inspector")) as listening:
        async with listening.transaction():
            await listening.execute("listen anything")
        async with listening.transaction(), connected(login_at(stack, house_database, "inspector")) as sending:
            await listening.execute("select 1")
            said = "select pg_notify('anything', repeat('x', 7900) || each) from generate_series(1, 100) as each"
            await sending.execute(said)
            with pytest.raises(asyncpg.ProgramLimitExceededError, match="NOTIFY queue"):
                await sending.execute(";".join(20 * [f"begin; {said}; commit"]))
