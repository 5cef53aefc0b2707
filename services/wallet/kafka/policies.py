"""Which table events the wallet reacts to."""

from collections.abc import Sequence

from libs.contracts.facts import Fact, TableEvent
from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.table_events import TableOpened
from libs.contracts.topics import topic
from libs.journal.kafka_log import KafkaLog
from libs.policies import Policies, React
from services.wallet.policies.reactions import REACTIONS, answer
from services.wallet.policies.table_kinds import TableKinds


def reactions(kinds: TableKinds) -> React:
    async def react(event: PublicEvent, fact: Fact) -> Sequence[CommandMessage]:
        if isinstance(fact, TableOpened):
            if fact.configuration.kind != "tournament":  # whose chips no account ever holds
                await kinds.learn(fact.table, fact.configuration.kind)
        elif isinstance(fact, TableEvent) and type(fact) in REACTIONS:
            return [answer(event, fact, await kinds.of(fact.table))]
        return []

    return react


def wallet_policies(
    log: KafkaLog, instance: str, kinds: TableKinds, *, topic_prefix: str = "", session_ms: int = 6_000
) -> Policies:
    """One `instance` name per process."""
    return Policies(
        log,
        group=f"{topic_prefix}wallet-policies",
        instance=instance,
        source=topic_prefix + topic("table", "events").name,
        commands=topic_prefix + topic("wallet", "commands").name,
        parked=topic_prefix + topic("wallet", "parked").name,
        listens_to=(TableOpened, *REACTIONS),
        react=reactions(kinds),
        session_ms=session_ms,
    )
