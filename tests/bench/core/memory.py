"""Memory that an idle table takes in the process that owns it: state, head and remembered command ids.

Each measurement runs in a process of its own, so that nothing else is counted.
"""

import gc
import subprocess
import sys
from typing import Any

import psutil

TABLES = 10_000


def bytes_per_table(seated: int, tables: int = TABLES) -> float:
    """Resident bytes for each of so many open tables with so many players, between hands."""
    command = [sys.executable, "-m", "tests.bench.core.memory", str(seated), str(tables)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _measure(seated: int, tables: int) -> float:
    from libs.journal.fold import PartitionFold
    from libs.journal.log import LogRecord
    from services.table.machine import table_machine
    from tests.audit.played import KEYRING
    from tests.testkit.partitions import PARTITIONS

    machine: Any = table_machine(KEYRING)
    folds = [PartitionFold(p, PARTITIONS, machine.journal_name, machine) for p in range(PARTITIONS)]
    offsets = [0] * PARTITIONS
    process = psutil.Process()
    _opened(f"warm-{seated}", seated)
    gc.collect()
    before = process.memory_info().rss
    for number in range(tables):
        partition, raws = _opened(f"table-{number}", seated)
        for raw in raws:
            assert folds[partition].fold(LogRecord(offsets[partition], None, raw)).valid
            offsets[partition] += 1
    gc.collect()
    return (process.memory_info().rss - before) / tables


def _opened(name: str, seated: int) -> tuple[int, list[bytes]]:
    """The table's journal: opened, so many seated, nobody plays."""
    from libs.contracts.topics import topic
    from tests.audit.played import PlayedHouse
    from tests.testkit.partitions import partition_of

    house = PlayedHouse(name)
    house.open(seated)
    partition = partition_of(name)
    return partition, [each.value or b"" for each in house.broker.records(topic("table", "journal").name, partition)]


if __name__ == "__main__":
    print(_measure(int(sys.argv[1]), int(sys.argv[2])))
