"""What the operator's tools need as history grows: seconds and peak memory of each, over a house's own log.

`python -m tests.bench.years 10000 100000` makes so many public events, one stop after the other, on a broker and a
database of its own, and asks `croupier` at each stop. `--only verify,scan` asks some. `make bench-years` is this.
"""

import argparse
import asyncio
import os
import resource
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

from libs.contracts.messages import PublicEvent
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import Publisher
from libs.journal.mark_keys import file_of, marks_in
from libs.projecting import StreamedSource, open_pool, project
from libs.stack import down, provision, up
from services.cli.journals import Book, books, walk
from services.cli.migrate import migrated
from services.cli.rebuild import MODELS
from services.cli.surroundings import MARKS, Surroundings, local_keys, surroundings
from tests.bench.history import DAY_MS, HANDS_A_DAY, History
from tests.testkit.partitions import PARTITIONS

TOOLS = {
    "verify": ["verify", "--json"],
    "scan": ["scan", "--json"],
    "rebuild": ["rebuild", "--compare", "--json"],
    "export": ["export", "table-1", "2"],
}


def asked(home: Path, *command: str) -> str:
    """Seconds, seconds of CPU and megabytes at most, of a process of its own."""
    began, cpu = time.perf_counter(), _cpu_s()
    child = subprocess.Popen(
        [sys.executable, "-m", "services.cli", *command, "--home", str(home)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "CROUPIER_HOME": str(home)},
    )  # fmt: skip
    most = 0
    while child.poll() is None:
        most = max(most, _peak_kb(child.pid))
        time.sleep(0.05)
    failed = f" exit {child.returncode}" if child.returncode else ""
    return f"{time.perf_counter() - began:7.1f} s {_cpu_s() - cpu:7.1f} CPU-s {most / 1024:6.0f} MB{failed}"


def _cpu_s() -> float:
    """Of the processes that have ended: what other work on the machine does not change much."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _peak_kb(process: int) -> int:
    """Of this program alone: what `wait4` says begins with what its parent had."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0


async def read_models(at: Surroundings) -> None:
    """What wallet and audit would have made of the history by now; goes on from where it was."""
    for model in MODELS:
        pool = await open_pool(at.stack.database_url, model.schema, role=model.role, max_size=1)
        house = books(at.keyring(), PARTITIONS)
        partitions = [place for book in house for place in book.events()]
        try:
            source = StreamedSource(_told(at.log("years"), house), partitions)
            await project(pool, model.projector, model.projections(), source, limit=1000)
        finally:
            await pool.close()


async def _told(log: KafkaLog, house: tuple[Book, ...]) -> AsyncIterator[tuple[str, int, PublicEvent]]:
    async for met in walk(log, house):
        for each in met.told:
            yield *met.book.events()[met.check.fold.partition], each.event


async def stops(at: Surroundings, home: Path, sizes: list[int], tools: list[str]) -> None:
    await provision(at.stack.admin, PARTITIONS)
    await migrated(at.stack.database_url)
    logs = {
        each: KafkaLog(at.stack.broker(each), marks_in(file_of(home / "keys" / MARKS, each)))
        for each in ("table", "wallet")
    }
    publishers: dict[str, Publisher] = {each: await log.publisher() for each, log in logs.items()}
    began = time.time_ns() // 1_000_000 - max(sizes) * DAY_MS // (45 * HANDS_A_DAY)
    history = History(publishers, began, at.keyring(), at.secret("gateway_key"))
    for size in sizes:
        made = time.perf_counter()
        events = await history.until(size)
        print(f"{events:,} events, {history.hands:,} hands, made in {time.perf_counter() - made:.0f} s", flush=True)
        if "rebuild" in tools:
            await read_models(at)
        for tool in tools:
            print(f"  {tool:8} {await asyncio.to_thread(asked, home, *TOOLS[tool])}", flush=True)
    for publisher in publishers.values():
        await publisher.abandon()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("events", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--only", default=",".join(TOOLS))
    given = parser.parse_args()
    home = Path(mkdtemp(prefix="croupier-years-"))
    home.chmod(0o755)
    up(home)
    try:
        local_keys(home / "keys")
        asyncio.run(stops(surroundings(home), home, given.events, given.only.split(",")))
    finally:
        down(home, wipe=True)


if __name__ == "__main__":
    main()
