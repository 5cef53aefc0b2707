"""A reservation ended without a seat: its funds are released. If nothing was reserved, the account refuses."""

from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.table_events import SeatReleased
from libs.contracts.wallet_commands import ReleaseFunds, account_id
from libs.policies import policy_command


def when_seat_released(event: PublicEvent, fact: SeatReleased, kind: str) -> list[CommandMessage]:
    account = account_id(fact.player, fact.currency, kind)
    release = ReleaseFunds(reserve=fact.reservation, reason=fact.reason)
    return [policy_command(event, account, release, "wallet.when_seat_released")]
