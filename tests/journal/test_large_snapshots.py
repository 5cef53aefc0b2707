"""On the real broker: a stream whose snapshot no record holds, and an owner that is killed while its parts go out."""

import asyncio
import os
import pickle
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from libs.broker import Broker
from libs.contracts.topics import MAX_RECORD_BYTES
from libs.journal.log import OutRecord
from libs.journal.names import names_of
from libs.journal.parts import KEY, Part
from libs.journal.restore import restore
from libs.journal.runner import Pace
from libs.journal.seals import Unsealed
from tests.journal.house import until
from tests.journal.test_kafka import Site, running
from tests.testkit.partitions import PARTITIONS, partition_of

pytestmark = pytest.mark.stack
STREAM = "account-1"
PARTITION = partition_of(STREAM)
ROOM = bytes(range(256)) * 49_000
"""What the state has beside a balance: 12.5 MB."""
DIES_AT = 8
"""Part of its first snapshot with which the killed owner ends; those before it are acknowledged."""
_ROOT = Path(__file__).resolve().parents[2]
_CHILD = """
import pickle, sys
from tests.journal.test_large_snapshots import own_and_die
own_and_die(pickle.loads(bytes.fromhex(sys.argv[1])), sys.argv[2])
"""
PACE = Pace(patience_s=5.0, snapshot_commits=1, snapshot_s=0.1)


class Large(Site):
    def __init__(self, broker: Broker, prefix: str) -> None:
        super().__init__(broker, prefix)
        encode, decode = self.machine.encode_state, self.machine.decode_state
        self.machine = replace(
            self.machine,
            encode_state=lambda stream, state: encode(stream, state) + ROOM,
            decode_state=lambda stream, raw: decode(stream, raw[: -len(ROOM)]),
        )

    async def sets(self) -> dict[str, tuple[int, int]]:
        """By name: how many parts it has, and how many of them lie there."""
        held: dict[bytes, Part] = {}
        for record in await self.records("snapshots", PARTITION):
            if (key := record.key or b"").startswith(KEY):
                held.pop(key, None)
                if record.value:
                    held[key] = msgspec.msgpack.decode(record.value[1:], type=Part)
        names = [each.of for each in held.values()]
        return {each.of: (each.count, names.count(each.of)) for each in held.values()}

    async def start(self) -> Any:
        return await restore(self.log, self.machine, names_of("wallet", PARTITIONS, self.prefix), PARTITION)


def _whole(sets: dict[str, tuple[int, int]]) -> int:
    """Who is told to end while it writes the next one leaves that torn."""
    return sum(count == there for count, there in sets.values())


class Dying(Unsealed):
    def __init__(self) -> None:
        self._parts = 0

    def sealed(self, record: OutRecord) -> OutRecord:
        self._parts += (record.key or b"").startswith(KEY)
        if self._parts == DIES_AT:
            os.kill(os.getpid(), signal.SIGKILL)
        return record


def own_and_die(broker: Broker, prefix: str) -> None:
    async def run() -> None:
        site = Large(broker, prefix)
        site.machine = replace(site.machine, seals=Dying())
        await site.service(writer="second", group=f"{prefix}g2", pace=PACE).run()

    asyncio.run(run())


async def test_an_owner_killed_between_two_parts_leaves_the_older_whole_and_the_next_one_goes_on(
    kafka: Broker, topics: str
) -> None:
    site = Large(kafka, topics)
    await site.producer.start()
    watcher = asyncio.create_task(site.watch_replies())
    try:
        async with running(site.service(writer="first", group=f"{topics}g1", pace=PACE)):
            await site.ask(site.command(STREAM))
            await until(lambda: "snapshots_written" in {args[0] for _, args in site.seen.calls})
        assert _whole(await site.sets()) == 1
        assert (await site.start()).fold.position.next == 1

        command = site.command(STREAM)
        await site.send(command)
        second = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _CHILD, pickle.dumps(kafka).hex(), topics, cwd=_ROOT
        )
        async with asyncio.timeout(60):
            assert await second.wait() == -signal.SIGKILL
        sets = await site.sets()
        assert _whole(sets) == 1
        assert (13, DIES_AT - 1) in sets.values()
        found = await site.start()
        assert found.shelf.place(STREAM) == (1, 0), "a start goes on from the older one"
        assert len(found.parts.lying[STREAM]) == sum(there for _, there in sets.values())

        site.seen.calls.clear()
        async with running(site.service(writer="third", group=f"{topics}g3", pace=PACE)):
            assert (await site.ask(site.command(STREAM)))[0][0].version == 3
            await until(lambda: "snapshots_written" in {args[0] for _, args in site.seen.calls})
        assert _whole(await site.sets()) == 1
        assert (await site.start()).shelf.place(STREAM)[1] >= 1
    finally:
        watcher.cancel()
        await asyncio.wait([watcher])
        await site.producer.stop()
    records = await site.records("snapshots", PARTITION)
    assert max(len(each.value or b"") for each in records) < MAX_RECORD_BYTES
