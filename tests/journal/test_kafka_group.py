"""A group's leader says who gets what, and who has the service's login may be the leader."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from aiokafka import TopicPartition
from aiokafka.errors import GroupAuthorizationFailedError, InconsistentGroupProtocolError, KafkaError

from libs.broker import Broker
from libs.journal import kafka_group
from libs.journal.kafka_group import KafkaGroup
from libs.journal.log import LogUnavailable
from libs.journal.marks import Marks
from libs.journal.members import Joining
from libs.journal.tasks import end
from tests.testkit.marks import TABLE, WALLET


class Consumer:
    def __init__(self, wrong: KafkaError | None = None) -> None:
        self._wrong = wrong
        self.is_stopped = False
        self.paused: set[int] = set()
        self._coordinator = self
        self.generation = 7

    async def getmany(self, timeout_ms: int) -> None:
        await asyncio.sleep(0.001)
        if self._wrong is not None:
            raise self._wrong

    def partitions_for_topic(self, topic: str) -> set[int]:
        return {0, 1, 2, 3}

    def pause(self, place: TopicPartition) -> None:
        self.paused.add(place.partition)


def test_a_partition_that_the_house_has_not_is_not_taken() -> None:
    group, consumer = KafkaGroup(Broker("localhost:9"), "table-decider", "commands"), Consumer()
    kept: Any = consumer
    group._consumer = kept
    group.take(frozenset({1, 77}))
    assert (group.assigned, consumer.paused, group.generation) == ({1}, {1}, 7)


async def test_a_group_that_refuses_us_is_joined_anew_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What we had we hold on to; an assignment says that it is over."""
    monkeypatch.setattr(kafka_group, "_FAILURE_S", 0.001)
    group = KafkaGroup(Broker("localhost:9"), "table-decider", "commands")
    made: list[Consumer] = []
    refused = 3

    async def start(it: KafkaGroup) -> None:
        kept: Any = Consumer(InconsistentGroupProtocolError() if len(made) < refused else None)
        made.append(kept)
        it._consumer = kept

    async def stopped(consumer: Any) -> None:
        consumer.is_stopped = True

    monkeypatch.setattr(KafkaGroup, "start", start)
    monkeypatch.setattr(kafka_group, "stop_consumer", stopped)
    await group.join()
    group.take(frozenset({1}))
    attending = asyncio.create_task(group.attend())
    while len(made) <= refused:
        await asyncio.sleep(0.001)
        assert not attending.done()
        assert group.refused is None or "InconsistentGroupProtocol" in group.refused
    assert group.refused is not None
    assert (group.assigned, [each.is_stopped for each in made]) == ({1}, [True] * refused + [False])
    group.take(frozenset({1, 2}))
    assert (group.refused, group.assigned) == (None, {1, 2})
    await end([attending])


async def test_a_right_that_is_taken_away_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    group = KafkaGroup(Broker("localhost:9"), "table-decider", "commands")
    kept: Any = Consumer(GroupAuthorizationFailedError("table-decider"))
    group._consumer = kept
    with pytest.raises(LogUnavailable, match="the group refuses us: GroupAuthorizationFailed"):
        await group.attend()


@pytest.mark.parametrize(("instance", "marks", "leaves"), [("table-2", TABLE, True), ("table-2", WALLET, False)])
async def test_partitions_are_handed_over_to_none_but_the_house(instance: str, marks: Marks, leaves: bool) -> None:
    """Who joins with the service's login, and has none of its marks, lets them lie."""
    group, consumer = KafkaGroup(Broker("localhost:9"), "table-decider", "commands", marks=TABLE), Consumer()
    said = Joining(marks, "table-decider", instance).metadata(["commands"]).encode()
    us, other = ("us", "table-1", "", "", b"", b""), ("other", instance, "", "", said, b"")
    coordinator: Any = SimpleNamespace(member_id="us")

    async def told(_: Any) -> Any:
        return SimpleNamespace(groups=[(0, "table-decider", "Stable", "", "", [us, other], 0)])

    coordinator._send_req = told
    kept: Any = consumer
    kept._coordinator = coordinator
    assert await group._others(kept) is leaves
