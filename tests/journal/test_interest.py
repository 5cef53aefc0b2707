"""What nobody waits for is passed over undecoded, and nothing else is."""

import pytest
from aiokafka.errors import CorruptRecordException
from aiokafka.record.default_records import DefaultRecordBatchBuilder
from hypothesis import given
from hypothesis import strategies as st

from libs.journal.interest import Interest
from libs.journal.kafka_wire import records_in

LEFT, BET, PAID = (f"croupier.table.{name}.v1" for name in ("player_left", "bet_placed", "pot_awarded"))
GZIP = 1
WAITS = Interest([LEFT, PAID])


def batch(base: int, *types: str | None, codec: int = 0) -> bytes:
    builder = DefaultRecordBatchBuilder(2, codec, 0, -1, -1, -1, 1_000_000)
    for number, name in enumerate(types):
        headers = [("ce_id", b"t/1")] + ([("ce_type", name.encode())] if name is not None else [])
        builder.append(number, None, b"table-1", b'{"at":1}', [*headers, ("mark", b"0" * 40)])
    raw = bytearray(builder.build())
    raw[0:8] = base.to_bytes(8, "big")  # the broker's, and not under the checksum
    return bytes(raw)


def offsets(raw: bytes, interest: Interest | None = WAITS, since: int = 0) -> tuple[list[int], int]:
    found, position, unread = records_in(raw, since, interest)
    assert unread == []
    return [each.offset for each in found], position


def test_only_batches_with_an_event_of_interest_are_decoded_and_the_position_moves_over_all() -> None:
    raw = batch(0, BET, BET) + batch(2, BET, LEFT, BET) + batch(5, BET) + batch(6, PAID) + batch(7, BET, BET, BET)
    assert offsets(raw) == ([2, 3, 4, 6], 10)
    assert offsets(raw, None) == (list(range(10)), 10)
    assert offsets(raw, since=3) == ([3, 4, 6], 10)
    assert offsets(batch(0, BET, BET)) == ([], 2)
    assert offsets(raw[:-1]) == ([2, 3, 4, 6], 7), "what is cut off at the end is asked for again"


def test_a_record_that_names_no_type_is_not_passed_over() -> None:
    assert offsets(batch(0, BET) + batch(1, BET, None) + batch(3, None)) == ([1, 2, 3], 4)


def test_what_can_not_be_read_is_told_as_ever() -> None:
    _, position, unread = records_in(batch(0, BET, codec=GZIP), 0, WAITS)
    assert (position, [(each.offset, each.records) for each in unread]) == (1, [(0, 1)])
    damaged = bytearray(batch(0, BET, BET))
    damaged[-20] ^= 1
    with pytest.raises(CorruptRecordException):
        records_in(bytes(damaged), 0, WAITS)


@given(st.lists(st.lists(st.sampled_from([LEFT, BET, PAID, None]), min_size=1, max_size=4), max_size=8))
def test_no_event_of_interest_is_ever_missed(batches: list[list[str | None]]) -> None:
    raw, at, wanted = b"", 0, []
    for types in batches:
        raw += batch(at, *types)
        wanted += [at + number for number, name in enumerate(types) if name != BET]
        at += len(types)
    found, position = offsets(raw)
    assert position == at
    assert set(wanted) <= set(found)
