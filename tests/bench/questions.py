"""Every question of staff and players to the books and to the auditor, as history grows: p50 and p99 of each, and how
many pages of tables and indexes it reads, which other work on the machine does not change.

`python -m tests.bench.questions 30000 300000` lays so many transfers into a database of its own, with what comes
with them (accounts, sittings, hands, links, reads) over two years, and asks. `--keep` leaves
the databases there. `make bench-questions` is this.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import asyncpg
import msgspec

from libs.contracts.topics import topic
from libs.edge.paging import NEWEST, Place, place_of
from libs.identity.reads import Reads, of_audit, of_wallet
from libs.projecting import Connection, Pool, completeness, open_gaps, open_pool, parked_count, project
from libs.stack import default_home, running, up
from services.audit.checkpoint_rows import listed
from services.audit.incidents import incidents
from services.audit.integrity.cases import cases
from services.audit.projections.histories import Histories, last_record, record_of, records_of
from services.audit.projections.waiting_checks import cash_on, cash_waiting
from services.audit.restrictions import Behind, holding, restrictions
from services.audit.settings import PROJECTOR
from services.audit.settings import ROLE as AUDITOR
from services.audit.watch import books, gaps, parked, set_aside, sums, written_by_hand
from services.cli.migrate import migrated
from services.wallet.projections import BOOKS, ROLE
from services.wallet.projections import balances as b
from services.wallet.projections.hold import banked_hold
from services.wallet.projections.statements import statement
from tests.audit.scripted import TABLE, evening
from tests.bench.core.ledger import database
from tests.bench.history_rows import BEGAN, ENDED, STATEMENTS, players_of, tables_of
from tests.testkit.marks import AUDIT
from tests.testkit.memory_source import MemorySource
from tests.testkit.partitions import partition_of

LONG_AGO = BEGAN + (ENDED - BEGAN) // 10
LEAST, MOST, SECONDS = 5, 200, 2.0
"""Times that a question is asked, within so long."""
Ask = Callable[[Connection, "Pick"], Awaitable[Any]]


class Pick:
    """Whom and what a question is about; `regular` played a tenth of all hands."""

    def __init__(self, size: int) -> None:
        self._random = Random(7)
        self._size = size

    @property
    def player(self) -> str:
        return f"player-{self._random.randrange(players_of(self._size))}"

    @property
    def table(self) -> str:
        return f"table-{self._random.randrange(tables_of(self._size))}"

    regular = "player-0"


QUESTIONS: Mapping[str, Mapping[str, Ask]] = {
    "wallet": {
        "/v1/players/{player}/accounts": lambda c, p: b.account(c, p.player),
        "/v1/players/{player}/accounts, who plays most": lambda c, p: b.account(c, p.regular),
        "/v1/players/{player}/statements": lambda c, p: statement(c, p.player),
        "/v1/players/{player}/statements, who plays most": lambda c, p: statement(c, p.regular),
        "/v1/players/{player}/statements, long ago": lambda c, p: statement(c, p.regular, before=LONG_AGO),
        "/v1/trial-balance": lambda c, p: b.trial_balance(c),
        "/v1/totals": lambda c, p: b.totals(c),
        "/v1/rake-accounts": lambda c, p: b.rake_accounts(c, limit=50),
        "/v1/banked-hold": lambda c, p: banked_hold(c, limit=50),
        "/v1/completeness": lambda c, p: completeness(c, BOOKS),
        "/v1/gaps": lambda c, p: _gaps(c),
    },
    "audit": {
        "/v1/hands": lambda c, p: records_of(c, "hand", p.player, place_of(NEWEST), 50),
        "/v1/hands, who plays most": lambda c, p: records_of(c, "hand", p.regular, place_of(NEWEST), 50),
        "/v1/hands, long ago": lambda c, p: records_of(c, "hand", p.regular, Place(LONG_AGO), 50),
        "/v1/hands/{table}/last": lambda c, p: last_record(c, "hand", p.table),
        "/v1/hands/{table}/last, of a player": lambda c, p: last_record(c, "hand", p.table, p.regular),
        "/v1/hands/{table}/{number}": lambda c, p: record_of(c, "hand", p.table, 3),
        "/v1/rounds": lambda c, p: records_of(c, "round", p.player, place_of(NEWEST), 50),
        "/v1/rounds/{table}/last": lambda c, p: last_record(c, "round", p.table),
        "/v1/rounds/{table}/{number}": lambda c, p: record_of(c, "round", p.table, 3),
        "/v1/incidents": lambda c, p: incidents(c, 0),
        "/v1/checkpoints": lambda c, p: _checkpoints(c),
        "/v1/cases": lambda c, p: cases(c, 0),
        "/v1/cash": lambda c, p: cash_on(c, "2026-01-01"),
        "/v1/cash/waiting": lambda c, p: cash_waiting(c, 100),
        "/v1/reads": lambda c, p: _reads(c).kept(Place(LONG_AGO), 100),
        "/v1/restrictions": lambda c, p: restrictions(c, Place(LONG_AGO), 100),
        "/v1/restrictions/holding": lambda c, p: holding(c, ENDED, Behind(), 500),
        "/v1/completeness": lambda c, p: completeness(c, PROJECTOR),
        "each look of the auditor": lambda c, p: _look(c),
        "seldom: all accounts summed up": lambda c, p: sums(c, "wallet"),
    },
}
"""By service; `/v1/…` are all that its HTTP API answers with GET (a test holds them against each other)."""


async def _gaps(connection: Connection) -> None:
    await open_gaps(connection, BOOKS)
    await parked_count(connection, BOOKS)


async def _checkpoints(connection: Connection) -> None:
    assert len(await listed(connection, 0, 100, "")) <= 100


async def _look(connection: Connection) -> None:
    await books(connection, "wallet")
    await written_by_hand(connection, "wallet")
    for schema in ("wallet", "audit"):
        for look in (gaps, parked, set_aside):
            await look(connection, schema)


def _reads(connection: Connection) -> Reads:
    return Reads(_One(connection), AUDIT, of_audit("audit"), of_wallet("wallet"))  # type: ignore[arg-type]


class _One:
    """A pool of one connection, for who wants a pool."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def acquire(self) -> "_One":
        return self

    async def __aenter__(self) -> Connection:
        return self._connection

    async def __aexit__(self, *_: object) -> None:
        return None


async def fill(url: str, size: int) -> None:
    """Makes the schemas and lays `size` transfers in, with what comes with them."""
    await migrated(url)
    pool = await open_pool(url, "audit", max_size=1)
    events = [(topic("table", "events").name, partition_of(e.stream), e) for e in evening().events]
    await project(pool, "sample", [Histories()], MemorySource(events))
    async with pool.acquire() as connection:
        sample = await record_of(connection, "hand", TABLE, 1)
        await connection.execute("truncate histories, played, openings")
    await pool.close()
    owner = await asyncpg.connect(url)
    try:
        for schema, statements in STATEMENTS.items():
            await owner.execute(f"set search_path to {schema}")
            for each in statements(size, msgspec.json.decode(sample or "null")):
                await owner.execute(each)
        await owner.execute("vacuum analyze")
    finally:
        await owner.close()


class Asked(NamedTuple):
    times: list[float]
    """Milliseconds, sorted."""
    pages: float
    """Of 8 kB, on average; from memory or disk."""


async def _pages(connection: Connection) -> int:
    """That this database has read so far."""
    await connection.execute("select pg_stat_force_next_flush()")
    await connection.execute("select pg_stat_clear_snapshot()")
    read = "select blks_hit + blks_read from pg_stat_database where datname = current_database()"
    return int(await connection.fetchval(read))


async def measured(url: str, size: int, seconds: float = SECONDS) -> dict[str, Asked]:
    """Each question."""
    found: dict[str, Asked] = {}
    for service, role in (("wallet", ROLE), ("audit", AUDITOR)):
        pool: Pool = await open_pool(url, service, role=role, max_size=1)
        async with pool.acquire() as connection:
            if service == "audit":
                await connection.execute("reset role")  # who looks at the books does so by another role
            for name, ask in QUESTIONS[service].items():
                pick, times, began = Pick(size), list[float](), time.perf_counter()
                await ask(connection, pick)
                pages = await _pages(connection)
                while len(times) < LEAST or (len(times) < MOST and time.perf_counter() - began < seconds):
                    at = time.perf_counter()
                    await ask(connection, pick)
                    times.append((time.perf_counter() - at) * 1000)
                read = await _pages(connection) - pages
                found[f"{service} {name}"] = Asked(sorted(times), read / len(times))
        await pool.close()
    return found


async def drop(server: str, url: str) -> None:
    connection = await asyncpg.connect(server)
    try:
        await connection.execute(f'drop database "{urlsplit(url).path[1:]}" with (force)')
    finally:
        await connection.close()


def table_of(figures: Mapping[int, Mapping[str, Asked]]) -> str:
    """Markdown: p50 / p99 and pages at each size; times and pages of the largest to those of the smallest."""
    sizes = sorted(figures)
    lines = [
        f"| question | {' | '.join(f'{size:,}' for size in sizes)} | times | pages |",
        "|---|" + "---|" * (len(sizes) + 2),
    ]
    for name in figures[sizes[0]]:
        asked = [figures[size][name] for size in sizes]
        ratio = statistics.median(asked[-1].times) / statistics.median(asked[0].times)
        pages = (asked[-1].pages + 1) / (asked[0].pages + 1)
        lines.append(f"| {name} | {' | '.join(map(_cell, asked))} | {ratio:.1f} | {pages:.1f} |")
    return "\n".join(lines)


def _cell(asked: Asked) -> str:
    times = asked.times
    p99 = times[min(len(times) - 1, len(times) * 99 // 100)]
    return f"{statistics.median(times):.1f} / {p99:.1f} ms, {asked.pages:.0f} p"


async def asked(server: str, sizes: list[int], keep: bool) -> None:
    figures: dict[int, dict[str, Asked]] = {}
    for size in sizes:
        url = await database(server)
        try:
            began = time.perf_counter()
            await fill(url, size)
            print(f"{size:,} transfers laid in after {time.perf_counter() - began:.0f} s", flush=True)
            figures[size] = await measured(url, size)
        finally:
            if keep:
                print(url)
            else:
                await drop(server, url)
    print(table_of(figures))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("transfers", type=int, nargs="*", default=[30_000, 300_000])
    parser.add_argument("--keep", action="store_true", help="leave the databases there, to ask more of them")
    given = parser.parse_args()
    stack = running() or up(default_home())
    asyncio.run(asked(stack.database_url, given.transfers, given.keep))


if __name__ == "__main__":
    main()
