"""A session is charged for: out of the player's account, never the stack (pt-217-2007 7.b)."""

from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.poker_events import SessionFeeDue
from libs.contracts.wallet_commands import ChargeFee, account_id
from libs.policies import policy_command


def when_session_fee_due(event: PublicEvent, fact: SessionFeeDue) -> list[CommandMessage]:
    account = account_id(fact.player, fact.currency, fact.kind)
    charge = ChargeFee(fee=fact.fee, table=fact.table, rulebook=fact.rulebook, amount=fact.amount)
    return [policy_command(event, account, charge, "wallet.when_session_fee_due")]
