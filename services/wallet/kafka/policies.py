"""Which table events the wallet reacts to, and with what."""

from collections.abc import Sequence

from libs.contracts.facts import Fact
from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.poker_events import SessionFeeDue
from libs.contracts.table_events import PlayerLeft, SeatReleased, SeatReserved, TableOpened, TopUpDue, TopUpFailed
from libs.contracts.topics import topic
from libs.journal.kafka_log import KafkaLog
from libs.policies import Policies, React
from services.wallet.policies.table_kinds import TableKinds
from services.wallet.policies.when_player_left import when_player_left
from services.wallet.policies.when_seat_released import when_seat_released
from services.wallet.policies.when_seat_reserved import when_seat_reserved
from services.wallet.policies.when_session_fee_due import when_session_fee_due
from services.wallet.policies.when_top_up_due import when_top_up_due
from services.wallet.policies.when_top_up_failed import when_top_up_failed


def reactions(kinds: TableKinds) -> React:
    async def react(event: PublicEvent, fact: Fact) -> Sequence[CommandMessage]:
        match fact:
            case TableOpened():
                if fact.configuration.kind != "tournament":  # whose chips no account ever holds
                    await kinds.learn(fact.table, fact.configuration.kind)
                return []
            case SeatReserved():
                return when_seat_reserved(event, fact, await kinds.of(fact.table))
            case TopUpDue():
                return when_top_up_due(event, fact, await kinds.of(fact.table))
            case SeatReleased():
                return when_seat_released(event, fact, await kinds.of(fact.table))
            case TopUpFailed():
                return when_top_up_failed(event, fact, await kinds.of(fact.table))
            case SessionFeeDue():
                return when_session_fee_due(event, fact)
            case PlayerLeft():
                return when_player_left(event, fact, await kinds.of(fact.table))
            case _:
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
        listens_to=(TableOpened, SeatReserved, TopUpDue, SeatReleased, TopUpFailed, PlayerLeft, SessionFeeDue),
        react=reactions(kinds),
        session_ms=session_ms,
    )
