"""What a policy pays for each public event of a table, most of which it passes over (docs/years.md, A9).

`python -m tests.bench.policy_share 100000` makes so many events by the house's own deciders, on a broker of its own,
and reads them as a policy does. Figures are CPU of the reading process.
"""

import asyncio
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from uuid import uuid4

from msgspec.structs import replace

from libs.contracts.registry import wire_name
from libs.contracts.table_events import PlayerSeated
from libs.contracts.topics import topic
from libs.journal.interest import Interest
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import LogRecord
from libs.policies import handler
from libs.sealing.sealed import Keyring
from libs.stack import Stack, down, provision, remove, up
from services.table.policies.reactions import TO_TABLES
from services.tournament.policies.tables import TO_TABLES as NEWS
from services.wallet.policies.reactions import REACTIONS
from tests.bench.history import DAY_MS, HANDS_A_DAY, History
from tests.testkit.marks import TABLE, WALLET
from tests.testkit.partitions import PARTITIONS

A_BATCH = 4
"""Events: an act's, and what follows from it."""
ACTS_A_SECOND = 410
"""Of a thousand tables."""
POLICIES: dict[str, Any] = {"wallet": REACTIONS, "table": TO_TABLES, "tournament": NEWS}


class Anybody:
    """Marks that are not looked at."""

    def marked(self, *_: Any) -> Any:
        raise NotImplementedError

    def why_foreign(self, *_: Any) -> None:
        return None

    def why_not_asked(self, *_: Any) -> None:
        return None


async def read_all(
    stack: Stack, name: str, marks: Any, handle: Any, interest: Interest | None = None
) -> tuple[int, float]:
    """Records, and seconds of CPU."""
    log = KafkaLog(stack.admin, marks)
    count, began = 0, time.process_time()
    for partition in range(PARTITIONS):
        reader = await log.reader(name, partition, interest)
        position, end = 0, await reader.end()
        while position < end:
            fetched = await reader.read(position, 500, 1_000)
            position = fetched.position
            count += len(fetched.records)
            handle(fetched.records)
        await reader.close()
    return count, time.process_time() - began


async def measured(stack: Stack, events: int) -> None:
    prefix = f"y{uuid4().hex[:8]}."
    await provision(stack.admin, PARTITIONS, prefix)
    try:
        logs = {"table": KafkaLog(stack.admin, TABLE), "wallet": KafkaLog(stack.admin, WALLET)}
        publishers = {each: Prefixed(prefix, await log.publisher()) for each, log in logs.items()}
        began = time.time_ns() // 1_000_000 - events * DAY_MS // (45 * HANDS_A_DAY)
        history = History(publishers, began, Keyring({"kek-1": bytes(32)}, "kek-1"), bytes(32))  # type: ignore[arg-type]
        await history.until(events)
        for publisher in publishers.values():
            await publisher.abandon()
        await tell(stack, prefix + topic("table", "events").name)
    finally:
        await remove(stack.admin, prefix)


async def tell(stack: Stack, name: str) -> None:
    kinds: Counter[str] = Counter()

    def counted(records: list[LogRecord]) -> None:
        kinds.update(dict(each.headers)["ce_type"].decode() for each in records)

    await read_all(stack, name, Anybody(), counted)
    total, acts = sum(kinds.values()), kinds["croupier.table.bet_placed.v1"]
    rate = ACTS_A_SECOND * total / acts
    print(f"{total:,} events, {acts:,} acts: {rate:,.0f} events a second at {ACTS_A_SECOND} acts", flush=True)
    assert kinds[wire_name(PlayerSeated)]
    count, fetched = await read_all(stack, name, Anybody(), lambda records: None)
    print(f"  fetched and decoded: {1e6 * fetched / count:.1f} µs an event", flush=True)
    _, marked = await read_all(stack, name, WALLET, lambda records: None)
    print(f"  and the mark checked: {1e6 * marked / count:.1f} µs", flush=True)
    for whose, reactions in POLICIES.items():
        wanted = frozenset(map(wire_name, reactions))
        rare = sum(kinds[each] for each in wanted)

        def handled(records: list[LogRecord], wanted: frozenset[str] = wanted) -> None:
            for each in records:
                handler.read_event(each, wanted)

        _, whole = await read_all(stack, name, WALLET, handled)
        print(
            f"  {whose}: {1e6 * whole / count:.1f} µs, {100 * rare / total:.2f} % of interest; "
            f"{100 * rate * whole / count:.1f} % of a core", flush=True,
        )  # fmt: skip
        read, whole = await read_all(stack, name, WALLET, handled, Interest(wanted))
        print(
            f"    batches of interest alone: {1e6 * whole / count:.1f} µs, {100 * read / count:.1f} % decoded; "
            f"{100 * rate * whole / count:.1f} % of a core", flush=True,
        )  # fmt: skip


class Prefixed:
    """Of a publisher for topics without a prefix; sends a table's events in batches as small as in play."""

    def __init__(self, prefix: str, publisher: Any) -> None:
        self._prefix, self._publisher = prefix, publisher
        self.abandon = publisher.abandon

    async def send(self, records: Any) -> Any:
        events = [each for each in records if each.topic == topic("table", "events").name]
        for first in range(0, len(events), A_BATCH):
            await (await self._sent(events[first : first + A_BATCH]))
        return await self._sent([each for each in records if each.topic != topic("table", "events").name])

    async def _sent(self, records: Any) -> Any:
        return await self._publisher.send([replace(each, topic=self._prefix + each.topic) for each in records])


def main() -> None:
    home = Path(mkdtemp(prefix="croupier-policy-"))
    home.chmod(0o755)
    stack = up(home)
    try:
        asyncio.run(measured(stack, int(sys.argv[1]) if sys.argv[1:] else 100_000))
    finally:
        down(home, wipe=True)


if __name__ == "__main__":
    main()
