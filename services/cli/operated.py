"""What operators for Kafka and PostgreSQL are told of a house: topics, rules and logins, for deploy/operators."""

import json
from collections.abc import Iterable
from itertools import groupby
from typing import Any

from libs.broker.rules import READS, REQUEST_PERCENT, Operation, Rule, house_rules, platform_rules, write_rates
from libs.contracts.topics import TOPICS
from libs.stack import kafka, postgres

_LOGIN = "LOGIN"
"""Stands in a name for the platform's login, which the chart puts there."""
_BOUNDS = """-- What keeps logins from filling the disk of the database's server (docs/sre.md), for one made before it:
-- as its superuser, in the house's database. Written by `croupier watching`.
"""


def operated_files() -> dict[str, str]:
    """Path to text."""
    return {
        "deploy/operators/files/kafka.json": _text(strimzi()),
        "deploy/operators/files/log4j2.properties": kafka.LOGGING.read_text(),
        "deploy/operators/files/postgres.json": _text(postgres.declared()),
        "deploy/operators/files/bounds.sql": _BOUNDS + postgres.bounds(),
    }


def strimzi() -> dict[str, Any]:
    """Topics, users with their rules, and bounds of the broker, in Strimzi's words."""
    rules = sorted(house_rules(), key=lambda rule: rule.login)
    return {
        "broker": kafka.bounds(),
        "connections": kafka.PLATFORM_LISTENER_CONNECTIONS,
        "topics": [{"name": each.name, "single": each.is_single, "config": each.config} for each in TOPICS],
        "users": [
            {"name": login, **_writes(login), "acls": _acls(theirs)}
            for login, theirs in groupby(rules, key=lambda rule: rule.login)
        ],
        "reads": {_camel(key): int(most) for key, most in READS.items()},
        "platform": {"percent": REQUEST_PERCENT, "acls": _acls(platform_rules(_LOGIN))},
    }


def _writes(login: str) -> dict[str, int]:
    """Bytes a second for each MB a second that the chart's values give to the table service."""
    rate = write_rates(1_000_000).get(login)
    return {} if rate is None else {"writes": int(rate)}


def _acls(rules: Iterable[Rule]) -> list[dict[str, str]]:
    return [
        {
            "type": rule.resource.name.lower(),
            "name": rule.name,
            "pattern": "prefix" if rule.prefixed else "literal",
            "operation": _operation(rule.operation),
        }
        for rule in rules
    ]


def _operation(operation: Operation) -> str:
    """`DescribeConfigs` for DESCRIBE_CONFIGS."""
    return operation.name.title().replace("_", "")


def _camel(key: str) -> str:
    """`consumerByteRate` for consumer_byte_rate."""
    first, *others = key.split("_")
    return first + "".join(each.title() for each in others)


def _text(found: dict[str, Any]) -> str:
    return json.dumps(found, indent=1) + "\n"
