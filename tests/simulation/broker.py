"""The simulated broker with a witness beside it: everything that lands is looked at before anybody can read it."""

from collections.abc import Callable, Mapping, Sequence

from libs.journal.log import LogRecord
from tests.testkit.partitions import PARTITIONS
from tests.testkit.simulated import Raw, SimulatedBroker

Sees = Callable[[str, int, int, Raw], None]
"""Is called with topic, partition, offset and record."""


class Offsets(dict[tuple[str, str, int], int]):
    """Group offsets, and the highest that each has ever been: a zombie may set one back, and it stays there until the
    present owner has something new to commit."""

    def __init__(self) -> None:
        super().__init__()
        self.highest: dict[tuple[str, str, int], int] = {}

    def __setitem__(self, key: tuple[str, str, int], offset: int) -> None:
        super().__setitem__(key, offset)
        self.highest[key] = max(offset, self.highest.get(key, 0))


class WatchedBroker(SimulatedBroker):
    def __init__(self, now_ms: Callable[[], int]) -> None:
        super().__init__(PARTITIONS, now_ms)
        self.offsets: Offsets = Offsets()
        self.incarnation = 1
        """Of the house: how often it was moved, and once more."""
        self.witnesses: dict[str, Sees] = {}
        """By topic."""

    def move(self, partitions: int, parts: Mapping[tuple[str, int], Sequence[LogRecord]]) -> None:
        """Another house stands here, with these records; nobody is told of them. What was not carried over is gone."""
        self.partitions = partitions
        self.incarnation += 1
        self.offsets, self.beside = Offsets(), {}
        self._held.clear()
        for place, records in parts.items():
            self.partition(*place).slots = list(records)

    def land(self, topic: str, partition: int, records: Sequence[Raw]) -> int:
        base = super().land(topic, partition, records)
        witness = self.witnesses.get(topic)
        if witness is not None:
            for index, record in enumerate(records):
                witness(topic, partition, base + index, record)
        return base
