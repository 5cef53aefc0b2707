"""The wallet can't reserve the money: the seat is free again, or the top-up fails as a whole (pt-811-2015 8, 11.b)."""

from libs.contracts.commands import TableCommand
from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.table_commands import FailTopUp, ReleaseSeat
from libs.contracts.wallet_events import ReserveRefused
from libs.policies import policy_command


def when_reserve_refused(event: PublicEvent, fact: ReserveRefused) -> list[CommandMessage]:
    buys_in = fact.reserve == fact.sitting
    command: TableCommand = (
        ReleaseSeat(reservation=fact.sitting, reason="reserve_refused") if buys_in else FailTopUp(top_up=fact.reserve)
    )
    return [policy_command(event, fact.table, command, "table.when_reserve_refused")]
