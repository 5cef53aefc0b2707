"""The services of a house with a history: how long each starts, what it holds, what live play writes."""

import asyncio
import json
import time
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import asyncpg
import psutil

from libs.contracts.topics import VIEWS, topic
from libs.journal.kafka_log import KafkaLog
from libs.journal.kafka_produce import size_of
from libs.journal.tail import end_of
from libs.stack import Progress
from services.audit.verifying.findings import Kind
from services.cli.house import House
from services.cli.surroundings import Surroundings
from tests.bench.house.house import Code, Script
from tests.testkit.partitions import PARTITIONS

PROJECT = Path(__file__).resolve().parents[3]
STARTED = ("demo_provider", "wallet", "audit", "table", "tournament", "gateway")
MEASURED = ("table", "wallet", "tournament", "audit", "gateway")
WRITTEN = [topic(service, kind).name for service in ("table", "wallet") for kind in ("journal", "snapshots")]
_PATIENCE_S = 7_200.0
_SETTLES_S = 3.0
_VIEWS_S = 70.0
"""So long after it has heard everything a gateway has written all views (`services/gateway/kafka/keeps_views.py`)."""
LIVELY_TABLES, LIVELY_S = 16, 200.0
"""Then some play, so that something is written to each partition, as in any house that lives: what lies in the segments
of compacted topics that are written to is compacted only behind it, and else each start would read all of it."""
_AT = """select sum(position)::bigint from {schema}.positions"""


async def take_in(house: House, at: Surroundings, events: int, tell: Progress) -> None:
    """The first start: read models, heads and views are made of all that lies there. Then everything stops."""
    telling = asyncio.create_task(_told(at, events, tell))
    try:
        for name in STARTED:
            await house.processes[name].start()
        for name in STARTED:
            await house.processes[name].ready(_PATIENCE_S)
        await _all_is_read(at)
        await _views_rest(at)
        await play(house, at, LIVELY_TABLES, "20", LIVELY_S, 1.0)
        await _all_is_read(at)
        await _nothing_told(at)
    finally:
        telling.cancel()
        await house.stop()


async def _nothing_told(at: Surroundings) -> None:
    """A history in which the auditor finds fault is none that a house leaves, and what it costs says nothing. Of a
    table for real money that one of the staff opens it always tells, and of nothing else here."""
    connection = await asyncpg.connect(at.stack.database_url)
    try:
        told = await connection.fetch(
            "select kind, count(*), min(detail) from audit.incidents where kind <> $1 group by kind", Kind.OPENED_ALONE
        )
    finally:
        await connection.close()
    assert not told, f"incidents: {[tuple(each) for each in told]}"


async def _all_is_read(at: Surroundings) -> None:
    await all_is_read(at.log("bench"), "", PARTITIONS, at.stack.database_url)


async def all_is_read(log: KafkaLog, prefix: str, partitions: int, database_url: str) -> None:
    """Read models to the last event: an auditor is ready long before, and would catch up in all that is measured."""
    names = [prefix + topic(each, "events").name for each in ("table", "wallet", "tournament")]
    ends = sum([await end_of(log, name, n) for name in names for n in range(partitions)])
    connection = await asyncpg.connect(database_url)
    try:
        while min([await connection.fetchval(_AT.format(schema=each)) or 0 for each in ("wallet", "audit")]) < ends:
            await asyncio.sleep(1)
    finally:
        await connection.close()


async def _told(at: Surroundings, events: int, tell: Progress) -> None:
    connection = await asyncpg.connect(at.stack.database_url)
    try:
        while True:
            done = [await connection.fetchval(_AT.format(schema=each)) or 0 for each in ("wallet", "audit")]
            tell("read models", min(sum(done), 2 * events), 2 * events)
            await asyncio.sleep(1)
    finally:
        await connection.close()


async def _views_rest(at: Surroundings) -> None:
    log, began, last = at.log("bench"), time.monotonic(), [-1]
    while time.monotonic() - began < _VIEWS_S or last != (
        last := [await end_of(log, VIEWS.name, n) for n in range(PARTITIONS)]
    ):
        await asyncio.sleep(6)


async def start(house: House) -> dict[str, dict[str, float]]:
    """One after the other, each alone: seconds to ready, seconds of processor until then, resident memory after it."""
    found: dict[str, dict[str, float]] = {}
    for name in STARTED:
        process, began = house.processes[name], time.monotonic()
        await process.start()
        await process.ready(_PATIENCE_S)
        seconds = time.monotonic() - began
        running = psutil.Process(process.process.pid) if process.process else None
        if name in MEASURED and running is not None:
            used = running.cpu_times()
            await asyncio.sleep(_SETTLES_S)
            found[name] = {
                "seconds": round(seconds, 2),
                "cpu_s": round(used.user + used.system, 2),
                "resident_mb": round(running.memory_info().rss / 2**20, 1),
            }
    return found


async def play(
    house: House, at: Surroundings, tables: int, pace: str, warm_s: float, window_s: float
) -> dict[str, Any]:
    """Bots at so many tables; bytes of journals and snapshots for each accepted act, and what is resident after it."""
    bots = Script(await Code(PROJECT).run("-m", "tests.bench.house.bots"))
    log = at.log("bench")
    try:
        bots.tell(
            {"url": house.gateway_url, "token": house.operator_token, "tables": f"bench-{time.time_ns() // 1_000_000}"}
        )
        bots.tell({"tables": tables, "pace": pace})
        await bots.hear()
        await asyncio.sleep(warm_s)
        began, before = time.monotonic(), await _ends(log)
        await asyncio.sleep(window_s)
        ended, after = time.monotonic(), await _ends(log)
        sizes = {name: await _bytes(log, name, before, after) for name in WRITTEN}
        bots.finish()
        acts = sum(began <= row[1] < ended for row in json.loads(await bots.hear())["acts"])
    finally:
        await bots.end()
    return {
        "acts": acts,
        "bytes_per_act": {name: round(size / max(1, acts)) for name, size in sizes.items()},
        "resident_mb": {
            name: round(psutil.Process(each.process.pid).memory_info().rss / 2**20, 1)
            for name, each in house.processes.items()
            if name in MEASURED and each.process is not None
        },
    }


def play_options(parser: ArgumentParser, warm_s: float) -> None:
    """How `play` goes in each house."""
    parser.add_argument("--tables", type=int, default=4, help="of six bots each, while bytes an act are counted")
    parser.add_argument("--pace", default="20", help="acts a second over all tables, `human` or `none`")
    parser.add_argument("--warm", type=float, default=warm_s, help="seconds of play before that")
    parser.add_argument("--seconds", type=float, default=30.0, help="of the window in which acts and bytes are counted")


Ends = Mapping[tuple[str, int], int]


async def _ends(log: KafkaLog) -> Ends:
    places = [(name, partition) for name in WRITTEN for partition in range(PARTITIONS)]
    return {place: await end_of(log, *place) for place in places}


async def _bytes(log: KafkaLog, name: str, before: Ends, after: Ends) -> int:
    """Of the records between: segments would tell of compaction, too."""
    found = 0
    for partition in range(PARTITIONS):
        reader, position = await log.reader(name, partition), before[name, partition]
        try:
            while position < after[name, partition]:
                fetched = await reader.read(position, 500, 500)
                found += sum(
                    size_of(each.key or b"", each.value, each.headers)
                    for each in fetched.records
                    if each.offset < after[name, partition]
                )
                position = fetched.position
        finally:
            await reader.close()
    return found
