"""The table's policies as members of their consumer groups."""

from libs.contracts.topics import topic
from libs.journal.kafka_log import KafkaLog
from libs.policies import Policies
from services.table.policies.reactions import TO_TABLES, TO_WALLET


def table_policies(log: KafkaLog, instance: str, *, topic_prefix: str = "", session_ms: int = 6_000) -> Policies:
    """What the wallet tells. One `instance` name per process."""
    return Policies(
        log,
        group=f"{topic_prefix}table-policies",
        instance=instance,
        source=topic_prefix + topic("wallet", "events").name,
        commands=topic_prefix + topic("table", "commands").name,
        parked=topic_prefix + topic("table", "parked").name,
        reactions=TO_WALLET,
        session_ms=session_ms,
    )


def draw_policies(log: KafkaLog, instance: str, *, topic_prefix: str = "", session_ms: int = 6_000) -> Policies:
    """Tables hear of each other's draws (pt-217-2007 25)."""
    return Policies(
        log,
        group=f"{topic_prefix}table-draws",
        instance=f"{instance}-draws",
        source=topic_prefix + topic("table", "events").name,
        commands=topic_prefix + topic("table", "commands").name,
        parked=topic_prefix + topic("table", "parked").name,
        reactions=TO_TABLES,
        session_ms=session_ms,
    )
