"""A house of before that was updated step by step is what a new one is: nothing of it is told as a stranger's."""

from pathlib import Path

import asyncpg
import pytest

from libs.projecting import drop_schema, migrate, migrator
from services.audit.database_roads import roads
from services.audit.settings import MIGRATIONS as AUDIT
from services.cli.migrate import migrated
from services.wallet.projections import MIGRATIONS as WALLET

pytestmark = pytest.mark.stack
OWN = migrator.OWN_MIGRATIONS


def as_of(folder: Path, directory: Path, last: int) -> Path:
    then = folder / directory.parent.name / "migrations"
    then.mkdir(parents=True, exist_ok=True)
    for file in directory.glob("*.sql"):
        if int(file.name[:3]) <= last:
            (then / file.name).write_bytes(file.read_bytes())
    return then


@pytest.mark.parametrize("steps", [[(3, 5, 6), (3, 15, 11), (4, 16, 13), (7, 21, 22)], [(5, 20, 19), (8, 21, 29)]])
async def test_it_is_as_a_new_one(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: list[tuple[int, int, int]]
) -> None:
    for schema in ("wallet", "audit"):
        await drop_schema(database, schema)
    for own, wallet, audit in steps:
        monkeypatch.setattr(migrator, "OWN_MIGRATIONS", as_of(tmp_path, OWN, own))
        await migrate(database, "wallet", as_of(tmp_path, WALLET, wallet))
        await migrate(database, "audit", as_of(tmp_path, AUDIT, audit))
    monkeypatch.setattr(migrator, "OWN_MIGRATIONS", OWN)
    await migrated(database)
    connection = await asyncpg.connect(database)
    async with connection.transaction():
        assert [each.stream for each in await roads(connection)] == []
    await connection.close()
