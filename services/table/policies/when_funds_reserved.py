"""The wallet reserves the money: the seat is taken, or the top-up made. A buy-in's reserve has the sitting's own id."""

from libs.contracts.commands import TableCommand
from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.table_commands import ConfirmSeat, ConfirmTopUp
from libs.contracts.wallet_events import FundsReserved
from libs.policies import policy_command


def when_funds_reserved(event: PublicEvent, fact: FundsReserved) -> list[CommandMessage]:
    buys_in = fact.reserve == fact.sitting
    command: TableCommand = ConfirmSeat(reservation=fact.sitting) if buys_in else ConfirmTopUp(top_up=fact.reserve)
    return [policy_command(event, fact.table, command, "table.when_funds_reserved")]
