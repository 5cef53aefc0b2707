"""The fold: which records count, and what they leave behind (journal 1, 3, 4, 13, 14)."""

import msgspec

from libs.contracts.messages import command_id_at
from libs.journal.commit import decode, digest, encode, genesis
from libs.journal.ring import Answer, Ring
from tests.journal.bank import NAMES
from tests.journal.house import PARTITION, STREAM, House
from tests.testkit.partitions import partition_of

OTHER_PARTITION = next(p for p in range(NAMES.partitions) if p != PARTITION)


def test_a_chained_commit_is_valid_and_moves_the_head():
    house = House()
    first = house.foreign(5, 6)
    house.land(first)
    second = house.foreign(1)
    house.land(second)

    fold = house.fold()
    head = fold.heads[STREAM]
    assert house.judgements() == ["valid", "valid"]
    assert (head.version, head.prev, head.last_offset) == (3, digest(second), 1)
    assert fold.states[STREAM].balance == 12
    assert decode(first).prev == genesis("bank-journal.1", STREAM)


def test_a_second_commit_on_the_same_head_is_void_for_ever():
    house = House()
    rivals = house.foreign(5), house.foreign(7)
    house.land(*rivals)
    house.land(rivals[1])

    assert house.judgements() == ["valid", "void_prev", "void_prev"]
    assert house.fold().states[STREAM].balance == 5


def test_a_byte_identical_repetition_is_void():
    house = House()
    raw = house.foreign(5)
    house.land(raw, raw)
    assert house.judgements() == ["valid", "void_prev"]


def test_a_wrong_base_is_void_even_on_the_right_chain():
    house = House()
    house.land(house.foreign(5, base=3))
    assert house.judgements() == ["void_base"]


def test_a_stream_of_another_partition_is_void():
    house = House()
    house.land(house.foreign(5), partition=OTHER_PARTITION)
    assert house.judgements(OTHER_PARTITION) == ["void_partition"]


def test_another_incarnation_shares_no_chain():
    house = House()
    house.land(house.foreign(5, prev=genesis("bank-journal.2", STREAM)))
    assert house.judgements() == ["void_prev"]


def test_a_rejection_moves_the_chain_and_not_the_version():
    house = House()
    house.land(house.foreign(5))
    before = house.foreign(1)
    house.land(house.foreign(verdict="rejected", reason="not_enough"))
    house.land(before)
    house.land(house.foreign(2))

    assert house.judgements() == ["valid", "valid", "void_prev", "valid"]
    assert house.fold().heads[STREAM].version == 2


def test_an_undecodable_record_is_void_and_the_stream_goes_on():
    house = House()
    house.land(house.foreign(5), b"\x09what", b"")
    house.land(house.foreign(2))
    assert house.judgements() == ["valid", "undecodable", "undecodable", "valid"]


def test_stream_time_is_the_latest_command_time():
    house = House()
    now = house.broker.now_ms()
    for offset in (0, 5000, -3000):
        house.land(house.foreign(1, command_time=now + offset))
    assert house.fold().heads[STREAM].time == now + 5000


def test_an_id_leaves_the_ring_only_past_its_horizon():
    house = House()
    start = house.broker.now_ms()
    first = house.foreign(1, now_ms=start)
    house.land(first)
    edge = start + house.machine.horizon_ms
    house.land(house.foreign(1, now_ms=edge))
    assert decode(first).command_id in house.fold().heads[STREAM].ring
    house.land(house.foreign(1, now_ms=edge + 1))
    assert decode(first).command_id not in house.fold().heads[STREAM].ring


def test_a_record_from_the_past_evicts_by_stream_time():
    """The ring's clock is the stream's, which never goes back."""
    house = House()
    now = house.broker.now_ms()
    house.land(house.foreign(1, now_ms=now))
    house.land(house.foreign(1, now_ms=now - 60_000))
    ring = house.fold().heads[STREAM].ring
    assert len(ring) == 1


def test_high_water_is_kept_per_source():
    house = House()
    house.land(house.foreign(1, source="a.1/0", command_offset=5))
    house.land(house.foreign(1, source="b.1/0", command_offset=9))
    house.land(house.foreign(1, source="a.1/0", command_offset=3))
    assert house.fold().heads[STREAM].high_water == {"a.1/0": 5, "b.1/0": 9}


def test_streams_do_not_disturb_each_other():
    house = House()
    other = next(f"account-{n}" for n in range(2, 99) if partition_of(f"account-{n}", 4) == PARTITION)
    house.land(house.foreign(1), house.foreign(2, stream=other))
    house.land(house.foreign(3), house.foreign(4, stream=other))
    assert {s: a.balance for s, a in house.fold().states.items()} == {STREAM: 4, other: 6}


def test_the_ring_knows_what_is_overdue_and_whose_it_is():
    answers = {t: Answer("accepted", 1, None, None, "", by=t % 2) for t in range(1000, 9000)}
    ring = Ring((command_id_at(t, "x").bytes, answer) for t, answer in answers.items())
    for now in (1500, 1501, 4321, 9499, 9999):
        assert len(ring.overdue(now, 500)) == sum(now > t + 500 for t in answers)
    assert (len(ring), ring.held_by(0), ring.held_by(1), ring.held_by(2)) == (8000, 4000, 4000, 0)
    ring.evict(1502, 500)
    assert (len(ring), ring.held_by(0), ring.held_by(1)) == (7998, 3999, 3999)


def test_writer_and_generation_never_enter_the_rule():
    house = House()
    house.land(house.foreign(1, generation=9, writer="a"))
    house.land(house.foreign(1, generation=-4, writer="b"))
    assert house.judgements() == ["valid", "valid"]
    assert msgspec.structs.replace(house.commits()[0], generation=1) != house.commits()[0]
    assert encode(house.commits()[0]) == house.raw()[0]
