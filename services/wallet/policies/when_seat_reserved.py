"""A seat is kept for a player: reserve the buy-in (pt-811-2015 8). The reserve has the sitting's own id."""

from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.table_events import SeatReserved
from libs.contracts.wallet_commands import ReserveFunds, account_id
from libs.policies import policy_command


def when_seat_reserved(event: PublicEvent, fact: SeatReserved, kind: str) -> list[CommandMessage]:
    """`kind` of the table's money, `real` or `demo`, names the account."""
    account = account_id(fact.player, fact.currency, kind)
    reserve = ReserveFunds(reserve=fact.reservation, sitting=fact.reservation, table=fact.table, amount=fact.amount)
    return [policy_command(event, account, reserve, "wallet.when_seat_reserved")]
