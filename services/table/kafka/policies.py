"""Which wallet events the table reacts to, and with what."""

from collections.abc import Sequence

from libs.contracts.draw_events import TablesDrawn
from libs.contracts.facts import Fact
from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.topics import topic
from libs.contracts.wallet_events import FundsReserved, ReserveRefused
from libs.journal.kafka_log import KafkaLog
from libs.policies import Policies
from services.table.policies.reactions import when_funds_reserved, when_reserve_refused, when_tables_drawn


async def react(event: PublicEvent, fact: Fact) -> Sequence[CommandMessage]:
    match fact:
        case FundsReserved():
            return when_funds_reserved(event, fact)
        case ReserveRefused():
            return when_reserve_refused(event, fact)
        case _:
            return []


def table_policies(log: KafkaLog, instance: str, *, topic_prefix: str = "", session_ms: int = 6_000) -> Policies:
    """One `instance` name per process."""
    return Policies(
        log,
        group=f"{topic_prefix}table-policies",
        instance=instance,
        source=topic_prefix + topic("wallet", "events").name,
        commands=topic_prefix + topic("table", "commands").name,
        parked=topic_prefix + topic("table", "parked").name,
        listens_to=(FundsReserved, ReserveRefused),
        react=react,
        session_ms=session_ms,
    )


async def react_to_draws(event: PublicEvent, fact: Fact) -> Sequence[CommandMessage]:
    return when_tables_drawn(event, fact) if isinstance(fact, TablesDrawn) else []


def draw_policies(log: KafkaLog, instance: str, *, topic_prefix: str = "", session_ms: int = 6_000) -> Policies:
    """Tables hear of each other's draws (pt-217-2007 25)."""
    return Policies(
        log,
        group=f"{topic_prefix}table-draws",
        instance=f"{instance}-draws",
        source=topic_prefix + topic("table", "events").name,
        commands=topic_prefix + topic("table", "commands").name,
        parked=topic_prefix + topic("table", "parked").name,
        listens_to=(TablesDrawn,),
        react=react_to_draws,
        session_ms=session_ms,
    )
