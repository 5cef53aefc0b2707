"""What a history takes on disk: bytes of each topic, of each table of the read models, and of those in an archive."""

import gzip
from typing import Any

import asyncpg

from libs.contracts.topics import TOPICS
from libs.stack.home import Home
from services.audit.projections.histories import BY_MONTH as HANDS
from services.audit.settings import SCHEMA as AUDIT
from services.cli.surroundings import Surroundings
from services.wallet.projections import BY_MONTH as BOOKS
from tests.bench.house.meters import sizes

WALLET = "wallet"
_LEVEL = 6
"""Of compression, as `services/cli/archive/files.py` has it."""
_TABLES = """
    select n.nspname || '.' || coalesce(whole.relname, c.relname), sum(pg_total_relation_size(c.oid))::bigint
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      left join pg_inherits i on i.inhrelid = c.oid left join pg_class whole on whole.oid = i.inhparent
     where n.nspname = any($1) and c.relkind = 'r' group by 1 order by 1"""


class Packed:
    """Counts what a file of the archive would hold."""

    def __init__(self) -> None:
        self.size = 0
        self._packed = gzip.GzipFile("", "wb", _LEVEL, self, mtime=0)

    def write(self, data: bytes) -> int:
        self.size += len(data)
        return len(data)

    def flush(self) -> None:
        """There is nothing to flush."""

    async def take(self, data: bytes) -> None:
        self._packed.write(data)

    def close(self) -> int:
        self._packed.close()
        return self.size


async def stored(at: Surroundings) -> dict[str, Any]:
    """Bytes. Indexes count to their tables, records' heads to their topics; nothing is replicated here."""
    ours = {each.name for each in TOPICS}
    topics = sizes(Home(at.stack.home).kafka(1) / "data")
    connection = await asyncpg.connect(at.stack.database_url)
    try:
        tables = {row[0]: row[1] for row in await connection.fetch(_TABLES, [WALLET, AUDIT])}
        archive = {f"{schema}.{table}": await _packed(connection, schema, table)
                   for schema, names in ((WALLET, BOOKS), (AUDIT, HANDS)) for table in names}  # fmt: skip
    finally:
        await connection.close()
    return {
        "topics": {name: size for name, size in sorted(topics.items()) if name in ours},
        "tables": tables,
        "archive": archive,
    }


async def _packed(connection: "asyncpg.Connection[Any]", schema: str, table: str) -> int:
    packed = Packed()
    await connection.copy_from_query(f"select * from {schema}.{table}", output=packed.take)
    return packed.close()
