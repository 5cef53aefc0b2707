"""The simulated broker with a witness beside it: everything that lands is looked at before anybody can read it."""

from collections.abc import Callable, Sequence
from typing import Protocol

from libs.contracts.topics import PARTITIONS
from libs.journal.simulated import Raw, SimulatedBroker


class Sees(Protocol):
    def __call__(self, topic: str, partition: int, offset: int, record: Raw) -> None: ...


class WatchedBroker(SimulatedBroker):
    def __init__(self, now_ms: Callable[[], int]) -> None:
        super().__init__(PARTITIONS, now_ms)
        self.witnesses: dict[str, Sees] = {}
        """By topic."""

    def land(self, topic: str, partition: int, records: Sequence[Raw]) -> int:
        base = super().land(topic, partition, records)
        witness = self.witnesses.get(topic)
        if witness is not None:
            for index, record in enumerate(records):
                witness(topic, partition, base + index, record)
        return base
