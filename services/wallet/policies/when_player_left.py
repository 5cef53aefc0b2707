"""A player left the table: the whole stack comes home and every reserve of the sitting ends (pt-811-2015 10).

A void hand may send a refund after a player who had gone: the same sitting, another event, another settlement (72).
"""

from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.table_events import PlayerLeft
from libs.contracts.wallet_commands import SettleSitting, account_id
from libs.policies import policy_command


def when_player_left(event: PublicEvent, fact: PlayerLeft, kind: str) -> list[CommandMessage]:
    account = account_id(fact.player, fact.currency, kind)
    settle = SettleSitting(sitting=fact.reservation, returned=fact.stack, settlement=event.id)
    return [policy_command(event, account, settle, "wallet.when_player_left")]
