"""Where much waits in every partition, none stands still behind another one."""

from collections.abc import Callable
from typing import Any

import pytest

from libs.journal.kafka_fetch import Followed
from libs.journal.log import LogRecord
from libs.projecting import KafkaSource


class _Log:
    """Hands out partitions that are already read as far as there is something."""

    def __init__(self, *waiting: int) -> None:
        self.followed_by_number: dict[int, Followed] = {}
        self._waiting = waiting

    def followed(self, place: tuple[str, int], arrived: Callable[[], None]) -> Followed:
        made = Followed(place, lambda *given: None, arrived)  # type: ignore[arg-type]
        made.records.extend(LogRecord(offset, b"", b"", ()) for offset in range(self._waiting[place[1]]))
        self.followed_by_number[place[1]] = made
        return made


def _source(*waiting: int) -> KafkaSource:
    log: Any = _Log(*waiting)
    return KafkaSource(log, [("events", number) for number in range(len(waiting))], wait_ms=10)


async def _numbers(source: KafkaSource, limit: int) -> list[int]:
    return [each.partition for each in await source.batch(limit)]


async def test_each_partition_has_its_part_of_a_batch_and_what_others_leave() -> None:
    assert sorted(await _numbers(_source(100, 100, 100), 9)) == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert sorted(await _numbers(_source(1, 0, 100), 9)) == [0, *[2] * 8]


@pytest.mark.parametrize("limit", [1, 2, 3])
async def test_with_more_partitions_than_a_batch_holds_all_have_their_turn(limit: int) -> None:
    source = _source(*[100] * 7)
    seen = {number for _ in range(7) for number in await _numbers(source, limit)}
    assert seen == set(range(7))


async def test_the_records_of_a_partition_keep_their_order_and_all_come() -> None:
    source = _source(5, 50, 20)
    found: dict[int, list[int]] = {}
    while batch := await source.batch(8):
        assert len(batch) <= 8
        for each in batch:
            found.setdefault(each.partition, []).append(each.offset)
    assert found == {0: list(range(5)), 1: list(range(50)), 2: list(range(20))}
