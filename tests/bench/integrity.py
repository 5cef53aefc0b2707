"""What the search for collusion costs by the number of hands: seconds of processor, and the most memory.

`python -m tests.bench.integrity 20000 100000`. A thousand hands are really played; the others are those again, at other
tables, by other players. Each size is a process of its own. `--look` lays them over 29 days of a database of the local
stack, and tells how long the auditor's whole search takes there and how long the event loop stands meanwhile.
"""

import asyncio
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import msgspec
from msgspec.structs import replace

from libs.contracts.cloudevents_kafka import from_record
from libs.contracts.registry import parse_event
from libs.contracts.topics import topic
from libs.projecting import make_months, migrate, open_pool, write_rows
from libs.stack import Stack, up
from libs.views.hand import Hand
from libs.views.records import Records, fold_records
from services.audit.integrity.acts import Spooled, _played
from services.audit.integrity.checks import (
    DAY_MS,
    WINDOW_MS,
    chip_dumping,
    chip_flow,
    decision_software,
    look,
    soft_play,
)
from services.audit.integrity.in_common import shared_identity
from services.audit.integrity.many_to_one import chips_to_one
from services.audit.projections.histories import _HANDS, _WRITE, Histories
from services.audit.settings import MIGRATIONS, SCHEMA
from tests.audit.played import GATEWAY_KEY, KEYRING, T0
from tests.bench.history import History, Timed
from tests.conftest import database_for

PLAYED = 1_000


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


def many(hands: list[Hand], count: int) -> Iterator[Hand]:
    for number in range(count):
        hand, copy = hands[number % len(hands)], number // len(hands)
        seats = tuple(replace(each, player=f"{each.player}.{copy}") for each in hand.seats)
        yield replace(hand, table=f"{hand.table}.{copy}", seats=seats)


def measure(count: int) -> str:
    hands = asyncio.run(played())
    rows = (msgspec.json.encode(hand).decode() for hand in many(hands, count))
    spooled, read_s = Spooled(), 0.0
    for row in rows:
        began = time.process_time()
        spooled.add(_played(_HANDS.decode(row)))
        read_s += time.process_time() - began
    now = max(hand.started_at for hand in hands) + 1
    searches: dict[str, Callable[[Spooled], object]] = {
        "shared_identity": lambda each: shared_identity(each, {}),
        "soft_play": lambda each: soft_play(each, now),
        "chip_dumping": chip_dumping,
        "chip_flow": lambda each: chip_flow(each, now),
        "chips_to_one": lambda each: chips_to_one(each, now, WINDOW_MS),
        "decision_software": decision_software,
    }
    took = {"reading": read_s}
    for name, search in searches.items():
        began = time.process_time()
        search(spooled)
        took[name] = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    each = ", ".join(f"{name} {seconds:.2f}" for name, seconds in took.items())
    return f"{count:,} hands: {sum(took.values()):.1f} s of CPU ({each}), {peak:.0f} MB at the most"


async def looked(stack: Stack, count: int) -> str:
    hands = await played()
    async with database_for(stack) as url:
        await migrate(url, SCHEMA, MIGRATIONS)
        async with await open_pool(url, SCHEMA) as pool:
            histories, page = Histories(), 1_000
            apart = (WINDOW_MS - DAY_MS) // count
            ends = T0 + WINDOW_MS
            laid = (replace(h, started_at=ends - n * apart) for n, h in enumerate(many(hands, count)))
            while rows := [histories._row(hand) for hand in islice(laid, page)]:
                async with pool.acquire() as connection, connection.transaction():
                    await make_months(connection, "histories", (row[2] for row in rows))  # type: ignore[misc]
                    await write_rows(connection, _WRITE, rows)
            beat = asyncio.create_task(_longest())
            began, used = time.monotonic(), time.process_time()
            found = await look(pool, ends + 1)
            took, used = time.monotonic() - began, time.process_time() - used
            beat.cancel()
            stood = await beat
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    loop = f"the loop stood {stood:.2f} s at the most"
    return f"{count:,} hands: {took:.1f} s, {used:.1f} of CPU, {loop}, {peak:.0f} MB, {len(found):,} cases"


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
        print(measure(int(sys.argv[2])), flush=True)
        return
    if sys.argv[1:2] == ["--looked"]:
        print(asyncio.run(looked(up(), int(sys.argv[2]))), flush=True)
        return
    how, counts = ("--looked", sys.argv[2:]) if sys.argv[1:2] == ["--look"] else ("--one", sys.argv[1:])
    for count in counts or ["20000", "100000"]:
        subprocess.run([sys.executable, "-m", "tests.bench.integrity", how, count], check=True)


if __name__ == "__main__":
    main()
