"""The topics that one partition's runner and follower touch."""

from dataclasses import dataclass

from libs.contracts.topics import REPLIES, topic


@dataclass(frozen=True, slots=True)
class Names:
    commands: str
    journal: str
    snapshots: str
    events: str
    replies: str
    parked: str
    partitions: int
    incarnation: int = 1
    """Of the house: how often it was moved to other topics, and once more."""


def names_of(service: str, partitions: int, prefix: str = "", incarnation: int = 1) -> Names:
    """From the one table of topics, in a house of so many `partitions`; `prefix` sets test runs apart."""
    return Names(
        commands=prefix + topic(service, "commands").name,
        journal=prefix + topic(service, "journal").name,
        snapshots=prefix + topic(service, "snapshots").name,
        events=prefix + topic(service, "events").name,
        replies=prefix + REPLIES.name,
        parked=prefix + topic(service, "parked").name,
        partitions=topic(service, "journal").partitions(partitions),
        incarnation=incarnation,
    )
