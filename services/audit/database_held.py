"""Who keeps the house's database from working: by its places, or by a moment that he goes on seeing.

Any login may do either with no right but to come in. Transaction ids are 2 thousand million; each row that is changed
keeps its old versions for whoever sees an older moment, and ids that are used up meanwhile can't be used again: at the
end the server takes no writing any more. All of it is asked with the auditor's own rights: how long a transaction
stands no other login is shown, so that is remembered from look to look.
"""

import time
from collections.abc import Callable

from libs.projecting import Connection
from services.audit.database_logins import HOUSE, OWNER
from services.audit.verifying.findings import Finding, Kind

OLD_IDS = 500_000_000
"""Transactions since the oldest row that no vacuum has frozen. PostgreSQL freezes from 200 million on, whatever else it
does, and stops at some 2,100 million."""
HELD_S = 3_600.0
"""So long no transaction of the house's services stands: what takes longer (a month that leaves, `croupier rebuild`,
`scan`) is somebody's who knows of it."""
LOOKS = 2
"""In so many one behind the other all places are taken: a start of many processes is over by then."""

_STEP = 100_000_000
_IDS = """select datname as database, age(datfrozenxid)::bigint as age, (now() at time zone 'utc')::date::text as day
    from pg_database where age(datfrozenxid) > $1 order by 1"""
_OPEN = """select usename as login, locks.pid, locks.virtualtransaction as transaction
    from pg_locks as locks join pg_stat_activity as sessions on sessions.pid = locks.pid
    where locktype = 'virtualxid' and mode = 'ExclusiveLock' and locks.virtualxid = locks.virtualtransaction
      and usename = any($1) and locks.pid <> pg_backend_pid() order by 1, 2"""
_PLACES = """select coalesce(usename, 'nobody, or somebody who has not said yet who he is') as login, count(*) as places
    from pg_stat_activity group by 1 order by 2 desc, 1"""
_DAY = "select (now() at time zone 'utc')::date::text"
_MOST = "select setting::bigint from pg_settings where name = 'max_connections'"


class HeldDatabase:
    """`now`: seconds on a clock that only goes forward. Remembers which transactions stand."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._since: dict[tuple[int, str], float] = {}
        """Process and number of a transaction to when it was first seen."""
        self._full = 0
        """Looks in a row that found no place left."""

    async def look(self, connection: Connection) -> list[Finding]:
        """What is so now, one finding for each database, login, or for the places; what lasts is the same finding all
        day long."""
        return [*await _ids(connection), *await self._held(connection), *await self._places(connection)]

    async def _held(self, connection: Connection) -> list[Finding]:
        now = self._now()
        rows = await connection.fetch(_OPEN, [*HOUSE, OWNER])
        self._since = {key: self._since.get(key, now) for row in rows for key in [(row["pid"], row["transaction"])]}
        held: dict[str, list[int]] = {}
        for row in rows:
            if now - self._since[row["pid"], row["transaction"]] >= HELD_S:
                held.setdefault(row["login"], []).append(row["pid"])
        said = "a transaction of the login {} of the database stands for more than {} minutes (process {})"
        return [
            Finding(Kind.DATABASE_HELD, login, said.format(login, int(HELD_S / 60), ", ".join(map(str, pids))))
            for login, pids in held.items()
        ]

    async def _places(self, connection: Connection) -> list[Finding]:
        """The server's own processes stand among them, some ten, so a few are left yet."""
        taken = await connection.fetch(_PLACES)
        most = await connection.fetchval(_MOST)
        self._full = self._full + 1 if sum(row["places"] for row in taken) >= most else 0
        if self._full < LOOKS:
            return []
        detail = (
            f"the server's {most} connections are taken, most by {taken[0]['login']}, and no login comes in any more"
            f" (on {await connection.fetchval(_DAY)})"
        )
        return [Finding(Kind.DATABASE_HELD, "connections", detail)]


async def _ids(connection: Connection) -> list[Finding]:
    said = "more than {} million transactions are younger than the oldest row of the database {} (on {})"
    return [
        Finding(
            Kind.TRANSACTION_IDS,
            row["database"],
            said.format(row["age"] // _STEP * _STEP // 1_000_000, row["database"], row["day"]),
        )
        for row in await connection.fetch(_IDS, OLD_IDS)
    ]
