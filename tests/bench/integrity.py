"""What the search for collusion costs by what was dealt since the last one, and by what was dealt before that.

`python -m tests.bench.integrity 2000 20000 100000`: so many new hands, after so many old ones over 29 days; each size
of these is a process of its own, on a database of the local stack. A thousand hands are really played; the others are
those again, by other players. Told: what the first search of all took, which reads the old ones, what the one after
the new ones, one after none, and one of the whole window, as the first one of each day is; each with how long the event
loop stood meanwhile.
"""

import asyncio
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice

from msgspec.structs import replace

from libs.contracts.cloudevents_kafka import from_record
from libs.contracts.registry import parse_event
from libs.contracts.topics import topic
from libs.projecting import Pool, make_months, migrate, open_pool, write_rows
from libs.stack import Stack, up
from libs.views.hand import Hand
from libs.views.records import Records, fold_records
from services.audit.integrity.behind import Behind
from services.audit.integrity.checks import WINDOW_MS, look
from services.audit.integrity.kept_sums import DAY_MS
from services.audit.projections.histories import _WRITE, Histories
from services.audit.settings import MIGRATIONS, SCHEMA
from tests.audit.played import GATEWAY_KEY, KEYRING, T0
from tests.bench.history import History, Timed
from tests.conftest import database_for
from tests.testkit.marks import AUDIT

PLAYED = 1_000
A_MONTH = 66_000
"""Hands of a table that plays day and night."""
HOUR_MS = 3_600_000
PAGE = 1_000


async def played() -> list[Hand]:
    hands: list[Hand] = []
    tables: dict[str, Records] = {}

    async def send(service: str, records: Sequence[Timed]) -> None:
        for _, each in records:
            if each.topic == topic("table", "events").name:
                event = from_record(each.key, each.value, each.headers)
                before = tables.get(event.stream, Records())
                after = tables[event.stream] = fold_records(before, parse_event(event), event.version)
                record = after.record
                if not isinstance(record, Hand) or record.outcome != "ended" or record == before.record:
                    continue
                if not hands or (hands[-1].table, hands[-1].number) != (record.table, record.number):
                    hands.append(record)

    history = History(send, T0, KEYRING, GATEWAY_KEY)
    while len(hands) < PLAYED:
        await history.play()
    return hands


def many(hands: list[Hand], count: int, since: int, until: int, begun: int = 0) -> Iterator[Hand]:
    """So many, from `since` to `until` (milliseconds), at as many tables as a month has hands for that play day and
    night; behind `begun` hands that were laid before."""
    tables = 1 + (begun + count) // A_MONTH
    for number in range(begun, begun + count):
        hand, copy = hands[number % len(hands)], number // len(hands)
        seats = tuple(replace(each, player=f"{each.player}.{copy}") for each in hand.seats)
        at = since + (number - begun) * (until - since) // count
        yield replace(hand, table=f"t{number % tables}", hand=number + 1, seats=seats, started_at=at)


async def lay(pool: Pool, hands: Iterable[Hand]) -> None:
    histories, laid = Histories(AUDIT), iter(hands)
    while page := list(islice(laid, PAGE)):
        async with pool.acquire() as connection, connection.transaction():
            await make_months(connection, "histories", (hand.started_at for hand in page))
            await write_rows(connection, _WRITE, [histories._row(hand) for hand in page])


async def looked(stack: Stack, new: int, old: int) -> str:
    hands, ends = await played(), T0 + WINDOW_MS
    async with database_for(stack) as url:
        await migrate(url, SCHEMA, MIGRATIONS)
        async with await open_pool(url, SCHEMA) as pool:
            await lay(pool, many(hands, old, T0 + DAY_MS, ends - HOUR_MS))
            await pool.execute("analyze")
            with closing(Behind()) as behind:
                first = await one(pool, ends - HOUR_MS, behind)
                await lay(pool, many(hands, new, ends - HOUR_MS, ends, old))
                hour = await one(pool, ends, behind)
                none = await one(pool, ends + 1, behind)
            with closing(Behind()) as behind:
                whole = await one(pool, ends + 2, behind)
            told = f"{old:,} old hands: {first}; {new:,} new: {hour}; none: {none}; the window whole: {whole}"
            kept = await pool.fetchrow("select count(*), sum(octet_length(sums)) from hand_sums")
    assert kept is not None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"{told}; {kept[0]:,} days at tables of {kept[1] / 1e6:.1f} MB are kept, {peak:.0f} MB of memory at the most"


async def one(pool: Pool, now: int, behind: Behind) -> str:
    beat = asyncio.create_task(_longest())
    began, used = time.monotonic(), time.process_time()
    found = await look(pool, now, AUDIT, behind=behind)
    took, used = time.monotonic() - began, time.process_time() - used
    beat.cancel()
    return f"{took:.1f} s, {used:.2f} of CPU, the loop stood {await beat:.2f} s at the most, {len(found):,} cases"


async def _longest() -> float:
    """Seconds by which the event loop was late, at the most, until this is cancelled."""
    late = 0.0
    while True:
        before = time.monotonic()
        try:
            await asyncio.sleep(0.02)
        except asyncio.CancelledError:
            return late
        late = max(late, time.monotonic() - before - 0.02)


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        print(asyncio.run(looked(up(), int(sys.argv[2]), int(sys.argv[3]))), flush=True)
        return
    new, *old = sys.argv[1:] or ["2000", "20000", "100000"]
    for count in old:
        subprocess.run([sys.executable, "-m", "tests.bench.integrity", "--one", new, count], check=True)


if __name__ == "__main__":
    main()
