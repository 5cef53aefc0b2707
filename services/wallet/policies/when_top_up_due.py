"""No hand runs and a top-up waits: hold its amount (pt-811-2015 11.b)."""

from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.table_events import TopUpDue
from libs.contracts.wallet_commands import HoldFunds, account_id
from libs.policies import policy_command


def when_top_up_due(event: PublicEvent, fact: TopUpDue, kind: str) -> list[CommandMessage]:
    account = account_id(fact.player, fact.currency, kind)
    hold = HoldFunds(hold=fact.top_up, sitting=fact.reservation, table=fact.table, amount=fact.amount)
    return [policy_command(event, account, hold, "wallet.when_top_up_due")]
