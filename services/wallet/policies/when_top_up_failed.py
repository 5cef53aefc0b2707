"""A top-up failed: all that was reserved for it is released (pt-811-2015 11.b)."""

from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.table_events import TopUpFailed
from libs.contracts.wallet_commands import ReleaseFunds, account_id
from libs.policies import policy_command


def when_top_up_failed(event: PublicEvent, fact: TopUpFailed, kind: str) -> list[CommandMessage]:
    account = account_id(fact.player, fact.currency, kind)
    release = ReleaseFunds(reserve=fact.top_up, reason=fact.reason)
    return [policy_command(event, account, release, "wallet.when_top_up_failed")]
