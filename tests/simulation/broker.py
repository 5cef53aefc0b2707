"""The simulated broker with a witness beside it: everything that lands is looked at before anybody can read it."""

from collections.abc import Callable, Sequence

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
        self.witnesses: dict[str, Sees] = {}
        """By topic."""

    def land(self, topic: str, partition: int, records: Sequence[Raw]) -> int:
        base = super().land(topic, partition, records)
        witness = self.witnesses.get(topic)
        if witness is not None:
            for index, record in enumerate(records):
                witness(topic, partition, base + index, record)
        return base
