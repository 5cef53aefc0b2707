"""Migrations: in order, once, in a schema of any name, and never edited."""

import asyncio
from pathlib import Path

import asyncpg
import pytest

from libs.projecting import MigrationChanged, MigrationHeldUp, drop_schema, migrate, migrator, open_pool
from libs.projecting.migrator import OWN_MIGRATIONS
from libs.stack import Stack
from libs.stack.postgres import ARCHIVIST
from services.cli.migrate import migrated
from tests.conftest import login_at

OWN = [f"projecting/{file.name}" for file in sorted(OWN_MIGRATIONS.glob("*.sql"))]

pytestmark = pytest.mark.stack


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "shop" / "migrations"
    folder.mkdir(parents=True)
    (folder / "001_things.sql").write_text("create table things (id int primary key); insert into things values (1);")
    (folder / "002_more.sql").write_text("alter table things add column name text;")
    return folder


async def test_applies_in_order_and_once(database: str, files: Path) -> None:
    first = await migrate(database, "shop", files)
    assert first == [
        *OWN, "shop/001_things.sql", "shop/002_more.sql",
    ]  # fmt: skip
    assert await migrate(database, "shop", files) == []
    (files / "003_last.sql").write_text("insert into things values (2, 'two');")
    assert await migrate(database, "shop", files) == ["shop/003_last.sql"]
    await migrate(database, "shop_rebuilt", files)
    pool = await open_pool(database, "shop_rebuilt")
    assert await pool.fetchval("select count(*) from things") == 2
    await pool.close()
    await drop_schema(database, "shop_rebuilt")


async def test_two_processes_that_start_at_once_migrate_once(database: str, files: Path) -> None:
    applied = await asyncio.gather(*(migrate(database, "shop", files) for _ in range(3)))
    assert sorted(len(each) for each in applied) == [0, 0, len(OWN) + 2]


async def test_who_holds_migrations_up_is_told_by_name(stack: Stack, database: str, files: Path) -> None:
    await migrated(database)  # lets the archivist in
    stranger = await asyncpg.connect(login_at(stack, database, ARCHIVIST))
    await stranger.execute(f"select pg_advisory_lock({migrator._LOCK})")
    pid = await stranger.fetchval("select pg_backend_pid()")
    with pytest.raises(MigrationHeldUp, match=rf"the login archivist .*pg_terminate_backend\({pid}\)"):
        await asyncio.wait_for(migrate(database, "shop", files), 10)
    await stranger.close()
    assert len(await migrate(database, "shop", files)) == len(OWN) + 2


async def test_an_edited_file_is_refused(database: str, files: Path) -> None:
    await migrate(database, "shop", files)
    (files / "001_things.sql").write_text("create table things (id bigint primary key);")
    with pytest.raises(MigrationChanged, match="001_things"):
        await migrate(database, "shop", files)


async def test_a_failing_file_leaves_nothing_behind(database: str, files: Path) -> None:
    (files / "002_more.sql").write_text("create table half (id int); select 1 / 0;")
    with pytest.raises(asyncpg.DivisionByZeroError):
        await migrate(database, "shop", files)
    pool = await open_pool(database, "shop")
    assert await pool.fetchval("select to_regclass('things') is not null and to_regclass('half') is null")
    await pool.close()


async def test_a_schema_name_is_never_sql(database: str, files: Path) -> None:
    with pytest.raises(ValueError, match="schema name"):
        await migrate(database, 'x"; drop schema public; --', files)
