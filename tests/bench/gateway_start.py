"""How long a gateway takes to know the floor, by the length of history: from the log, and from kept views.

`python -m tests.bench.gateway_start 100 1000` plays so many hands at each of twelve tables, on a broker of its own.
"""

import asyncio
import sys
import time
from pathlib import Path
from tempfile import mkdtemp
from uuid import uuid4

from libs.journal.kafka_log import KafkaLog
from libs.journal.mark_keys import marks_in
from libs.stack import Stack, down, provision, remove, up
from tests.gateway.hands import everybody, opened, started, to_the_end
from tests.gateway.test_kept_views import TABLES, House, Started
from tests.testkit.marks import TABLE as TABLE_MARKS
from tests.testkit.marks import mark_file
from tests.testkit.partitions import PARTITIONS


async def _timed(house: House) -> tuple[float, Started]:
    begin = time.perf_counter()
    gateway = await house.start()
    return time.perf_counter() - begin, gateway


async def measured(stack: Stack, folder: Path, hands: int) -> str:
    prefix = f"y{uuid4().hex[:8]}."
    await provision(stack.admin, PARTITIONS, prefix)
    try:
        gateways = KafkaLog(stack.admin, marks_in(mark_file(folder, "gateway")))
        tables = KafkaLog(stack.admin, TABLE_MARKS)
        house = House(prefix, gateways, tables, await tables.publisher(), {})
        for table in TABLES:
            await house.play(table, opened(), *everybody())
            await house.play(table, *(fact for hand in range(1, hands + 1) for fact in to_the_end(hand)))
        by_log, whole = await _timed(house)
        await house.keep(whole)
        for table in TABLES:
            await house.play(table, started(hands + 1))
        by_views, again = await _timed(house)
        await house.publisher.abandon()
        then = f"{by_views:6.2f} s from views and {again.heard} events"
        return f"{whole.heard:>8} events: {by_log:6.2f} s from the log; {then}"
    finally:
        await remove(stack.admin, prefix)


def main() -> None:
    home = Path(mkdtemp(prefix="croupier-years-"))
    home.chmod(0o755)
    stack = up(home)
    try:
        for hands in map(int, sys.argv[1:] or ["100"]):
            print(asyncio.run(measured(stack, home, hands)), flush=True)
    finally:
        down(home, wipe=True)


if __name__ == "__main__":
    main()
