"""The one table of consumer groups: rules at the broker and whoever joins one read it, so none is without its rule."""

from typing import NamedTuple

from libs.contracts.topics import Topic, topic


class Group(NamedTuple):
    """Only processes of `service` are members; they share the partitions of `reads` among them."""

    name: str
    service: str
    reads: Topic


def _deciders(*services: str) -> tuple[Group, ...]:
    return tuple(Group(f"{each}-decider", each, topic(each, "commands")) for each in services)


def _policies(service: str, **reads: str) -> tuple[Group, ...]:
    return tuple(Group(f"{service}-{name}", service, topic(of, "events")) for name, of in reads.items())


GROUPS: tuple[Group, ...] = (
    *_deciders("table", "wallet", "tournament"),
    *_policies("table", policies="wallet", draws="table"),
    *_policies("wallet", policies="table", tournaments="tournament", pools="tournament"),
    *_policies("wallet", notes="wallet", escrows="wallet"),
    *_policies("tournament", policies="wallet", news="table", tickets="tournament", orders="tournament"),
    # Of these each member works on all topics of its kind; the first one's partitions are shared.
    Group("wallet-books", "wallet", topic("table", "events")),
    Group("audit-share", "audit", topic("table", "journal")),
)
_BY_NAME = {each.name: each for each in GROUPS}


def group_of(name: str) -> Group:
    """KeyError for one that is not in the table."""
    return _BY_NAME[name]
