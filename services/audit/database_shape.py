"""What the house's schemas hold, and what its roles may do there, against what this build's migrations make, both ways:
what is there and should not be, or is another, and what should be there and is gone.

Who has once had the owner's rights drops a trigger, grants a right, has a view hide rows, the next crash empty a table,
or rows numbered where nobody looks for them, and none of it shows in a login. Of a month's part alone that is read
which no parent keeps; of an index, what runs code or refuses rows. How a table's pages are filled and cleaned up
(`reloptions`) is whoever's who runs the server: it takes no row away.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import msgspec

from libs.projecting import Connection
from libs.projecting.connecting import is_there
from libs.projecting.migrator import checked
from services.audit.database_logins import HOUSE, OWNER

SHAPE: Mapping[str, str] = msgspec.json.decode(Path(__file__).with_suffix(".json").read_bytes(), type=dict[str, str])
"""As this build's migrations make it: each thing to a digest of what it is, a right to its words
(`WRITE_FUNCTIONS=1 pytest tests/audit/test_database_roads.py` writes them)."""
SCHEMAS = sorted({each.rpartition(" of ")[2] for each in SHAPE if each.startswith("the migration ")})

_THERE = Path(__file__).with_suffix(".sql").read_text().format(owner=OWNER)
_PARTS = Path(__file__).with_name("database_parts.sql").read_text()
_NUMBERED = """select name, format('%I.%I', place.nspname, each.relname) as sequence, quote_ident(attname) as column, of
      from unnest($1::text[]) as name join pg_catalog.pg_class as each on each.oid = to_regclass(name)
        join pg_catalog.pg_namespace as place on place.oid = each.relnamespace
        join pg_catalog.pg_depend on classid = 'pg_class'::regclass and objid = each.oid and deptype in ('a', 'i')
        join pg_catalog.pg_attribute on (attrelid, attnum) = (refobjid, refobjsubid)
        cross join lateral (select format('%I.%I', nspname, relname) as of from pg_catalog.pg_class
            join pg_catalog.pg_namespace on pg_namespace.oid = relnamespace where pg_class.oid = refobjid) as numbered
     where case when each.relkind = 'S' then has_sequence_privilege(each.oid, 'select') end
       and has_column_privilege(refobjid, refobjsubid::smallint, 'select')
     order by name"""
"""Of these sequences those that may be read, and the columns they number."""
# A sequence is read as it is now, rows as of the transaction's beginning: it is ahead of them, whoever writes.
_AMISS = """select coalesce(case when is_called then last_value < most else last_value <= most end, false)
        or last_value - coalesce(most, 0) > {room}
      from {sequence}, (select max({column}) as most from {of}) as rows"""
_ROOM = 2**40
"""Numbers beyond the last row's: none of a house's sequences gets there in ten thousand years at three a second. Who
sets one to its end, or close to it, has the table take no more rows, at once or at a time of his choosing."""
_MAY_READ = "select coalesce(has_table_privilege(to_regclass($1), 'select'), false)"


async def shape_there(
    connection: Connection, schemas: Sequence[str], further: Collection[str] = (), shape: Mapping[str, str] = SHAPE
) -> dict[str, str]:
    """Of these schemas, which are there; in a transaction. What each month of a table is stands once for all; one that
    is something else than in `shape` stands there by its own name."""
    path = await connection.fetchval("select current_setting('search_path')")
    await connection.execute("set local search_path to pg_catalog")
    ours = [*HOUSE, OWNER]
    asked = list(schemas), ours, list(further)
    found = {row["what"]: row["said"] for row in await connection.fetch(_THERE, *asked)}
    for row in await connection.fetch(_PARTS, *asked):
        usual = f"each month of {row['of']}"
        if row["said"] == shape.get(usual, found.get(usual, row["said"])):
            found[usual] = row["said"]
        else:
            found[f"the relation {row['what']}"] = row["said"]
    # In no `finally`: a transaction that failed takes the path back with it, and would refuse this, so that whoever
    # cancels a look had a database's error in place of his own.
    await connection.execute("select set_config('search_path', $1, true)", path)
    for schema in schemas:
        for row in await connection.fetch(f'select name, checksum from "{checked(schema)}".migrations'):
            found[f"the migration {row['name']} of {schema}"] = row["checksum"]
    return found


async def misshapen(connection: Connection, further: Collection[str] = ()) -> list[str]:
    """What is not as it should be, each by its name; in a transaction. Of a schema of another build, as while an
    upgrade rolls, its migrations alone. `further`: logins that may have more than the house gives."""
    there, found = [], []
    for schema in SCHEMAS:
        if not await is_there(connection, f"{schema}.positions"):
            continue  # its service has never run here
        if await connection.fetchval(_MAY_READ, f"{schema}.migrations"):
            there.append(schema)
        else:
            found.append(f"the relation {schema}.migrations")
    now = await shape_there(connection, there, further)
    wanted = {what: said for what, said in SHAPE.items() if there and _schema(what) in (*there, "")}
    migrations = _differences(_migrations(now), _migrations(wanted))
    others = {each.rpartition(" of ")[2] for each in migrations}
    if others:
        now = {what: said for what, said in now.items() if _schema(what) not in others}
        wanted = {what: said for what, said in wanted.items() if _schema(what) not in others}
    sound = [what.removeprefix("the relation ") for what, said in wanted.items() if now.get(what) == said]
    return [*found, *migrations, *_differences(now, wanted), *await _misnumbered(connection, sound)]


async def _misnumbered(connection: Connection, relations: Sequence[str]) -> list[str]:
    """Where rows get numbers that others have had: who has come further looks at no such row. And where numbers are
    about to end (`_ROOM`). `relations`: with schema; sequences among them that are as they should be, so that what they
    number has an index."""
    found = []
    for row in await connection.fetch(_NUMBERED, relations):
        if await connection.fetchval(_AMISS.format(**row, room=_ROOM)):
            found.append(f"the next number of {row['name']}")
    return found


def _migrations(shape: Mapping[str, str]) -> dict[str, str]:
    return {what: said for what, said in shape.items() if what.startswith("the migration ")}


def _differences(now: Mapping[str, str], wanted: Mapping[str, str]) -> list[str]:
    return sorted(what for what in now.keys() | wanted.keys() if now.get(what) != wanted.get(what))


def _schema(what: str) -> str:
    """Whose it is; '': of the server's roles."""
    return next((each for each in SCHEMAS if f" {each}." in what or what.endswith(f" {each}")), "")
