"""Roads into the house's data that no login's rights show are told: each as an attacker has built it."""

import pytest

from libs.projecting import Connection
from services.audit.database_roads import FUNCTIONS, roads
from services.audit.verifying.findings import Kind
from tests.audit.test_database_logins import SCHEMAS, server

pytestmark = pytest.mark.stack
__all__ = ["server"]
_ACTS = "returns int language sql security definer as 'select 1'"
_TRIGGER = "returns trigger language plpgsql as 'begin return new; end'"


async def told(server: Connection, *further: str) -> dict[str, str]:
    found = await roads(server, SCHEMAS, further)
    assert {each.kind for each in found} <= {Kind.DATABASE_STRANGERS}
    return {each.stream: each.detail for each in found}


async def test_a_house_as_it_is_made_has_none_and_its_functions_are_those_of_its_migrations(server: Connection) -> None:
    assert await told(server) == {}
    rows = await server.fetch(
        "select distinct proname from pg_proc join pg_namespace as of on of.oid = pronamespace where nspname = any($1)",
        list(SCHEMAS),
    )
    assert {row["proname"] for row in rows} == FUNCTIONS


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
        (f"create function wallet.run() {_ACTS}", "the function wallet.run"),
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


@pytest.mark.parametrize("may", ["superuser", "replication", "bypassrls", "createrole", "createdb"])
async def test_what_a_login_of_the_house_may_do_to_the_server_is_told(server: Connection, may: str) -> None:
    await server.execute(f"alter role inspector {may}")
    assert may in (await told(server))["inspector/attributes"]
    assert await told(server, "inspector") == {}
    await server.execute(f"alter role inspector no{may}; alter role croupier {may}")
    assert ("croupier/attributes" in await told(server)) is (may not in ("createrole", "createdb"))
