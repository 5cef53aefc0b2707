"""Whoever reaches the broker and has no key: changes true records, moves them, makes new ones, repeats old ones."""

import asyncio
from collections.abc import Callable
from random import Random

from msgspec.structs import replace

from libs.contracts.cloudevents_kafka import NotAPublicEvent, from_record, to_record
from libs.journal.commit import Commit, Undecodable, decode, digest, encode
from libs.journal.log import Headers, LogRecord
from libs.journal.marks import HEADER
from tests.testkit.simulated import Raw, SimulatedBroker


class Forger:
    """On a simulated broker. `forged` and `replayed` count what it did."""

    def __init__(self, broker: SimulatedBroker, random: Random, topics: list[str]) -> None:
        self._broker = broker
        self._random = random
        self._topics = topics
        self.forged = 0
        self.replayed = 0

    def strike(self) -> None:
        """Something once, somewhere."""
        places = self._places()
        if not places:
            return
        topic, partition = self._random.choice(places)
        records = self._broker.records(topic, partition)
        true = self._random.choice(records[-8:] if self._random.random() < 0.7 else records)
        if self._random.random() < 0.25:
            self.replayed += 1
            self._broker.land(topic, partition, [(true.key, true.value, true.headers)])
            return
        made = self._random.choice((bare, changed, next_in_line, _moved_from(self._elsewhere(topic, partition))))(true)
        self.forged += 1
        self._broker.forge(topic, partition, [made])

    def _elsewhere(self, topic: str, partition: int) -> LogRecord | None:
        """A true record of another place."""
        place = self._random.choice(self._places())
        return self._random.choice(self._broker.records(*place)) if place != (topic, partition) else None

    def _places(self) -> list[tuple[str, int]]:
        everywhere = [(topic, number) for topic in self._topics for number in range(self._broker.partitions)]
        return [place for place in everywhere if self._broker.end(*place)]


class Mover:
    """Whoever joins a group without a key: holds a partition for a while, so that its owner commits nothing, and leaves
    it on, beyond the end or back, with all beside it that can be read. `moved` counts what it did."""

    def __init__(self, broker: SimulatedBroker, random: Random) -> None:
        self._broker = broker
        self._random = random
        self._seen: dict[tuple[str, str, int], list[tuple[int, str]]] = {}
        self.moved = 0

    async def run(self, every_s: float, at_once: int = 3) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(at_once):
                    group.create_task(self._strikes(every_s))
        finally:
            self._broker.taken.clear()

    async def _strikes(self, every_s: float) -> None:
        while True:
            await asyncio.sleep(self._random.expovariate(1 / every_s))
            await self._strike()

    async def _strike(self) -> None:
        broker, dice = self._broker, self._random
        for key, offset in broker.offsets.items():
            self._seen.setdefault(key, []).append((offset, broker.beside.get(key, "")))
        if not self._seen:
            return
        key, until = dice.choice(sorted(self._seen)), dice.uniform(0.2, 3.0)
        broker.taken.add(key)
        for _ in range(dice.randint(1, 4)):
            self._commit(key)
            await asyncio.sleep(until / 4)
        broker.taken.discard(key)

    def _commit(self, key: tuple[str, str, int]) -> None:
        broker, dice = self._broker, self._random
        end = broker.partition(key[1], key[2]).length
        offset, text = dice.choice(self._seen[key])
        if dice.random() > 0.15:  # else as it once stood: true, and harmless
            text = dice.choice(["", str(broker.now_ms()), text, self._seen[key][-1][1]])
            offset = dice.choice([end, end, end, end + 1_000, dice.randint(0, end)])
        dict.__setitem__(broker.offsets, key, offset)  # not among what owners have come to
        broker.beside[key] = text
        self.moved += 1


def bare(true: LogRecord) -> Raw:
    return true.key, true.value, _unmarked(true)


def changed(true: LogRecord) -> Raw:
    """Under the mark of what it was."""
    value = true.value or b"?"
    return true.key, value[:-1] + bytes([value[-1] ^ 1]), true.headers


def next_in_line(true: LogRecord) -> Raw:
    """What would count next in its stream if there were no marks: a commit, an event."""
    for made in (_next_commit, _next_event):
        raw = made(true)
        if raw is not None:
            return raw
    return bare(true)


def _next_commit(true: LogRecord) -> Raw | None:
    try:
        commit: Commit = decode(true.value)
    except Undecodable:
        return None
    forged = replace(
        commit, base=commit.version, prev=digest(true.value or b""), command_id=commit.command_id[:15] + b"\x00"
    )
    return true.key, encode(forged), _unmarked(true) or true.headers


def _next_event(true: LogRecord) -> Raw | None:
    try:
        event = from_record(true.key, true.value, true.headers)
    except NotAPublicEvent:
        return None
    key, value, headers = to_record(replace(event, version=event.version + 1))
    return key, value, (*headers, *true.headers[-1:])


def _moved_from(other: LogRecord | None) -> Callable[[LogRecord], Raw]:
    return lambda true: (other.key, other.value, other.headers) if other is not None else bare(true)


def _unmarked(true: LogRecord) -> Headers:
    return tuple(header for header in true.headers if header[0] != HEADER)
