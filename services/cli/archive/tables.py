"""What goes into an archive, month by month (UTC): whole parts of tables, and rows of sittings that are over."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from libs.projecting import Connection
from libs.projecting.connecting import is_there
from services.audit import settings as audit
from services.audit.projections.record_marks import MARK_COLUMNS
from services.wallet import projections as wallet


class Kept(NamedTuple):
    """One table. `{since}` and `{until}` in `which` are the month's ends, milliseconds; its rows are called `t`."""

    name: str
    which: str
    is_parted: bool = False

    def of(self, since: int, until: int) -> str:
        return self.which.format(since=since, until=until)


def _parted(name: str, time: str) -> Kept:
    return Kept(name, f"t.{time} >= {{since}} and t.{time} < {{until}}", True)


_ENDED = "{alias}.ended_at >= {{since}} and {alias}.ended_at < {{until}}"
_OF_SITTINGS = (
    "(t.table_id, t.reservation) in (select s.table_id, s.reservation from {schema}.sittings s where "
    + _ENDED.format(alias="s").replace("{", "{{").replace("}", "}}")
    + ")"
)
PARTED: Mapping[str, tuple[Kept, ...]] = {
    wallet.SCHEMA: (_parted("transfers", "event_time"),),
    audit.SCHEMA: (
        _parted("histories", "started_at"),
        _parted("played", "started_at"),
        _parted("journal_links", "at"),
    ),
}
SITTINGS = Kept("sittings", _ENDED.format(alias="t"))
OF_SITTINGS = ("void_rounds", "session_fees")


def tables(kind: str, schema: str | None = None) -> tuple[Kept, ...]:
    """Of one of our schemas; `schema` where the same tables have another one. What hangs on sittings comes first."""
    if kind != wallet.SCHEMA:
        return PARTED[kind]
    of_sittings = (Kept(name, _OF_SITTINGS.format(schema=f'"{schema or kind}"')) for name in OF_SITTINGS)
    return (*PARTED[kind], *of_sittings, SITTINGS)


def ends_of(month: str) -> tuple[int, int]:
    """First millisecond of `2024-10`, and that of the month behind it."""
    began = datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)
    until = began.replace(year=began.year + began.month // 12, month=began.month % 12 + 1)
    return int(began.timestamp() * 1000), int(until.timestamp() * 1000)


async def columns_of(connection: Connection, schema: str, table: str) -> tuple[tuple[str, str], ...]:
    """Names and types, without the marks: what lies in an archive is proved by its digest, which its manifest is marked
    with, and the same rows have the same digest under every key."""
    rows = await connection.fetch(
        """select attname, format_type(atttypid, atttypmod) as type from pg_attribute
           where attrelid = $1::text::regclass and attnum > 0 and not attisdropped and attgenerated = ''
              and attname <> all($2::text[])
           order by attnum""",
        *(f'"{schema}".{table}', MARK_COLUMNS),
    )
    return tuple((row["attname"], row["type"]) for row in rows)


_BY_BYTES = """(select case datlocprovider when 'c' then datcollate in ('C', 'POSIX')
                                           when 'b' then datlocale in ('C', 'C.UTF-8') else false end
                  from pg_database where datname = current_database())"""
"""Whether the database's own collation (100) sorts by bytes, as UTF-8 does by code points."""


async def selected(connection: Connection, schema: str, kept: Kept, month: str) -> str:
    """The query of a month's rows, always in the same order: that of the key by its bytes, whatever the database's
    collation is. Where that is by bytes, too, the key's index has it, and nothing is sorted: of a month of a large
    house it would be some 300 B of temporary file a row."""
    key = await connection.fetch(
        f"""select a.attname, a.attcollation <> 0 and not (a.attcollation = 100 and {_BY_BYTES}) as otherwise
              from pg_index i
             join unnest(i.indkey::int[]) with ordinality as k (attnum, place) on true
             join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
            where i.indrelid = $1::text::regclass and i.indisprimary order by k.place""",
        f'"{schema}".{kept.name}',
    )
    names = ", ".join(f't."{name}"' for name, _ in await columns_of(connection, schema, kept.name))
    order = ", ".join(f't."{row["attname"]}"' + (' collate "C"' if row["otherwise"] else "") for row in key)
    return f'select {names} from "{schema}".{kept.name} t where {kept.of(*ends_of(month))} order by {order}'


async def months_before(connection: Connection, schema: str, until: str) -> list[str]:
    """Months below `until` of which the schema has a part or rows."""
    names = [each.name for each in PARTED[schema]]
    rows = await connection.fetch(
        """select distinct replace(substr(c.relname, length(p.relname) + 2), '_', '-') as month
             from pg_inherits join pg_class p on p.oid = inhparent join pg_class c on c.oid = inhrelid
             join pg_namespace n on n.oid = p.relnamespace
            where n.nspname = $1 and p.relname = any($2::text[]) and c.relname ~ '_[0-9]{4}_[0-9]{2}$'""",
        *(schema, names),
    )
    found = {row["month"] for row in rows}
    if schema == wallet.SCHEMA:
        since, end = ends_of("2020-01")[0], ends_of(until)[0]
        ended = await connection.fetch(
            f"""select distinct to_char(to_timestamp(ended_at / 1000) at time zone 'UTC', 'YYYY-MM') as month
                  from "{schema}".sittings where ended_at >= {since} and ended_at < {end}"""
        )
        found |= {row["month"] for row in ended}
    return sorted(month for month in found if month < until)


async def part_of(connection: Connection, schema: str, kept: Kept, month: str) -> str | None:
    """Name of the part, if there is one."""
    name = f"{kept.name}_{month.replace('-', '_')}"
    return name if await is_there(connection, f'"{schema}".{name}') else None
