"""What only the database has: nobody can make these rows anew from the log, so a backup holds them."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

import asyncpg
import msgspec
from msgspec.structs import replace

from libs.projecting import Connection
from libs.projecting.connecting import connect
from libs.stack_error import StackError
from services.audit import settings as audit
from services.audit.checkpoint_rows import checkpoints
from services.audit.verifying.checkpoint import Checkpoint
from services.cli.backups import pieces
from services.cli.backups.files import Rows, fresh, rows_in, to_disk
from services.wallet import projections as wallet

EVIDENCE = (
    (wallet.SCHEMA, "reads"),
    (audit.SCHEMA, "reads"),
    (audit.SCHEMA, "incidents"),
    (audit.SCHEMA, "cases"),
    (audit.SCHEMA, "checkpoints"),
    (audit.SCHEMA, "restrictions"),
)
"""Who looked at what; what was found, and when; signed heads; who was blocked, of which the topic keeps the last word.

Which id a topic has (`audit.topics`) and how far the auditor has read (`audit.readers`) are of the lost cluster.
"""
CUT = frozenset({(audit.SCHEMA, "checkpoints")})
"""Copied piece by piece, each when rows were added to it (`pieces.py`): a thousand tables sign half a billion heads a
year, and a run is due every quarter of an hour."""
_OF_SERVICES = ((wallet.SCHEMA, "positions"), (audit.SCHEMA, "positions"), (audit.SCHEMA, "readers"))
"""Not empty once a service has come up."""


async def copy_rows(database_url: str, folder: Path, at: int, before: Sequence[Rows] = ()) -> list[Rows]:
    """As of one moment; `at` makes the names of the files. `before`: what an earlier backup in this folder holds."""
    connection = await connect(database_url)
    copied = list[Rows]()
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            for schema, table in EVIDENCE:
                wanted = Rows(schema, table, await _columns(connection, schema, table), "", 0, "")
                held = [each for each in before if (each.schema, each.table) == (schema, table)]
                is_cut = (schema, table) in CUT
                for each in await pieces.standing(connection, folder, wanted, held) if is_cut else [wanted]:
                    copied.append(each if each.file else await _copy(connection, folder, each, at))
    finally:
        await connection.close()
    return copied


async def _columns(connection: Connection, schema: str, table: str) -> tuple[str, ...]:
    columns = await connection.fetch(
        # what the database computes by itself, COPY takes from nobody
        "select attname from pg_attribute where attrelid = $1::text::regclass and attnum > 0 and not attisdropped"
        " and attgenerated = '' order by attnum",
        f"{schema}.{table}",
    )
    return tuple(row["attname"] for row in columns)


async def _copy(connection: Connection, folder: Path, wanted: Rows, at: int) -> Rows:
    file = f"{wanted.name}.{at}.rows"
    with fresh(folder / file) as out:
        held = await _held(connection, wanted, out)
        out.flush()
        to_disk(out.fileno())
    return replace(wanted, file=file, rows=held.rows, sha256=held.digest.hexdigest())


class _Held:
    """Rows as they pass: as many as there are, and a digest over all."""

    def __init__(self, out: BinaryIO | None) -> None:
        self.rows, self.digest = 0, sha256()
        self._out = out

    async def __call__(self, data: bytes) -> None:
        self.rows += data.count(b"\n")
        self.digest.update(data)
        if self._out is not None:
            self._out.write(data)


async def _held(connection: Connection, wanted: Rows, out: BinaryIO | None = None) -> _Held:
    """As COPY writes it: a line for each row, in which no value has a line's end."""
    listed = ", ".join(f'"{name}"' for name in wanted.columns)
    which = pieces.which(wanted) if (wanted.schema, wanted.table) in CUT else "order by 1"
    held = _Held(out)
    await connection.copy_from_query(f"select {listed} from {wanted.schema}.{wanted.table} {which}", output=held)
    return held


async def check_empty(database_url: str, again: bool = False) -> None:
    """Raises StackError where the schemas are missing, or hold anything of a house. `again`: but what an earlier run
    has put there."""
    connection = await connect(database_url)
    try:
        for schema, table in _OF_SERVICES if again else (*_OF_SERVICES, *EVIDENCE):
            if await connection.fetchval(f"select exists (select from {schema}.{table})"):
                raise StackError(f"the database is not empty: {schema}.{table} has rows")
    except asyncpg.UndefinedTableError as wrong:
        raise StackError(f"the database has no schemas yet ({wrong}): `croupier migrate`") from None
    finally:
        await connection.close()


def why_not_evidence(found: Sequence[Rows]) -> str | None:
    """A manifest says which rows go in as the database's owner: none but those that a backup takes, and each of them
    once."""
    if {(each.schema, each.table) for each in found} != set(EVIDENCE):
        return "its rows are not of those tables that a backup takes"
    for schema, table in EVIDENCE:
        held = [each for each in found if (each.schema, each.table) == (schema, table)]
        if not pieces.are_whole(held) or (len(held) > 1 and (schema, table) not in CUT):
            return f"its rows of {schema}.{table} are not all of them, each once"
    return None


async def put_rows(database_url: str, folder: Path, rows: Rows) -> None:
    """All of them, or none; nothing where they are there already. Raises `Damaged`, and StackError where others are.

    The folder may have changed since it was checked, so the file is judged again: these bytes go in and no others.
    """
    connection = await connect(database_url)
    try:
        there = await _held(connection, rows)
        if there.digest.hexdigest() == rows.sha256:
            return
        if there.rows:
            raise StackError(f"the database is not empty: {rows.schema}.{rows.table} has rows")
        with rows_in(folder, rows) as judged:
            async with connection.transaction():
                await connection.copy_to_table(
                    rows.table, schema_name=rows.schema, columns=list(rows.columns), source=judged
                )
                if "id" in rows.columns:  # numbers go on where they were
                    await connection.execute(
                        f"select setval(pg_get_serial_sequence('{rows.schema}.{rows.table}', 'id'), max(id))"
                        f" from {rows.schema}.{rows.table} having max(id) is not null"
                    )
    finally:
        await connection.close()


async def write_checkpoints(database_url: str, file: Path, public_key: str = "") -> None:
    """The file outside, where it is lost, too. One that is there is left alone: it may know of more than a backup.

    Only what is signed under `public_key` (hex), if one is given."""
    if _size(file):
        return
    connection = await connect(database_url, audit.SCHEMA)
    try:
        async for each in checkpoints(connection, public_key=public_key):
            _append(file, each)
    finally:
        await connection.close()


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _append(file: Path, kept: Checkpoint) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab") as lines:
        lines.write(msgspec.json.encode(kept) + b"\n")
