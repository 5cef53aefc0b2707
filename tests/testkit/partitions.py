"""How many partitions a house of tests has, where nothing else is said."""

from libs.contracts import topics

PARTITIONS = 4


def partition_of(stream: str, partitions: int = PARTITIONS) -> int:
    return topics.partition_of(stream, partitions)
