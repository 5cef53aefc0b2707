"""The wallet's policies as a member of their consumer group."""

from libs.contracts.topics import topic
from libs.journal.kafka_log import KafkaLog
from libs.policies import Policies
from services.wallet.policies.reactions import REACTIONS


def wallet_policies(log: KafkaLog, instance: str, *, topic_prefix: str = "", session_ms: int = 6_000) -> Policies:
    """One `instance` name per process."""
    return Policies(
        log,
        group=f"{topic_prefix}wallet-policies",
        instance=instance,
        source=topic_prefix + topic("table", "events").name,
        commands=topic_prefix + topic("wallet", "commands").name,
        parked=topic_prefix + topic("wallet", "parked").name,
        reactions=REACTIONS,
        session_ms=session_ms,
    )
