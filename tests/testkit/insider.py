"""Whoever has a service's login and its file of marks, and no seal: writes to its snapshots under true marks."""

from contextlib import suppress
from random import Random

import msgspec
from msgspec import msgpack
from msgspec.structs import replace

from libs.journal.log import Headers, LogRecord
from libs.journal.manifests import FORMAT, HEAD_KEY, Manifest, is_of_a_set
from libs.journal.marks import HEADER, Marking
from libs.journal.snapshots import Snapshot
from tests.testkit.simulated import SimulatedBroker


class Insider:
    """On a simulated broker. `forged` counts what it did."""

    def __init__(self, broker: SimulatedBroker, random: Random, marks: Marking) -> None:
        self._broker = broker
        self._random = random
        self._marks = marks
        self.forged = 0

    def strike(self, snapshots: str, partition: int) -> None:
        """One record on this topic, made of true ones that lie there."""
        records = [each for each in self._broker.records(snapshots, partition) if each.value]
        if not records:
            return
        true, other = self._random.choice(records[-8:]), self._random.choice(records)
        key, value = self._made(true, other)
        if self._random.random() < 0.2 and (elsewhere := self._elsewhere(snapshots, partition)) is not None:
            true = other = elsewhere
            key, value = elsewhere.key, elsewhere.value
        # The seal is that of a true record, or of none.
        seal: Headers = tuple(each for each in self._random.choice((true, other)).headers if each[0] != HEADER)
        seal = seal if self._random.random() < 0.8 else ()
        headers = self._marks.marked((snapshots, partition), key, value, seal)
        self._broker.forge(snapshots, partition, [(key, value, headers)])
        self.forged += 1

    def _elsewhere(self, snapshots: str, partition: int) -> LogRecord | None:
        """A true record of another partition."""
        place = self._random.choice([n for n in range(self._broker.partitions) if n != partition] or [partition])
        records = [each for each in self._broker.records(snapshots, place) if each.value]
        return self._random.choice(records[-8:]) if records and place != partition else None

    def _made(self, true: LogRecord, other: LogRecord) -> tuple[bytes | None, bytes | None]:
        dice = self._random.random()
        if dice < 0.1:
            return true.key, None
        if dice < 0.2:
            return HEAD_KEY + b"/mine", b"\x01\xc1"
        if dice < 0.4 and is_of_a_set(true.key or b"") == is_of_a_set(other.key or b"") and true.key != other.key:
            return true.key, other.value
        return true.key, self._changed(true.value or b"")

    def _changed(self, value: bytes) -> bytes:
        with suppress(msgspec.MsgspecError):
            return FORMAT + msgpack.encode(self._state(msgpack.decode(value[1:], type=Snapshot)))
        with suppress(msgspec.MsgspecError):
            return FORMAT + msgpack.encode(self._mark(msgpack.decode(value[1:], type=Manifest)))
        return value[:-1] + bytes([value[-1] ^ 1])

    def _state(self, held: Snapshot) -> Snapshot:
        """What the true process would go on from: another state, a past one, none of the ids, commits passed over."""
        return self._random.choice((
            replace(held, state=held.state[:-1] + bytes([held.state[-1] ^ 1])),
            replace(held, ring=()),
            replace(held, high_water={}),
            replace(held, upto=held.upto + 1, last=held.last + 1),
            replace(held, time=held.time + 10_000),
            replace(held, version=max(0, held.version - 1)),
        ))  # fmt: skip

    def _mark(self, held: Manifest) -> Manifest:
        return self._random.choice((
            replace(held, low=held.low + 5),
            replace(held, last={}),
            replace(held, low=10**9),
            replace(held, folded=held.folded - 1),
        ))  # fmt: skip
