"""What each login may do in the database: by the catalogue, and by trying what must not work."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest

from libs.projecting import DatabaseRefused, drop_schema, open_current
from libs.stack import Stack
from libs.stack.postgres import ADMIN, ARCHIVIST, HAS_OWNERS_RIGHTS, OWNER, part_archivist
from services.audit import settings as audit
from services.cli.migrate import migrated
from services.wallet import projections as wallet
from tests.conftest import connected_at, login_at

pytestmark = pytest.mark.stack
ALL = ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "TRIGGER", "REFERENCES", "MAINTAIN")
READERS = {
    "balances", "totals", "group_sums", "transfer_sums", "transfers", "disagreements", "positions", "streams", "parked",
    "set_aside", "reads", "rake_accounts",
}  # fmt: skip
"""Of the books, for the auditor."""
ONLY_ADDED = {
    "wallet": {"transfers", "disagreements", "parked", "reads", "tables"},
    "audit": {"journal_links", "checkpoints", "account_signals", "parked", "reads", "restrictions", "played"},
}
COUNTED = {"check_states", "incidents", "cases", "histories", "openings", "journal_heads", "readers"}
"""What a row is about stays; the rest is written again, column by column."""
BY_COLUMN = {"check_states", "incidents", "cases", "restrictions", "account_signals", "reads"}
"""Added to, and their rows get their numbers from the database alone."""
VIEWS = {"accounts", "kept_groups", "kept_months", "sitting_sessions"}
OF_AN_ARCHIVE = ("archived", "carried", "archived_sittings", "archived_hands", "archived_players")
KEPT = {"totals", "group_sums", "transfer_sums", "balances", "last_words"}
"""Sums that the database itself keeps; of balances some columns are the service's."""
TAKEN_AWAY = {"wallet": {"set_aside"}, "audit": {"set_aside", "check_states", "hand_sums"}}
Rights = dict[tuple[str, str], set[str]]


@asynccontextmanager
async def connected(url: str, role: str | None = None) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    connection = await connected_at(url)
    try:
        if role:
            await connection.execute(f'set role "{role}"')
        yield connection
    finally:
        await connection.close()


async def rights(url: str, role: str | None = None) -> Rights:
    """What may be done with each table of ours, by schema and name; those with nothing are left out."""
    async with connected(url, role) as connection:
        rows = await connection.fetch(
            """select nspname, relname, privilege
               from pg_class join pg_namespace n on n.oid = relnamespace, unnest($1::text[]) as privilege
               where nspname in ('wallet', 'audit') and relkind in ('r', 'p', 'v')
                 and has_schema_privilege(n.oid, 'USAGE') and has_table_privilege(pg_class.oid, privilege)""",
            list(ALL),
        )
    found: Rights = {}
    for schema, name, privilege in rows:
        found.setdefault((schema, name), set()).add(privilege)
    return found


@pytest.mark.parametrize(("login", "role"), [("wallet", wallet.ROLE), ("audit", audit.ROLE)])
async def test_a_service_has_its_schema_and_nothing_beyond(
    stack: Stack, kept_database: str, login: str, role: str
) -> None:
    found = await rights(login_at(stack, kept_database, login), role)
    own = {name: what for (schema, name), what in found.items() if schema == login}
    assert own.pop("migrations") == {"SELECT"}
    assert all(own.pop(name, None) in ({"SELECT"}, None) for name in OF_AN_ARCHIVE)
    # Of a mark that column alone: nobody marks another one's transaction.
    assert own.pop("writing_marks") == own.pop("writings") == {"SELECT"}
    # Of a column that says nothing: whoever may change it may lock the row.
    assert own.pop("turns") == {"SELECT"}
    for name, what in own.items():
        may = {"SELECT"} if name in VIEWS | KEPT | BY_COLUMN else {"SELECT", "INSERT"}
        if name in TAKEN_AWAY[login]:
            may |= {"DELETE"}
        if name not in ONLY_ADDED[login] | {"set_aside"} | VIEWS | KEPT | COUNTED:
            may |= {"UPDATE"}
        assert what == may, name
    others = {name: what for (schema, name), what in found.items() if schema != login}
    read = {name: {"SELECT"} for name in READERS | {"archived", "carried"}}
    # Marks that were held against the rows are taken away, and that is chained.
    looked_at = {name: {"SELECT", "DELETE"} for name in ("writings", "writing_marks")}
    looked_at |= {name: {"SELECT"} for name in ("migrations", "notes_taken")}
    assert others == (read | looked_at if login == "audit" else {})


@pytest.mark.parametrize("login", ["wallet", "audit"])
async def test_a_login_has_nothing_while_it_does_not_act_as_its_service(
    stack: Stack, kept_database: str, login: str
) -> None:
    assert await rights(login_at(stack, kept_database, login)) == {}


async def test_the_inspector_reads_everything_and_writes_nothing(stack: Stack, kept_database: str) -> None:
    found = await rights(login_at(stack, kept_database, "inspector"))
    assert {tuple(what) for what in found.values()} == {("SELECT",)}
    assert set(found) == set(await rights(kept_database))


@pytest.mark.parametrize(
    "attempt",
    [
        "delete from wallet.transfers",
        "update wallet.transfers set amount = 1",
        "truncate wallet.transfers",
        "drop trigger transfers_are_final on wallet.transfers",
        "alter table wallet.transfers disable trigger all",
        "alter function wallet.transfers_are_final() owner to croupier_wallet",
        "create or replace function wallet.transfers_are_final() returns trigger language sql as ''",
        "set role croupier_ledger_owner",
        "set role croupier",
        "set session authorization croupier",
        "set session_replication_role = replica",
        "grant croupier_ledger_owner to wallet",
        "create table wallet.mine (id int)",
        "create table public.mine (id int)",
        "create temporary table mine (id int)",
        "create schema mine",
        "create role mine",
        "drop schema wallet cascade",
        "select * from audit.incidents",
        "select * from pg_authid",
        "delete from wallet.transfers_beyond",
        "drop table wallet.transfers_beyond",
        "alter table wallet.transfers detach partition wallet.transfers_beyond",
        "select wallet.add_part('transfers', 'mine', 0, 1)",
        "insert into wallet.archived values ('transfers', '2026-11', 1, 0, '', 0)",
        "update wallet.balances set moved = 1",
        "update wallet.group_sums set balance = 0",
        "update wallet.totals set total = 0",
        "insert into wallet.writing_marks (xid, mark) values ('1', '')",
        "update wallet.writing_marks set mark = ''",
        "delete from wallet.writings",
        "insert into wallet.writings values ('1', now(), 0, '{}')",
        "copy wallet.balances to program 'cat'",
        "update wallet.migrations set checksum = ''",
    ],
)
async def test_what_the_wallets_login_can_not_do(stack: Stack, kept_database: str, attempt: str) -> None:
    async with connected(login_at(stack, kept_database, "wallet"), wallet.ROLE) as connection:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(attempt)


@pytest.mark.parametrize("login", ["wallet", "audit", "inspector"])
@pytest.mark.parametrize("other", ["postgres", "template1"])
async def test_no_login_comes_to_a_database_that_is_not_the_houses(stack: Stack, login: str, other: str) -> None:
    parts = urlsplit(stack.database(login))
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await asyncpg.connect(parts._replace(path=f"/{other}").geturl())


async def test_nobody_comes_in_without_a_password(stack: Stack, tmp_path: Path) -> None:
    for login in ("postgres", "croupier", "wallet"):
        parts = urlsplit(stack.database(login))
        with pytest.raises(asyncpg.InvalidPasswordError):
            await asyncpg.connect(parts._replace(query=f"passfile={tmp_path / 'none'}").geturl())


@pytest.mark.filterwarnings("ignore:password file")
async def test_a_service_that_is_not_let_in_is_told_why(stack: Stack, house_database: str, tmp_path: Path) -> None:
    url = login_at(stack, house_database, "wallet")

    async def refused(url: str, schema: str = "wallet", role: str = wallet.ROLE) -> str:
        with pytest.raises(DatabaseRefused) as why:
            await open_current(url, schema, wallet.MIGRATIONS, role=role, max_size=1)
        return str(why.value)

    open_file = tmp_path / "wallet.pgpass"
    open_file.write_bytes(stack.logins.postgres("wallet").read_bytes())
    open_file.chmod(0o644)
    parts = urlsplit(url)
    assert await refused(parts._replace(query=f"passfile={open_file}").geturl()) == (
        "the database refuses the login wallet: wallet.pgpass can be read by others, so it does not count"
    )
    open_file.chmod(0o600)
    open_file.write_text("*:*:*:wallet:another\n")
    assert await refused(parts._replace(query=f"passfile={open_file}").geturl()) == (
        "the database refuses the login wallet"
    )
    mend = "run `croupier migrate` under the owner's login"
    assert await refused(url, role=audit.ROLE) == f"the login wallet may not act as {audit.ROLE}: {mend}"
    assert await refused(url, "elsewhere") == f"there is no schema elsewhere for {wallet.ROLE}: {mend}"
    await drop_schema(house_database, "wallet")
    assert await refused(url) == f"there is no schema wallet for {wallet.ROLE}: {mend}"


async def test_a_schema_that_is_behind_is_told_and_brought_up(stack: Stack, kept_database: str, tmp_path: Path) -> None:
    later = tmp_path / "wallet" / "migrations"
    later.mkdir(parents=True)
    (later / "099_later.sql").write_text("create table later (id int);")
    url = login_at(stack, kept_database, "wallet")
    with pytest.raises(DatabaseRefused, match=r"^schema wallet lacks wallet/099_later\.sql: run `croupier migrate`"):
        await open_current(url, "wallet", wallet.MIGRATIONS, later, role=wallet.ROLE, max_size=1)
    assert await migrated(kept_database) == []
    pool = await open_current(url, "wallet", wallet.MIGRATIONS, role=wallet.ROLE, max_size=1)
    await pool.close()


async def test_password_files_are_for_their_owner_alone(stack: Stack) -> None:
    files = [each for each in stack.logins.folder.iterdir() if each.suffix in (".kafka", ".pgpass", ".pem")]
    assert {each.stat().st_mode & 0o777 for each in files} == {0o600}
    assert stack.logins.folder.stat().st_mode & 0o777 == 0o700
    assert not [each for each in files if each.read_text().strip() in repr(stack)]


@pytest.mark.parametrize(
    "change", ["kind = 'x'", "severity = 'minor'", "detail = ''", "first_seen = 0", "stream = 'x'"]
)
async def test_nobody_rewrites_what_an_incident_is_about(stack: Stack, kept_database: str, change: str) -> None:
    """Found by an attacker with the auditor's login alone: an incident became another one, and nothing told."""
    async with connected(login_at(stack, kept_database, "audit"), audit.ROLE) as connection:
        await connection.execute("set search_path to audit")
        await connection.execute("update incidents set count = count + 1, last_seen = last_seen")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(f"update incidents set {change}")


async def test_the_archivist_reads_what_goes_into_an_archive(stack: Stack, kept_database: str) -> None:
    found = await rights(login_at(stack, kept_database, ARCHIVIST))
    read = {"wallet": ("transfers", "void_rounds", "session_fees", "sittings"), "audit": PARTED}
    assert found == {(s, name): {"SELECT"} for s, names in read.items() for name in (*names, "archived", "archiving")}


PARTED = ("histories", "played", "journal_links")
NOTHING = "returns void language sql as 'select'"


@pytest.mark.parametrize(
    "attempt",
    [
        f"create or replace function audit.make_month(parent text, month text) {NOTHING}",
        f"create or replace function wallet.make_month(parent text, month text) {NOTHING}",
        f"create or replace function audit.take_out(month text, pieces jsonb) {NOTHING}",
        "create or replace function audit.note_change() returns trigger language plpgsql as 'begin end'",
        "alter function audit.make_month(text, text) owner to archivist",
        "select audit.make_month('played', '2020-01')",
        "select wallet.drop_part('transfers', '2020-01', '[]')",
        "select wallet.put_down('2020-01', '[]', '{}')",
        "select wallet.hold_to_age('2020-01')",
        "delete from audit.incidents",
        "delete from audit.reads",
        "select * from audit.incidents",
        "update wallet.balances set balance = 0",
        "delete from wallet.sittings",
        "insert into wallet.carried values ('real', 'x', 'EUR', 1)",
        "insert into wallet.archived values ('transfers', '2020-01', 1, 0, '', 0)",
        "update wallet.archived set mark = null",
        "update audit.archiving set least_months = 3",
        "alter table wallet.transfers disable trigger user",
        "alter table wallet.transfers detach partition wallet.transfers_before",
        "drop table wallet.transfers_before",
        "delete from wallet.transfers_before",
        "truncate audit.played_before",
        "create role thief",
        "create database elsewhere",
        "create schema mine",
        "create temporary table archived (id int)",
        "create table wallet.mine (id int)",
        "alter role wallet password 'mine'",
        "grant croupier_wallet to archivist",
        "set role croupier",
        "set role croupier_archivist",
        "set role croupier_ledger_owner",
    ],
)
async def test_what_the_archivists_login_can_not_do(stack: Stack, kept_database: str, attempt: str) -> None:
    """Found by an attacker: it wrote a function of the owner anew, which made a login of every service's roles."""
    async with connected(login_at(stack, kept_database, ARCHIVIST)) as connection:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(attempt)


async def test_an_archivist_of_before_loses_the_owners_rights(stack: Stack, kept_database: str) -> None:
    """In a transaction that is not kept, for roles belong to the whole cluster."""
    async with connected(stack.database(ADMIN)) as server:
        transaction = server.transaction()
        await transaction.start()
        try:
            await server.execute(f'grant "{OWNER}" to "{ARCHIVIST}" with inherit true, set false')
            assert await server.fetchval(HAS_OWNERS_RIGHTS, ARCHIVIST, OWNER)
            await part_archivist(server)
            assert not await server.fetchval(HAS_OWNERS_RIGHTS, ARCHIVIST, OWNER)
            await part_archivist(server)
        finally:
            await transaction.rollback()
