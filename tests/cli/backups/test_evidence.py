"""Rows that only the database has: copied to a file, and put into an empty one as they were judged."""

from pathlib import Path

import asyncpg
import pytest

from libs.projecting import migrate
from services.audit.settings import MIGRATIONS, SCHEMA
from services.cli.backups.evidence import copy_rows, put_rows
from services.cli.backups.files import Damaged
from services.wallet.projections import MIGRATIONS as WALLET_MIGRATIONS
from services.wallet.projections import SCHEMA as WALLET

pytestmark = pytest.mark.stack
INCIDENT = (
    "insert into audit.incidents (identity, kind, severity, stream, detail, first_seen, last_seen, count)"
    " values ('\\x00', 'stream_set_aside', 'critical', 's', 'd', 1, 1, 1)"
)
CHECKPOINT = (
    "insert into audit.checkpoints (number, taken_at, root, previous, reached, heads, public_key, signature)"
    " values (1, 1, 'r', 'p', '[]', '[1, 2]', 'k', 's')"
)


async def test_rows_that_changed_since_they_were_judged_do_not_go_in(database: str, tmp_path: Path) -> None:
    """Found by an attacker: the file was read again, unjudged, minutes after all of the backup had been."""
    await migrate(database, SCHEMA, MIGRATIONS)
    await migrate(database, WALLET, WALLET_MIGRATIONS)
    connection = await asyncpg.connect(database)
    await connection.execute(INCIDENT)
    held = {each.table: each for each in await copy_rows(database, tmp_path, 7)}
    await connection.execute("truncate audit.incidents")
    file = tmp_path / held["incidents"].file
    assert file.stat().st_mode & 0o077 == 0
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b"stream_set_aside\tcritical", b"projection_gap\tminor"))
    with pytest.raises(Damaged, match="not as it was written"):
        await put_rows(database, tmp_path, held["incidents"])
    assert await connection.fetchval("select count(*) from audit.incidents") == 0
    file.write_bytes(whole)
    await put_rows(database, tmp_path, held["incidents"])
    assert await connection.fetchval("select severity from audit.incidents") == "critical"
    await connection.close()


async def test_every_table_that_a_backup_takes_goes_back(database: str, tmp_path: Path) -> None:
    """A column that the database computes was among what went in, and no restore came to its end."""
    await migrate(database, SCHEMA, MIGRATIONS)
    await migrate(database, WALLET, WALLET_MIGRATIONS)
    connection = await asyncpg.connect(database)
    await connection.execute(INCIDENT)
    await connection.execute(CHECKPOINT)
    held = await copy_rows(database, tmp_path, 7)
    await connection.execute("truncate audit.incidents, audit.checkpoints")
    for each in held:
        await put_rows(database, tmp_path, each)
    assert await connection.fetchval("select count(*) from audit.incidents") == 1
    assert await connection.fetchval("select streams from audit.checkpoints") == 2
    await connection.close()


async def test_a_link_in_place_of_rows_is_not_written_to(database: str, tmp_path: Path) -> None:
    await migrate(database, SCHEMA, MIGRATIONS)
    await migrate(database, WALLET, WALLET_MIGRATIONS)
    victim = tmp_path / "victim.key"
    victim.write_text("secret")
    file = tmp_path / "audit.incidents.7.rows"
    file.symlink_to(victim)
    await copy_rows(database, tmp_path, 7)
    assert victim.read_text() == "secret"
    assert not file.is_symlink()
