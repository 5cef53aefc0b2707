"""Who may do what at the broker, worked out from the one table of topics. Pure; `administration` puts it in force."""

import re
from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

from libs.contracts.groups import GROUPS
from libs.contracts.topics import HOUSE, INSPECTOR, PLATFORM, TOPICS

NAMESPACE = "croupier."
"""All our topics begin so."""
AUDITOR = "audit"
ADMIN = "admin"
"""Makes topics, users and rules, and may do everything."""
NODE = "kafka"
"""What the brokers call themselves among each other."""
PLATFORM_GROUPS = 8
"""By number, `platform-acme-1` and so on. Under a prefix a login made groups without end, which filled the broker's
memory and came back with it after every restart: so no rule about groups that may be joined has one."""
TABLE_WRITES = 8_000_000
"""Bytes a second, to each broker, that the table service may write where nobody says otherwise: it writes 3.8 kB of an
act (docs/capacity.md), so this is five thousand tables at one broker. A stolen password fills a disk no faster."""
REQUEST_PERCENT = 2.0
"""A client that may not read what it asks for asks thousands of times a second: so it is two hundred. An honest reader
is not slower at the median, and at its worst by half a second."""
LEAST_WRITES = 1_000_000
"""Of the table service, the least that `croupier topics --create` sets: below it the house stands."""
READS = {"consumer_byte_rate": 2_000_000_000.0, "request_percentage": 1_000_000.0}
"""What each login of the house may read of each broker (bytes a second) and ask of its threads (% of one): more than
there is. They are there because Kafka goes by a login's own bounds first: what somebody sets for everybody, or for the
name that a client gives itself, has then no hold on the house."""
CLUSTER = "kafka-cluster"
"""Kafka's name of the cluster, in rules about it."""
_PLATFORMS = f"{PLATFORM}-"
_PLATFORM_NAME = re.compile(r"[a-z][a-z0-9]{0,30}")


class Operation(IntEnum):
    """Numbers of Kafka's protocol. READ and WRITE carry DESCRIBE."""

    ALL = 2
    READ = 3
    WRITE = 4
    CREATE = 5
    DELETE = 6
    ALTER = 7
    DESCRIBE = 8
    CLUSTER_ACTION = 9
    DESCRIBE_CONFIGS = 10
    ALTER_CONFIGS = 11
    IDEMPOTENT_WRITE = 12
    CREATE_TOKENS = 13
    DESCRIBE_TOKENS = 14
    TWO_PHASE_COMMIT = 15


class Resource(IntEnum):
    """Numbers of Kafka's protocol."""

    TOPIC = 2
    GROUP = 3
    CLUSTER = 4
    TRANSACTIONAL_ID = 5
    DELEGATION_TOKEN = 6
    USER = 7


class Rule(NamedTuple):
    """`login` may do `operation` with what has this name, or, `prefixed`, with all whose names begin so."""

    login: str
    operation: Operation
    resource: Resource
    name: str
    prefixed: bool = False


def services() -> tuple[str, ...]:
    """Every login that the table of topics names and that stands for one process of the house."""
    named = {who for topic in TOPICS for who in (*topic.writers, *topic.readers)}
    return tuple(sorted(named - {PLATFORM, INSPECTOR, HOUSE}))


def house_rules(prefix: str = "") -> list[Rule]:
    """Of every service and of the inspector, who reads everything and writes nothing."""
    found = [
        Rule(who, operation, Resource.TOPIC, prefix + topic.name)
        for topic in TOPICS
        for operation, those in ((Operation.WRITE, topic.writers), (Operation.READ, topic.readers))
        for who in those
        if who not in (PLATFORM, INSPECTOR, HOUSE)
    ]
    found += [Rule(each.service, Operation.READ, Resource.GROUP, prefix + each.name) for each in GROUPS]
    # With it a refusal is an error of the topic; without it the topic is one that is not there, and readers wait.
    found += [Rule(who, Operation.DESCRIBE, Resource.TOPIC, prefix + NAMESPACE, prefixed=True) for who in services()]
    # Whether the broker still keeps topics as the table says.
    found.append(Rule(AUDITOR, Operation.DESCRIBE_CONFIGS, Resource.TOPIC, prefix + NAMESPACE, prefixed=True))
    # Whose passwords the broker takes, what its rules say, and how fast whom it lets write: whoever administered it
    # once can leave some behind. That takes rights on the cluster; these two let nobody change anything.
    found += [
        Rule(AUDITOR, each, Resource.CLUSTER, CLUSTER) for each in (Operation.DESCRIBE, Operation.DESCRIBE_CONFIGS)
    ]
    # Who is in our groups.
    found += [Rule(AUDITOR, Operation.DESCRIBE, Resource.GROUP, prefix + each.name) for each in GROUPS]
    # How far groups have come belongs into a backup.
    found += [Rule(INSPECTOR, Operation.DESCRIBE, Resource.GROUP, prefix + each.name) for each in GROUPS]
    found.append(Rule(INSPECTOR, Operation.DESCRIBE, Resource.GROUP, f"{prefix}{PLATFORM}-", prefixed=True))
    return [*found, Rule(INSPECTOR, Operation.READ, Resource.TOPIC, prefix + NAMESPACE, prefixed=True)]


def write_rates(table: int = TABLE_WRITES) -> dict[str, float]:
    """Login to bytes a second to each broker, for every service: `table` for the table service, half for each other."""
    return {who: table if who == "table" else table / 2 for who in services()}


def readers() -> tuple[str, ...]:
    """Logins that get `READS`: every service and the inspector."""
    return (*services(), INSPECTOR)


def former_names(prefix: str = "") -> set[tuple[Resource, str]]:
    """Of rules that were given once and hold no more."""
    return {(Resource.GROUP, f"{prefix}{service}-") for service in {each.service for each in GROUPS}}


def platform_login(name: str) -> str:
    """The login of an operator platform. ValueError for a name that is not lower-case letters and digits."""
    if not _PLATFORM_NAME.fullmatch(name):
        raise ValueError(f"{name!r} can't name a platform: lower-case letters and digits, 31 at most")
    # Nothing in a name may look like the dash behind it: one platform's groups would be another one's.
    return f"{_PLATFORMS}{name}"


def is_platform(login: str) -> bool:
    """Whether a login is called as `platform_login` calls those of platforms: no other one of a house is."""
    return login.startswith(_PLATFORMS) and _PLATFORM_NAME.fullmatch(login.removeprefix(_PLATFORMS)) is not None


def platform_rules(login: str, prefix: str = "") -> list[Rule]:
    """Public topics to read, groups of its own; it sees the name of no other topic."""
    found = [
        Rule(login, Operation.READ, Resource.TOPIC, prefix + topic.name)
        for topic in TOPICS
        if PLATFORM in topic.readers
    ]
    groups = [f"{prefix}{login}-{number}" for number in range(1, PLATFORM_GROUPS + 1)]
    return found + [Rule(login, Operation.READ, Resource.GROUP, name) for name in groups]


def prefix_rules(login: str, prefix: str) -> list[Rule]:
    """Everything under a prefix: for tests."""
    both = (Resource.TOPIC, Resource.GROUP)
    return [Rule(login, Operation.ALL, resource, prefix, prefixed=True) for resource in both]


def names_in(rules: Iterable[Rule]) -> set[tuple[Resource, str]]:
    """Of what is a house's own: the cluster may be that of several."""
    return {(rule.resource, rule.name) for rule in rules if rule.resource is not Resource.CLUSTER}
