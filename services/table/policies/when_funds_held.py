"""The wallet holds the money: the seat is taken, or the top-up made. A buy-in's hold has the sitting's own id."""

from libs.contracts.commands import TableCommand
from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.table_commands import ConfirmSeat, ConfirmTopUp
from libs.contracts.wallet_events import FundsHeld
from libs.policies import policy_command


def when_funds_held(event: PublicEvent, fact: FundsHeld) -> list[CommandMessage]:
    buys_in = fact.hold == fact.sitting
    command: TableCommand = ConfirmSeat(reservation=fact.sitting) if buys_in else ConfirmTopUp(top_up=fact.hold)
    return [policy_command(event, fact.table, command, "table.when_funds_held")]
