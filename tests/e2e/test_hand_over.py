"""Table processes are ended one after the other while bots play: the next owner decides before the last has let go."""

import os
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import Literal

import pytest
from aiokafka.structs import ConsumerRecord

from libs.contracts.topics import topic
from libs.journal.fold import AnyFold, PartitionFold
from libs.journal.log import LogRecord
from libs.sealing.sealed import Keyring
from services.cli.house import House
from services.table.machine import table_machine
from tests.conftest import TESTS
from tests.e2e.evening import all_records, croupier, evening
from tests.testkit.partitions import PARTITIONS

ENDINGS = int(os.environ.get("CROUPIER_ENDINGS", "2"))
"""Processes that are ended, one after the other; each owns half of the partitions."""
SESSION_MS = 6_000
"""Of a group: so long a partition stands still whose owner went without a word. What a change takes otherwise is
measured (docs/sre.md), not tested: it is the machine's."""
AROUND_MS = 4_000


@dataclass(frozen=True, slots=True)
class Change:
    """Of a partition's owner. Times are the commits', milliseconds."""

    partition: int
    gap: int
    """From the last act that the old owner decided to the first of the new one."""
    slowest: int
    """Of the commands around it: from when the broker took one in until its commit was made."""


@pytest.mark.stack
@pytest.mark.timeout(120 + 60 * ENDINGS)
async def test_who_is_told_to_end_hands_its_tables_over_without_a_pause(house: House) -> None:
    names = ["table", "table-2"]
    second = house.add("table", "table-2", CROUPIER_GROUP_SESSION_MS=f"{SESSION_MS}")
    house.processes["table"].environment["CROUPIER_GROUP_SESSION_MS"] = f"{SESSION_MS}"
    await house.processes["table"].stop()
    await house.processes["table"].start()
    await second.start()
    await second.ready()
    await house.processes["table"].ready()
    async with evening(house, tables=4, bots=3) as it:
        await it.hands(8)
        for number in range(ENDINGS):
            ended = house.processes[names[number % 2]]
            await ended.stop()
            await it.hands(4)
            await ended.start()
            await ended.ready()
            await it.hands(4)
        await it.close()
        assert it.statistics.voided == 0
        assert it.watcher is not None
        assert it.watcher.started_twice == []

    logs = await _records(house, "journal"), await _records(house, "commands")
    changes = [each for partition in range(PARTITIONS) for each in _changes(partition, *logs)]
    gaps, slowest = (sorted(found) for found in zip(*((each.gap, each.slowest) for each in changes), strict=True))
    print(f"{len(changes)} changes of owner; gap p50 {_at(gaps, 50)} p99 {_at(gaps, 99)} ms")
    print(f"slowest command around each: p50 {_at(slowest, 50)} p99 {_at(slowest, 99)} ms")
    print(*sorted(changes, key=lambda each: each.gap)[-5:], sep="\n")
    assert len(changes) >= ENDINGS
    status, report = await croupier(house, "verify")
    assert report["findings"] == []
    assert status == 0
    assert gaps[-1] < SESSION_MS / 2
    handed = sum((house.home / "logs" / f"{name}.jsonl").read_text().count("is handed over") for name in names)
    assert handed >= ENDINGS


async def _records(house: House, kind: Literal["journal", "commands"]) -> list[ConsumerRecord]:
    name = house.topic_prefix + topic("table", kind).name
    return await all_records(house.stack.broker(TESTS), name, PARTITIONS)


def _changes(partition: int, journal: list[ConsumerRecord], commands: list[ConsumerRecord]) -> list[Change]:
    """In the order of the journal. Only what players asked counts: somebody waits for it."""
    machine = table_machine(Keyring({"kek-1": bytes(32)}, "kek-1"))
    fold: AnyFold = PartitionFold(partition, PARTITIONS, machine.journal_name, None)
    taken_in = {record.offset: record.timestamp for record in commands if record.partition == partition}
    acts: list[tuple[int, int, str]] = []
    for record in journal:
        if record.partition != partition:
            continue
        folded = fold.fold(LogRecord(record.offset, record.key, record.value))
        commit = folded.commit
        if folded.valid and commit is not None and commit.principal.startswith("player:"):
            acts.append((record.timestamp, taken_in[commit.command_offset], commit.writer))
    changes, owners = [], {acts[0][2]} if acts else set()
    for (before, _, _), (at, _, writer) in pairwise(acts):
        if writer not in owners:
            owners.add(writer)
            around = [made - asked for made, asked, _ in acts if abs(made - at) < AROUND_MS]
            changes.append(Change(partition, at - before, max(around)))
    return changes


def _at(ordered: list[int], percent: int) -> int:
    """Nearest rank."""
    return ordered[ceil(len(ordered) * percent / 100) - 1]
