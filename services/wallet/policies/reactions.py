"""What a table's events ask of a player's account: funds are reserved, released, settled, charged."""

from collections.abc import Callable, Mapping
from typing import Any

from libs.contracts.commands import WalletCommand
from libs.contracts.facts import TableEvent
from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.poker_events import SessionFeeDue
from libs.contracts.registry import snake
from libs.contracts.table_events import PlayerLeft, SeatReleased, SeatReserved, TopUpDue, TopUpFailed
from libs.contracts.wallet_commands import ChargeFee, ReleaseFunds, ReserveFunds, SettleSitting, account_id
from libs.policies import policy_command


def when_seat_reserved(fact: SeatReserved, event: str) -> ReserveFunds:
    """A seat is kept for a player: reserve the buy-in (pt-811-2015 8). The reserve has the sitting's own id."""
    return ReserveFunds(reserve=fact.reservation, sitting=fact.reservation, table=fact.table, amount=fact.amount)


def when_top_up_due(fact: TopUpDue, event: str) -> ReserveFunds:
    """No hand runs and a top-up waits: reserve its amount (pt-811-2015 11.b)."""
    return ReserveFunds(reserve=fact.top_up, sitting=fact.reservation, table=fact.table, amount=fact.amount)


def when_seat_released(fact: SeatReleased, event: str) -> ReleaseFunds:
    """A reservation ended without a seat: its funds are released. If nothing was reserved, the account refuses."""
    return ReleaseFunds(reserve=fact.reservation, reason=fact.reason)


def when_top_up_failed(fact: TopUpFailed, event: str) -> ReleaseFunds:
    """All that was reserved for it is released (pt-811-2015 11.b)."""
    return ReleaseFunds(reserve=fact.top_up, reason=fact.reason)


def when_player_left(fact: PlayerLeft, event: str) -> SettleSitting:
    """The whole stack comes home and every reserve of the sitting ends (pt-811-2015 10).

    A void hand may send a refund after a player who had gone: the same sitting, another event and settlement (72).
    """
    return SettleSitting(sitting=fact.reservation, returned=fact.stack, settlement=event)


def when_session_fee_due(fact: SessionFeeDue, event: str) -> ChargeFee:
    """A session is charged for: out of the player's account, never the stack (pt-217-2007 7.b)."""
    return ChargeFee(fee=fact.fee, table=fact.table, rulebook=fact.rulebook, amount=fact.amount)


REACTIONS: Mapping[type[TableEvent], Callable[[Any, str], WalletCommand]] = {
    SeatReserved: when_seat_reserved,
    TopUpDue: when_top_up_due,
    SeatReleased: when_seat_released,
    TopUpFailed: when_top_up_failed,
    PlayerLeft: when_player_left,
    SessionFeeDue: when_session_fee_due,
}
"""By event; each takes the event's id beside its body."""


def answer(event: PublicEvent, fact: Any, kind: str) -> CommandMessage:
    """The command to the player's account of that `kind` of money, `real` or `demo`."""
    command = REACTIONS[type(fact)](fact, event.id)
    account = account_id(fact.player, fact.currency, kind)
    return policy_command(event, account, command, f"wallet.when_{snake(type(fact).__name__)}")
