"""Restore: the start offset, and refusing a log that is not the one (journal 17, 21)."""

from dataclasses import replace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.journal.fold import PartitionFold
from libs.journal.log import LogRecord, LogRewritten
from libs.journal.machine import OldSnapshot
from libs.journal.manifests import HEAD_KEY, Manifest, Piece, Sets, head_record, piece_record, start_of
from libs.journal.restore import restore
from libs.journal.shelf import Place, Shelf
from libs.journal.snapshots import Snapshot, Unreadable, snapshot_of, snapshot_record
from libs.journal.telling import Telling
from tests.journal.bank import NAMES, bank
from tests.journal.house import PARTITION, STREAM, House, latest, manifest_over
from tests.testkit.partitions import partition_of
from tests.testkit.simulated import SimulatedLog

OTHER = next(f"account-{n}" for n in range(2, 99) if partition_of(f"account-{n}", NAMES.partitions) == PARTITION)


def write(house, *records):
    for record in records:
        house.broker.land(record.topic, PARTITION, [(record.key, record.value, ())])


def snapshot(house, stream=STREAM):
    return snapshot_record(NAMES.snapshots, PARTITION, snapshot_of(house.fold(), stream))


def manifest(house):
    return head_record(NAMES.snapshots, PARTITION, manifest_over(house.fold()))


async def restored(house, machine=None) -> PartitionFold:
    """With what it holds of `STREAM` loaded."""
    log = SimulatedLog(house.broker)
    fold = (await restore(log, machine or house.machine, NAMES, PARTITION)).fold
    fold.head(STREAM)
    return fold


async def test_without_snapshots_it_starts_at_zero():
    house = House()
    house.land(house.foreign(5))
    fold = await restored(house)
    assert (fold.position.next, fold.heads) == (0, {})


async def test_a_snapshot_of_an_old_format_counts_as_none():
    house = House()
    for _ in range(5):
        house.land(house.foreign(5))
    write(house, snapshot(house), manifest(house))

    fold = await restored(house, replace(house.machine, reads=lambda raw: False))
    assert (fold.position.next, fold.heads) == (0, {})


async def test_what_nothing_falls_due_for_is_not_decoded_before_somebody_asks():
    house = House()
    house.land(house.foreign(5), house.foreign(5, stream=OTHER))
    write(house, snapshot(house))
    write(house, snapshot_record(NAMES.snapshots, PARTITION, snapshot_of(house.fold(), OTHER)), manifest(house))
    decoded = []

    def decode_state(stream, raw):
        decoded.append(stream)
        return house.machine.decode_state(stream, raw)

    log = SimulatedLog(house.broker)
    fold = (await restore(log, replace(house.machine, decode_state=decode_state), NAMES, PARTITION)).fold
    assert (fold.position.next, fold.heads, decoded) == (2, {}, [])
    assert (fold.head(OTHER).version, fold.state(OTHER).balance, decoded) == (1, 5, [OTHER])
    assert fold.heads.keys() == {OTHER}


async def test_what_something_falls_due_for_is_decoded_at_once_and_old_formats_count_as_none():
    house = House()
    house.machine = replace(house.machine, rests=lambda state: False)
    house.land(house.foreign(5))
    write(house, snapshot(house), manifest(house))
    assert (await restore(SimulatedLog(house.broker), house.machine, NAMES, PARTITION)).fold.heads.keys() == {STREAM}

    def decode_state(stream, raw):
        raise OldSnapshot

    fold = await restored(house, replace(house.machine, decode_state=decode_state))
    assert (fold.position.next, fold.heads) == (0, {})


async def test_one_that_cannot_be_decoded_when_it_is_asked_for_is_told_and_left_aside_then():
    house = House()
    house.land(house.foreign(5))
    write(house, broken(snapshot(house)), manifest(house))
    log = SimulatedLog(house.broker)
    with pytest.raises(Unreadable) as told:
        (await restore(log, house.machine, NAMES, PARTITION)).fold.head(STREAM)
    fold = (await restore(log, house.machine, NAMES, PARTITION, aside={told.value.stream})).fold
    assert (fold.position.next, fold.head(STREAM).version) == (0, 0)


async def test_with_a_manifest_it_starts_at_low_with_everything_in_place():
    house = House()
    for _ in range(5):
        house.land(house.foreign(5))
    write(house, snapshot(house), manifest(house))
    fold = await restored(house)

    whole = house.fold()
    assert fold.position == whole.position
    assert fold.states == whole.states
    head, expected = fold.heads[STREAM], whole.heads[STREAM]
    assert (head.version, head.prev, head.time, head.last_offset) == (5, expected.prev, expected.time, 4)
    assert list(head.ring.items()) == list(expected.ring.items())
    assert head.high_water == expected.high_water


async def test_a_snapshot_without_manifest_still_spares_its_stream_but_not_the_reading():
    house = House()
    house.land(house.foreign(5))
    write(house, snapshot(house))
    house.land(house.foreign(1))
    fold = await restored(house)
    judgements = [fold.fold(record).judgement for record in house.broker.records(NAMES.journal, PARTITION)]
    assert judgements == ["covered", "valid"]
    assert fold.states[STREAM].balance == 6


async def test_a_snapshot_beyond_the_end_of_the_log_is_refused():
    house = House()
    for _ in range(3):
        house.land(house.foreign(5))
    write(house, snapshot(house))
    house.broker.truncate(NAMES.journal, PARTITION, 2)
    with pytest.raises(LogRewritten):
        await restored(house)


async def test_another_record_where_the_manifest_saw_its_last_is_refused():
    house = House()
    for _ in range(3):
        house.land(house.foreign(5))
    write(house, snapshot(house), manifest(house))
    house.broker.truncate(NAMES.journal, PARTITION, 2)
    house.land(house.foreign(6), house.foreign(7))
    with pytest.raises(LogRewritten):
        await restored(house)


async def test_snapshots_of_another_incarnation_or_format_count_for_nothing():
    house = House()
    house.land(house.foreign(5))
    write(house, snapshot(house), manifest(house))
    house.broker.land(NAMES.snapshots, PARTITION, [(HEAD_KEY, b"\x07future", ()), (b"stream/x", None, ())])
    fold = await restored(house, replace(house.machine, incarnation=2))
    assert (fold.position.next, fold.heads) == (0, {})


async def test_a_snapshot_that_cannot_be_read_counts_as_none():
    """Poison in the snapshots topic kept a service from starting."""
    house = House()
    house.land(house.foreign(5))
    write(house, snapshot(house), manifest(house))
    house.broker.land(NAMES.snapshots, PARTITION, [(b"stream/nobody", b"\x01\x93", ())])
    fold = await restored(house)
    assert (fold.position.next, fold.head(STREAM).version) == (1, 1)


async def test_a_manifest_that_cannot_be_read_is_told_and_the_others_count():
    house = House()
    house.land(house.foreign(5))
    house.broker.land(NAMES.snapshots, PARTITION, [(HEAD_KEY, b"\x01\x93", ())])
    left: list[Telling] = []
    found = await restore(SimulatedLog(house.broker), house.machine, NAMES, PARTITION, tell=left.append)
    assert (found.fold.position.next, [each.why for each in left]) == (0, ["a manifest's head that can't be read"])
    assert HEAD_KEY in found.manifests, "it goes with the sets of others"
    write(house, snapshot(house), head_record(NAMES.snapshots, PARTITION, in_a_set(manifest_over(house.fold()))))
    assert (await restored(house)).position.next == 1


async def test_a_log_that_was_cut_is_noticed_beside_a_manifest_that_cannot_be_read():  # journal 17, 21
    house = House()
    house.land(house.foreign(5))
    house.land(house.foreign(5))
    write(house, snapshot(house), head_record(NAMES.snapshots, PARTITION, in_a_set(manifest_over(house.fold()))))
    house.broker.land(NAMES.snapshots, PARTITION, [(HEAD_KEY, b"\x01\x93", ())])
    house.broker.truncate(NAMES.journal, PARTITION, 1)
    with pytest.raises(LogRewritten):
        await restored(house)


def in_a_set(manifest):
    return msgspec.structs.replace(manifest, of="w1.1")


async def test_a_snapshot_ahead_of_the_start_is_not_written_with_less_than_it_holds():
    """Between the start and `upto` a restored fold knows more of the stream than its position says."""
    house = House()
    house.land(house.foreign(1))
    write(house, snapshot(house), manifest(house))
    for _ in range(3):
        house.land(house.foreign(1))
    write(house, snapshot(house))
    fold = await restored(house)
    assert fold.position.next == 1
    assert snapshot_of(fold, STREAM).upto == 4


@given(
    low=st.integers(0, 50),
    lasts=st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(0, 49)), max_size=3),
    held=st.dictionaries(st.sampled_from("abcd"), st.tuples(st.integers(0, 60), st.integers(0, 59))),
)
async def test_the_start_never_lies_above_a_stale_snapshot(low, lasts, held):
    shelf = Shelf()
    for stream, (upto, last) in held.items():
        shelf.put(Place("j", stream, upto, last, 1, b"", 0, msgspec.Raw(), msgspec.Raw(), b""), b"")
    start = await start_of(Manifest("j", low, {}, -1, b""), enumerate(lasts), shelf)
    assert start <= low
    for stream, last in (each for some in lasts for each in some.items()):
        if stream not in held:
            assert start == 0
        elif held[stream][1] < last:
            assert start <= held[stream][0]


def head(low, of, pieces, last=None):
    return head_record("t", 0, Manifest("j", low, last or {}, -1, b"", of, pieces))


def piece(of, number, **last):
    return piece_record("t", 0, Piece("j", of, number, last))


def best(*written):
    sets = Sets("j")
    for offset, each in enumerate(written):
        sets.take(LogRecord(offset, each.key, each.value))
    found = sets.best()
    return found and (found.low, [dict(some) for _, some in sets.marks(found)])


def test_a_set_counts_with_all_of_its_pieces():
    assert best(piece("x", 0, a=3), piece("x", 1, b=4), head(9, "x", 2, {"a": 7})) == (
        9,
        [{"a": 7}, {"a": 3}, {"b": 4}],
    )


def test_a_set_without_a_piece_is_not_there_and_an_older_whole_one_counts():
    assert best(piece("x", 0), head(5, "x", 1), head(9, "y", 1)) == (5, [{}, {}])
    assert best(head(9, "y", 1)) is None
    assert best(piece("y", 1), head(9, "y", 2)) is None


def test_a_piece_of_another_set_completes_nothing():
    assert best(piece("x", 0, a=3), head(9, "y", 1)) is None
    moved = msgspec.structs.replace(piece("x", 0, a=3), key=b"piece/y/0")
    assert best(moved, head(9, "y", 1)) is None


def test_a_piece_that_was_taken_away_or_cannot_be_read_is_missing():
    gone = msgspec.structs.replace(piece("x", 0), value=None)
    torn = msgspec.structs.replace(piece("x", 0), value=b"\x01\x93")
    for later in (gone, torn):
        assert best(piece("x", 0), later, head(9, "x", 1)) is None


def test_a_manifest_of_an_earlier_build_counts_until_there_is_one_in_pieces():
    whole = msgspec.msgpack.encode(["j", 4, {"a": 3}, -1, b""])
    old = msgspec.structs.replace(head(4, "", 0), value=b"\x01" + whole)
    assert old.key == HEAD_KEY
    assert best(old) == (4, [{"a": 3}])
    assert best(old, head(9, "x", 0)) == (9, [{}])


def of(stream, upto, **changes):
    fields = {
        "last": upto - 1,
        "version": upto,
        "prev": bytes(32),
        "time": 9,
        "ring": (),
        "high_water": {},
        "state": b"s",
    }
    return snapshot_record("t", 0, Snapshot(journal_name="j-journal.1", stream=stream, upto=upto, **(fields | changes)))


def read(*written):
    records = [LogRecord(offset, each.key, each.value) for offset, each in enumerate(written)]
    return latest(records, replace(bank(), service="j"))[1]


def broken(written):
    """Its place can be read, what it remembers can't."""
    fields = msgspec.msgpack.decode(written.value[1:])
    fields[7] = "no answers"
    return msgspec.structs.replace(written, value=written.value[:1] + msgspec.msgpack.encode(fields))


def test_the_snapshot_that_reaches_furthest_counts_and_of_two_the_later_one():
    found = read(of("a", 5), of("a", 9, state=b"old"), of("b", 2), of("a", 9, state=b"new"), of("a", 7))
    assert {stream: (each.upto, each.state) for stream, each in found.items()} == {"a": (9, b"new"), "b": (2, b"s")}


def test_what_lies_before_the_one_that_counts_is_not_decoded(caplog):
    assert read(broken(of("a", 5)), of("a", 9))["a"].upto == 9
    assert not caplog.records


def test_one_that_is_cut_leaves_the_one_before(caplog):
    cut = msgspec.structs.replace(of("a", 9), value=of("a", 9).value[:-3])
    assert read(of("a", 5), cut)["a"].upto == 5
    assert "can't be read" in caplog.text


def test_the_snapshot_format_is_frozen():
    raw = snapshot_record(
        "t", 0, Snapshot("bank-journal.1", "s", 3, 2, 7, bytes(32), 99, (), {"a.1/0": 4}, b"state")
    ).value
    assert raw is not None
    assert raw[:1] == b"\x01"
    assert msgspec.msgpack.decode(raw[1:]) == [
        "bank-journal.1", "s", 3, 2, 7, bytes(32), 99, [], {"a.1/0": 4}, b"state", False, "", b"",
    ]  # fmt: skip
