"""A snapshot in parts: whole or not there, and none destroys another one (journal 16, 17)."""

from dataclasses import replace

import msgspec
import pytest

from libs.journal.log import LogRecord, OutRecord
from libs.journal.parts import KEY, Cutter, Left, Part, Parts, cut, stream_in
from libs.journal.restore import Restored, restore
from libs.journal.seals import HEADER
from libs.journal.shelf import stream_key
from libs.journal.snapshots import encoded, snapshot_of
from libs.journal.telling import Telling
from tests.journal.bank import EVENTS, NAMES
from tests.journal.house import PARTITION, STREAM, House, latest, until
from tests.journal.simulation.world import SEALS
from tests.journal.test_follower import OTHERS
from tests.testkit.simulated import Fate, Faults, SimulatedBroker, SimulatedLog

SMALL = 100
"""Bytes in a part: every snapshot of a few commits has several."""
NAME = "bank-journal.1"


@pytest.fixture
def house() -> House:
    return House()


def lying(house: House, stream: str = STREAM) -> dict[bytes, bytes]:
    """Parts of the stream that are there once compaction is through."""
    held: dict[bytes, bytes] = {}
    for record in house.broker.records(NAMES.snapshots, PARTITION):
        key = record.key or b""
        if key.startswith(KEY) and stream_in(key) == stream:
            if record.value:
                held[key] = record.value
            else:
                held.pop(key, None)
    return held


def sets(house: House) -> int:
    """How many there are of them."""
    return len({key.rpartition(b"/")[0] for key in lying(house)})


def version(house: House, stream: str = STREAM) -> int:
    held = latest(house.broker.records(NAMES.snapshots, PARTITION), house.machine)[1].get(stream)
    return held.version if held is not None else 0


def low(house: House) -> int:
    manifest, _ = latest(house.broker.records(NAMES.snapshots, PARTITION), house.machine)
    return manifest.low if manifest is not None else -1


def write(house: House, of: str, stream: str = STREAM, but: int = -1) -> list[bytes]:
    """All parts, but one, of a snapshot of everything that there is now; their keys."""
    snapshot = snapshot_of(house.fold(), stream)
    made = list(cut(NAME, stream, snapshot.upto, encoded(snapshot), of, SMALL))
    for number, (key, value) in enumerate(made):
        if number != but:
            house.broker.land(NAMES.snapshots, PARTITION, [(key, value, ())])
    return [key for key, _ in made]


async def restored(house: House, told: list[Telling] | None = None) -> Restored:
    tell = (lambda telling: None) if told is None else told.append
    return await restore(SimulatedLog(house.broker), house.machine, NAMES, PARTITION, tell=tell)


async def deposit(house: House, count: int = 1, stream: str = STREAM) -> None:
    await house.ask(*(house.command("Deposit", stream, amount=1) for _ in range(count)))


@pytest.mark.parametrize("sealed", [False, True])
async def test_what_one_record_does_not_hold_goes_in_parts_and_a_start_goes_on_from_them(house, sealed):
    if sealed:
        house.machine = replace(house.machine, seals=SEALS)
    async with house.runner(part_bytes=SMALL):
        await deposit(house, 6)
        await until(lambda: low(house) == 6)
    held = [msgspec.msgpack.decode(value[1:], type=Part) for value in lying(house).values()]
    assert [each.number for each in held] == list(range(held[0].count))
    assert all(len(each.value) <= SMALL for each in held)
    records = house.broker.records(NAMES.snapshots, PARTITION)
    assert stream_key(STREAM) not in {each.key for each in records}
    assert all(any(name == HEADER for name, _ in each.headers) == sealed for each in records if each.value)
    found = await restored(house)
    assert (found.fold.position.next, found.fold.state(STREAM).balance) == (6, 6)
    async with house.runner(part_bytes=SMALL):
        await deposit(house)
        await until(lambda: low(house) == 7)
    assert sets(house) == 1, "the older ones are taken away"


async def test_what_one_record_holds_is_one_as_ever_and_parts_of_a_larger_past_go(house):
    async with house.runner(part_bytes=SMALL):
        await deposit(house, 2)
        await until(lambda: version(house) == 2)
    assert lying(house)
    async with house.runner():
        await deposit(house)
        await until(lambda: version(house) == 3 and not lying(house))
    last = [r for r in house.broker.records(NAMES.snapshots, PARTITION) if r.key == stream_key(STREAM)][-1]
    assert last.value == encoded(snapshot_of(house.fold(), STREAM))


@pytest.mark.parametrize("missing", [0, 1, -1])
async def test_a_torn_set_is_not_there_and_the_older_one_counts(house, missing):
    house.land(house.foreign(5))
    keys = write(house, "old.1")
    house.land(house.foreign(7))
    write(house, "new.1", but=range(len(keys))[missing])
    told: list[Telling] = []
    found = await restored(house, told)
    assert (told, found.shelf.place(STREAM)) == ([], (1, 0))
    assert keys[0] in found.parts.lying[STREAM], "the new one may be under way, and its owner believes in it"
    assert not found.parts.over


async def test_what_lies_behind_a_whole_one_is_over(house):
    house.land(house.foreign(5))
    old, torn = write(house, "old.1"), write(house, "torn.1", but=1)
    house.land(house.foreign(7))
    new = write(house, "new.1")
    found = await restored(house)
    assert found.shelf.place(STREAM) == (2, 1)
    assert found.parts.over == {*old, *torn} - {torn[1]}
    assert found.parts.lying == {STREAM: frozenset(new)}


async def test_of_torn_ones_the_two_newest_may_be_under_way_and_no_more(house):
    house.land(house.foreign(5))
    torn = [write(house, f"torn{n}.1", but=0) for n in range(5)]
    found = await restored(house)
    assert found.parts.over == {key for keys in torn[:3] for key in keys[1:]}
    assert found.parts.lying[STREAM] == {key for keys in torn[3:] for key in keys[1:]}


async def test_parts_of_several_snapshots_together_are_none_and_are_told(house):
    """Under one name, which no two ever have: the digest is what would tell."""
    house.land(house.foreign(5))
    write(house, "whole.1")
    house.land(house.foreign(7))
    first = write(house, "mixed.1")
    house.land(house.foreign(9))
    write(house, "mixed.1", but=0)
    house.broker.compact(NAMES.snapshots, PARTITION)
    told: list[Telling] = []
    found = await restored(house, told)
    assert found.shelf.place(STREAM) == (1, 0)
    assert [(each.key, each.why) for each in told] == [(first[0], "its parts are not what they say together")]


async def test_what_can_not_be_read_is_told_and_what_is_of_another_incarnation_goes(house):
    bad, former = KEY + STREAM.encode() + b"/bad.1/0", KEY + STREAM.encode() + b"/former.1/0"
    other = Part("bank-journal.0", STREAM, "former.1", 0, 1, 5, b"", b"")
    house.broker.land(
        NAMES.snapshots, PARTITION, [(bad, b"\x02\xc1", ()), (former, b"\x02" + msgspec.msgpack.encode(other), ())]
    )
    told: list[Telling] = []
    found = await restored(house, told)
    assert [(each.key, each.why) for each in told] == [(bad, "a part of a snapshot that can't be read")]
    assert found.parts == Left({STREAM: frozenset({bad})}, frozenset({former}))
    async with house.runner(part_bytes=SMALL):
        await deposit(house)
        await until(lambda: version(house) == 1 and sets(house) == 1)


class HeldParts(Faults):
    """From some part on nothing of snapshots is acknowledged before it is let go."""

    def __init__(self, after: int) -> None:
        self._left = after
        self.free = False

    def publish(self, topic):
        if topic != NAMES.snapshots or self.free:
            return Fate()
        self._left -= 1
        return Fate(lost=self._left < 0)


async def test_an_owner_that_dies_between_two_parts_leaves_the_older_snapshot_and_the_next_one_cleans_up(house):
    async with house.runner(part_bytes=SMALL):
        await deposit(house, 6)
        await until(lambda: version(house) == 6)
    async with house.runner(part_bytes=SMALL, faults=HeldParts(2)):
        await deposit(house, 5)
        await until(lambda: sets(house) == 2)
    assert version(house) == 6, "the new one is torn"
    assert (await restored(house)).shelf.place(STREAM) == (6, 5)
    async with house.runner(part_bytes=SMALL):
        await until(lambda: version(house) == 11 and sets(house) == 1)


async def test_two_owners_that_write_at_once_leave_a_whole_one_at_every_moment(house):
    faults = HeldParts(10**6)
    async with house.runner("w1", part_bytes=SMALL, faults=faults):
        await deposit(house, 6)
        await until(lambda: version(house) == 6)
        faults._left = 2
        await deposit(house)
        await until(lambda: sets(house) == 2)
        assert version(house) == 6
        async with house.runner("w2", part_bytes=SMALL):
            await until(lambda: version(house) == 7)
            faults.free = True
            for n in range(8, 12):
                await deposit(house)
                await until(lambda n=n: version(house) == n)
    slots = house.broker.partition(NAMES.snapshots, PARTITION).slots
    for end in range(next(r.offset for r in slots if (r.key or b"").startswith(b"manifest/")), len(slots)):
        kept = SimulatedBroker(NAMES.partitions)
        kept.partition(NAMES.snapshots, PARTITION).slots = slots[: end + 1]
        kept.partition(NAMES.journal, PARTITION).slots = house.broker.partition(NAMES.journal, PARTITION).slots
        kept.compact(NAMES.snapshots, PARTITION)
        found = await restore(SimulatedLog(kept), house.machine, NAMES, PARTITION)
        assert found.shelf.place(STREAM) is not None


class Slow(Faults):
    def publish(self, topic):
        return Fate(before_s=0.02 if topic == NAMES.snapshots else 0.0)


async def test_between_two_parts_events_and_answers_go_out(house):
    async with house.runner(part_bytes=20, faults=Slow(), snapshot_s=60, snapshot_commits=6):
        await deposit(house, 6)
        await until(lambda: lying(house))
        await deposit(house, stream=OTHERS[0])
        assert version(house) == 0, "its parts are still on the way"
        assert len(house.broker.records(EVENTS, PARTITION)) == 7
        await until(lambda: version(house) == 6)


def test_a_cutter_tells_once_what_is_over():
    left = Left({"a": frozenset({b"part/a/x.1/0"})}, frozenset({b"part/b/x.1/0"}))
    cutter = Cutter(NAME, "run", 4, left)
    assert cutter.over() == [b"part/b/x.1/0"]
    assert [key for key, _ in cutter.cut("a", 1, b"12345678") or ()] == [b"part/a/run.1/0", b"part/a/run.1/1"]
    assert cutter.over() == [], "it is not acknowledged yet"
    cutter.stands("a")
    assert cutter.over() == [b"part/a/x.1/0"]
    assert cutter.cut("a", 2, b"1234") is None
    cutter.stands("a")
    assert (cutter.over(), cutter.over()) == ([b"part/a/run.1/0", b"part/a/run.1/1"], [])


def test_the_bytes_of_parts_lie_on_disk_and_what_was_taken_away_is_not_there():
    held = Parts(NAME)
    records = [OutRecord("s", key, value) for key, value in cut(NAME, "a/b", 1, bytes(10), "x.1", 4)]
    for at, each in enumerate(records):
        assert held.take(record_of(each, at))
    assert list(held.joined()) == [("a/b", bytes(10))]
    assert stream_in(records[0].key) == "a/b"
    assert held.take(record_of(replace_value(records[1]), 3))
    assert list(held.joined()) == []
    assert held.left(lambda stream: -1).lying == {"a/b": frozenset({records[0].key, records[2].key})}
    held.close()


def record_of(out: OutRecord, at: int):
    return LogRecord(at, out.key, out.value, ())


def replace_value(out: OutRecord) -> OutRecord:
    return msgspec.structs.replace(out, value=None)
