"""What events of tables and tournaments ask of a player's account: to reserve, release, settle, charge, pay."""

from libs.contracts.commands import WalletCommand
from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.poker_events import SessionFeeDue
from libs.contracts.table_events import PlayerLeft, RefundSent, SeatReleased, SeatReserved, TopUpDue, TopUpFailed
from libs.contracts.tournaments_events import (
    CreditsDue,
    PaymentDue,
    PaymentReturned,
    TournamentAnnounced,
    TournamentCancelled,
)
from libs.contracts.wallet_commands import (
    ChargeFee,
    PayTournament,
    ReleaseFunds,
    ReserveFunds,
    SettleSitting,
    account_id,
)
from libs.money.play import kind_of
from libs.policies import Reactions
from services.wallet.policies.asking import asked_when
from services.wallet.policies.escrows import BANKS
from services.wallet.policies.pools import when_credits_due, when_payment_returned, when_tournament_cancelled


def when_seat_reserved(event: PublicEvent, fact: SeatReserved) -> list[CommandMessage]:
    """A seat is kept for a player: reserve the buy-in (pt-811-2015 8). The reserve has the sitting's own id."""
    asked = ReserveFunds(reserve=fact.reservation, sitting=fact.reservation, table=fact.table, amount=fact.amount)
    return _asked(event, fact, asked)


def when_top_up_due(event: PublicEvent, fact: TopUpDue) -> list[CommandMessage]:
    """No hand runs and a top-up waits: reserve its amount (pt-811-2015 11.b)."""
    asked = ReserveFunds(reserve=fact.top_up, sitting=fact.reservation, table=fact.table, amount=fact.amount)
    return _asked(event, fact, asked)


def when_seat_released(event: PublicEvent, fact: SeatReleased) -> list[CommandMessage]:
    """A reservation ended without a seat: its funds are released. If nothing was reserved, the account refuses."""
    return _asked(event, fact, ReleaseFunds(reserve=fact.reservation, table=fact.table, reason=fact.reason))


def when_top_up_failed(event: PublicEvent, fact: TopUpFailed) -> list[CommandMessage]:
    """All that was reserved for it is released (pt-811-2015 11.b)."""
    return _asked(event, fact, ReleaseFunds(reserve=fact.top_up, table=fact.table, reason=fact.reason))


def when_player_left(event: PublicEvent, fact: PlayerLeft) -> list[CommandMessage]:
    """The whole stack comes home and every reserve of the sitting ends (pt-811-2015 10), as far as the table's escrow
    covers it (adr/0022)."""
    return _home(event, fact, fact.stack)


def when_refund_sent(event: PublicEvent, fact: RefundSent) -> list[CommandMessage]:
    """A void hand sends it after a player who had gone: the same sitting, a settlement of its own (72)."""
    return _home(event, fact, fact.amount)


def _home(event: PublicEvent, fact: PlayerLeft | RefundSent, amount: int) -> list[CommandMessage]:
    asked = SettleSitting(sitting=fact.reservation, table=fact.table, returned=amount, settlement=event.id)
    return _asked(event, fact, asked)


def when_session_fee_due(event: PublicEvent, fact: SessionFeeDue) -> list[CommandMessage]:
    """A session is charged for: out of the player's account, never the stack (pt-217-2007 7.b)."""
    asked = ChargeFee(
        fee=fact.fee, table=fact.table, rulebook=fact.rulebook, amount=fact.amount, told_at=event.time
    )  # fmt: skip
    return _asked(event, fact, asked)


_ToAccount = SeatReserved | TopUpDue | SeatReleased | TopUpFailed | PlayerLeft | RefundSent | SessionFeeDue | PaymentDue


def _asked(event: PublicEvent, fact: _ToAccount, command: WalletCommand) -> list[CommandMessage]:
    """Of the player's account in the currency told: play money has one of its own, so that is the kind, too."""
    account = account_id(fact.player, fact.currency, kind_of(fact.currency))
    return [asked_when(event, fact, account, command)]


def when_payment_due(event: PublicEvent, fact: PaymentDue) -> list[CommandMessage]:
    """An entry, a rebuy or an add-on is taken at once (pt-810-2015 22); what is free asks nothing."""
    if not fact.amount:
        return []
    asked = PayTournament(
        payment=fact.payment, tournament=fact.tournament, amount=fact.amount, told_at=event.time
    )  # fmt: skip
    return _asked(event, fact, asked)


def when_announced(event: PublicEvent, fact: TournamentAnnounced) -> list[CommandMessage]:
    """Nothing is asked yet. It is heard so that one that nobody asked for is told at once (`announcements.py`)."""
    return []


REACTIONS: Reactions = {
    SeatReserved: when_seat_reserved,
    TopUpDue: when_top_up_due,
    SeatReleased: when_seat_released,
    TopUpFailed: when_top_up_failed,
    PlayerLeft: when_player_left,
    RefundSent: when_refund_sent,
    SessionFeeDue: when_session_fee_due,
    **BANKS,
}
"""To events of tables."""
TO_TOURNAMENTS: Reactions = {
    PaymentDue: when_payment_due,
    CreditsDue: when_credits_due,
    PaymentReturned: when_payment_returned,
    TournamentAnnounced: when_announced,
    TournamentCancelled: when_tournament_cancelled,
}
"""To events of tournaments."""
