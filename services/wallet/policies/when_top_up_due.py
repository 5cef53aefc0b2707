"""No hand runs and a top-up waits: reserve its amount (pt-811-2015 11.b)."""

from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.table_events import TopUpDue
from libs.contracts.wallet_commands import ReserveFunds, account_id
from libs.policies import policy_command


def when_top_up_due(event: PublicEvent, fact: TopUpDue, kind: str) -> list[CommandMessage]:
    account = account_id(fact.player, fact.currency, kind)
    reserve = ReserveFunds(reserve=fact.top_up, sitting=fact.reservation, table=fact.table, amount=fact.amount)
    return [policy_command(event, account, reserve, "wallet.when_top_up_due")]
