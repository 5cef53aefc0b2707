"""A group's leader says who gets what, and who has the service's login may be the leader."""

from typing import Any

from aiokafka import TopicPartition

from libs.broker import Broker
from libs.journal.kafka_group import KafkaGroup


class Consumer:
    def __init__(self) -> None:
        self.paused: set[int] = set()
        self._coordinator = self
        self.generation = 7

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
