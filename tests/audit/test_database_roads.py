"""Roads into the house's data that no login's rights show are told: each as an attacker has built it."""

import asyncio
import json
import os
from pathlib import Path

import pytest

from libs.projecting import Connection
from services.audit import database_roads, database_shape
from services.audit.database_roads import FUNCTIONS, FUNCTIONS_THERE, roads
from services.audit.database_shape import SHAPE, shape_there
from services.audit.verifying.findings import Kind
from tests.audit.test_database_logins import SCHEMAS, server

pytestmark = pytest.mark.stack
__all__ = ["server"]
FILE = Path(database_roads.__file__).with_suffix(".json")
SHAPE_FILE = Path(database_shape.__file__).with_suffix(".json")
WRITE = "WRITE_FUNCTIONS" in os.environ
_ACTS = "returns int language sql security definer as 'select 1'"
_TRIGGER = "returns trigger language plpgsql as 'begin return new; end'"

_OF_DATABASE = "do $$ begin execute format('alter database %I set {}', current_database()); end $$"
_LIMITED = "do $$ begin execute format('alter database %I connection limit 3', current_database()); end $$"
_WAY_IN = "do $$ begin execute format('{} connect on database %I {} {}', current_database()); end $$"
_OF_ITS_ROW = "update pg_database set {} where datname = current_database()"
"""Of these what `alter database` says only from another one."""
_SUBSCRIBED = "create subscription x connection 'dbname=x' publication y with (connect = false)"


async def told(server: Connection, *further: str) -> dict[str, str]:
    found = await roads(server, further)
    assert {each.kind for each in found} <= {Kind.DATABASE_STRANGERS}
    return {each.stream: each.detail for each in found}


async def test_a_house_as_it_is_made_has_none_and_its_functions_are_those_of_its_migrations(server: Connection) -> None:
    there = {row["what"]: row["digest"] for row in await server.fetch(FUNCTIONS_THERE, list(SCHEMAS))}
    shape = await shape_there(server, SCHEMAS, shape={} if WRITE else SHAPE)
    if WRITE:
        FILE.write_text(json.dumps(there, indent=1) + "\n")
        SHAPE_FILE.write_text(json.dumps(dict(sorted(shape.items())), indent=1) + "\n")
    assert (there, shape) == (FUNCTIONS, SHAPE), "WRITE_FUNCTIONS=1 writes them anew"
    assert await told(server) == {}


async def test_a_look_that_is_cancelled_ends_as_cancelled(server: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server refuses whatever comes behind it in the transaction, which is not to be what the look says."""
    monkeypatch.setattr(database_shape, "_THERE", "select pg_sleep(60), $1::text[], $2::text[], $3::text[]")

    async def look() -> None:
        async with server.transaction():
            await shape_there(server, SCHEMAS)

    looking = asyncio.create_task(look())
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(looking, 0.5)
    assert looking.cancelled()


@pytest.mark.parametrize(
    ("done", "what"),
    [
        ("grant usage on schema wallet to public", "the schema wallet"),
        ("grant select on wallet.balances to public", "the relation wallet.balances"),
        ("create schema x authorization croupier", "the schema x"),
        (
            f"create function public.run() {_ACTS}; alter function public.run owner to croupier",
            "the function public.run",
        ),
        ("create view public.v as select 1 as a; alter view public.v owner to croupier", "the relation public.v"),
        (f"create function wallet.run() {_ACTS}", "the function wallet.run()"),
        (f"create function audit.take_out(q text) {_ACTS}", "the function audit.take_out(q text)"),
        ("alter function wallet.note_change security invoker", "the function wallet.note_change()"),
        ("alter table audit.reads disable trigger reads_are_final", "the trigger reads_are_final of audit.reads"),
        ("alter table audit.incidents enable row level security", "the row security of audit.incidents"),
        ("create policy p on audit.incidents using (id < 7)", "the policy p of audit.incidents"),
        ("create schema x authorization stranger", "the schema x"),
        ("alter role croupier set search_path = x, pg_catalog", "the setting search_path of croupier"),
        ("alter role stranger replication", "the login stranger, which replicates"),
        ("alter function wallet.group_of immutable strict", "the function wallet.group_of(account text)"),
        ("alter function wallet.note_change cost 1000000", "the function wallet.note_change()"),
        (_OF_DATABASE.format("synchronous_commit = off"), "the setting synchronous_commit of the database"),
        (
            _OF_DATABASE.format("default_transaction_read_only = on"),
            "the setting default_transaction_read_only of the database",
        ),
        (_OF_DATABASE.format("search_path = x"), "the setting search_path of every connection"),
        (_LIMITED, "the limit of connections of the database"),
        ("create publication x for table audit.positions where (position > 0)", "the publication x"),
        ("create publication x for all tables", "the publication x"),
        (_SUBSCRIBED, "the subscription x"),
        (_WAY_IN.format("revoke", "from", "wallet"), "the way in of wallet"),
        (_WAY_IN.format("revoke", "from", "inspector"), "the way in of inspector"),
        (_WAY_IN.format("grant", "to", "public"), "the way in of everybody"),
        ("alter role audit connection limit 0", "the way in of audit"),
        ("alter role audit valid until '2020-01-01'", "the way in of audit"),
        (_OF_ITS_ROW.format("datallowconn = false"), "the way in"),
        (_OF_ITS_ROW.format("datistemplate = true"), "the right of who copies it"),
        (
            f"create function public.t() {_TRIGGER}; "
            "create trigger more before insert on wallet.balances for each row execute function public.t()",
            "the trigger more of wallet.balances",
        ),
        ("create rule more as on insert to wallet.tables do also select 1", "the rule more of wallet.tables"),
    ],
)
async def test_each_is_told_by_its_name(server: Connection, done: str, what: str) -> None:
    await server.execute(done)
    assert list(await told(server)) == [what]


_PART = "wallet.transfers_beyond"


@pytest.mark.parametrize(
    ("done", "what"),
    [
        ("drop trigger note_change on wallet.balances", "the trigger note_change of wallet.balances"),
        (
            "drop trigger the_books_balance on wallet.totals; create constraint trigger the_books_balance after insert"
            " on wallet.totals deferrable initially deferred for each row execute function wallet.the_books_balance()",
            "the trigger the_books_balance of wallet.totals",
        ),
        (f"drop trigger transfers_are_final on {_PART}", f"the relation {_PART}"),
        (f"grant update on {_PART} to croupier_wallet", f"the relation {_PART}"),
        (f"create unique index on {_PART} (event_time)", f"the relation {_PART}"),
        (f"alter table wallet.transfers detach partition {_PART}", f"the relation {_PART}"),
        ("drop function wallet.group_of cascade", "the function wallet.group_of(account text)"),
        (
            "alter table wallet.balances drop constraint never_below_its_floor",
            "the constraint never_below_its_floor of wallet.balances",
        ),
        ("drop index audit.reads_by_digest", "the index reads_by_digest of audit.reads"),
        ("create unique index x on wallet.balances (account)", "the index x of wallet.balances"),
        ("alter table audit.readers alter mark drop not null", "the relation audit.readers"),
        ("alter table wallet.balances alter part set default 7", "the relation wallet.balances"),
        ("alter table wallet.balances owner to wallet", "the relation wallet.balances"),
        ("alter table wallet.writings set unlogged", "the relation wallet.writings"),
        (
            "create or replace view wallet.accounts as select book, account, currency, sum(balance) as balance,"
            " bool_and(no_floor) as no_floor from wallet.balances where account <> 'x'"
            " group by book, account, currency",
            "the relation wallet.accounts",
        ),
        ("create table wallet.x (id int)", "the relation wallet.x"),
        (
            "create schema x authorization stranger; create table x.y () inherits (wallet.balances)",
            "the child x.y of wallet.balances",
        ),
        ("create domain wallet.x as int", "the type wallet.x"),
        ("grant update, delete on wallet.transfers to wallet", "the rights of wallet in wallet.transfers"),
        ("grant delete on wallet.writings to croupier_audit", "the rights of croupier_audit in wallet.writings"),
        ("grant update (amount) on wallet.transfers to public", "the rights of everybody in wallet.transfers"),
        (
            "grant select on wallet.balances to croupier_books_reader with grant option",
            "the rights of croupier_books_reader in wallet.balances",
        ),
        (
            "revoke select on wallet.rake_accounts from croupier_books_reader",
            "the rights of croupier_books_reader in wallet.rake_accounts",
        ),
        ("grant create on schema wallet to croupier_wallet", "the rights of croupier_wallet in the schema wallet"),
        (
            "grant execute on function wallet.take_out to croupier_wallet",
            "the rights of croupier_wallet in the function wallet.take_out(month text, pieces jsonb)",
        ),
        ("alter function audit.note_change() owner to stranger", "the function audit.note_change()"),
        ("alter function wallet.note_change() set search_path to wallet", "the function wallet.note_change()"),
        ("grant croupier_ledger_owner to croupier_wallet", "croupier_wallet in croupier_ledger_owner"),
        ("grant croupier_wallet to wallet with admin option", "wallet in croupier_wallet, to give away"),
        (
            "revoke croupier_books_reader from croupier_audit granted by croupier",
            "croupier_audit in croupier_books_reader",
        ),
        ("alter role croupier_wallet bypassrls", "croupier_wallet/attributes"),
        ("alter role croupier_books_reader login", "croupier_books_reader/attributes"),
        (
            "alter default privileges for role croupier in schema wallet grant all on tables to wallet",
            "the default rights of wallet",
        ),
        ("insert into audit.migrations values ('audit/999_x.sql', '')", "the migration audit/999_x.sql of audit"),
    ],
)  # fmt: skip
async def test_what_is_not_as_migrations_make_it_is_told(server: Connection, done: str, what: str) -> None:
    await server.execute(done)
    assert what in await told(server)
    if "cascade" not in done and "detach" not in done and "owner to wallet" not in done and "x.y" not in done:
        assert list(await told(server)) == [what]


async def test_of_a_schema_of_another_build_its_migrations_are_told(server: Connection) -> None:
    """As while an upgrade rolls."""
    await server.execute("insert into wallet.migrations values ('wallet/999_x.sql', '')")
    await server.execute("alter table wallet.tables add column x int; alter table audit.topics add column x int")
    assert list(await told(server)) == ["the migration wallet/999_x.sql of wallet", "the relation audit.topics"]
    await server.execute("revoke select on wallet.migrations from croupier_books_reader; set role croupier_audit")
    assert "the relation wallet.migrations" in await told(server)


async def test_what_comes_and_goes_in_a_house_is_not_told(server: Connection) -> None:
    """Months, also those of before, that an archive took out, indexes of whoever runs the server, a login more."""
    for month in ("2024-01", "2024-02"):
        await server.execute(f"set search_path to wallet; select make_month('transfers', '{month}')")
    await server.execute("drop table wallet.transfers_2024_01")
    await server.execute("set search_path to audit; select make_month('histories', '2024-03')")
    await server.execute("create index on wallet.balances (account); create index on wallet.transfers_2024_02 (amount)")
    await server.execute("create unique index transfers_pkey_ccnew on wallet.tables (table_id)")
    await server.execute("grant usage on schema wallet to stranger; grant select on wallet.balances to stranger")
    assert await told(server) == {}
    await server.execute("set search_path to public")
    assert await told(server) == {}
    assert await server.fetchval("select current_setting('search_path')") == "public"


async def test_no_function_looks_first_among_what_is_temporary(server: Connection) -> None:
    paths = await server.fetch(
        """select proname, array_to_string(proconfig, ' ') as path from pg_proc
            where pronamespace = any($1::text[]::regnamespace[]) and (prosecdef or proconfig is not null)""",
        list(SCHEMAS),
    )
    assert {row["path"] for row in paths} == {"search_path=wallet, pg_temp", "search_path=audit, pg_temp"}


async def test_a_schema_that_is_rebuilt_beside_the_live_one_is_the_house_s(server: Connection) -> None:
    definition = await server.fetchval("select pg_get_functiondef('wallet.note_change'::regproc)")
    await server.execute("create schema wallet_rebuilt_x authorization croupier")
    await server.execute(str(definition).replace("wallet", "wallet_rebuilt_x"))
    await server.execute("alter function wallet_rebuilt_x.note_change owner to croupier_ledger_owner")
    assert await told(server) == {}
    await server.execute(f"create function wallet_rebuilt_x.run() {_ACTS}")
    assert list(await told(server)) == ["the function wallet_rebuilt_x.run()"]


async def test_what_the_database_gives_to_others_is_told(server: Connection) -> None:
    name = await server.fetchval("select current_database()")
    await server.execute(f'grant create on database "{name}" to stranger')
    await server.execute(f'alter database "{name}" set search_path = x, pg_catalog')
    assert list(await told(server)) == [
        "the right of stranger to make schemas",
        "the setting search_path of every connection",
    ]
    assert list(await told(server, "stranger")) == ["the setting search_path of every connection"]


async def test_what_replicates_for_a_login_that_may_is_not_told(server: Connection) -> None:
    await server.execute("create publication x for table wallet.balances; alter publication x owner to stranger")
    assert list(await told(server)) == ["the publication x"]
    assert await told(server, "stranger") == {}


async def test_a_login_that_is_shut_or_may_have_what_it_has_has_no_way_in_to_lose(server: Connection) -> None:
    await server.execute("alter role wallet connection limit 0")
    assert await told(server, "wallet") == {}
    await server.execute("alter role wallet nologin")
    assert await told(server) == {}


@pytest.mark.parametrize("may", ["superuser", "replication", "bypassrls", "createrole", "createdb"])
async def test_what_a_login_of_the_house_may_do_to_the_server_is_told(server: Connection, may: str) -> None:
    await server.execute(f"alter role inspector {may}")
    assert may in (await told(server))["inspector/attributes"]
    assert await told(server, "inspector") == {}
    await server.execute(f"alter role inspector no{may}; alter role croupier {may}")
    assert ("croupier/attributes" in await told(server)) is (may not in ("createrole", "createdb"))
