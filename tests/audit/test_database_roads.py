"""Roads into the house's data that no login's rights show are told: each as an attacker has built it."""

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
FILE, SHAPE_FILE = (Path(each.__file__).with_suffix(".json") for each in (database_roads, database_shape))
WRITE = "WRITE_FUNCTIONS" in os.environ
_ACTS = "returns int language sql security definer as 'select 1'"
_TRIGGER = "returns trigger language plpgsql as 'begin return new; end'"


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


@pytest.mark.parametrize("may", ["superuser", "replication", "bypassrls", "createrole", "createdb"])
async def test_what_a_login_of_the_house_may_do_to_the_server_is_told(server: Connection, may: str) -> None:
    await server.execute(f"alter role inspector {may}")
    assert may in (await told(server))["inspector/attributes"]
    assert await told(server, "inspector") == {}
    await server.execute(f"alter role inspector no{may}; alter role croupier {may}")
    assert ("croupier/attributes" in await told(server)) is (may not in ("createrole", "createdb"))
