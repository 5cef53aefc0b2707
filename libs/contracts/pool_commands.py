"""Commands to a tournament's pool. The wallet's own policies alone send them; stream = `pool-<tournament>`."""

from typing import Annotated

from libs.contracts.commands import POLICY, Amount, WalletCommand
from libs.contracts.pool_events import Claim, Terms
from libs.contracts.texts import Currency, Id, name

POOL = "pool-"
"""What the streams begin with that know what tournaments have been paid; no account's does."""
CreditName = Annotated[str, name(128)]


def pool_of(tournament: str) -> str:
    return POOL + tournament


class PoolCommand(WalletCommand):
    """Of one tournament."""

    may_ask = POLICY
    roles = ()
    scope = None
    tournament: Id


class NoteTerms(PoolCommand):
    """After `TournamentProposed`; the first one counts. None of its money moves before two people have announced it."""

    terms: Terms


class NotePayment(PoolCommand):
    """After `TournamentPaid`."""

    payment: Id
    player: Id
    currency: Currency
    amount: Amount


class NoteTicket(PoolCommand):
    """After `CreditCovered` of a satellite's pool."""

    ticket: CreditName
    player: Id
    currency: Currency
    amount: Amount
    satellite: Id


class NoteCancellation(PoolCommand):
    """After `TournamentCancelled`, for which two of the staff have asked."""


class NoteCredit(PoolCommand):
    """After `TournamentCredited` of a credit that no pool has covered, as the wallet of before paid it."""

    credit: CreditName
    player: Id
    currency: Currency
    amount: Amount


class ClaimCredit(PoolCommand):
    """After `CreditsDue`, `PaymentReturned` or `TicketsAwarded`: paid if it is covered, and held if it is not."""

    claim: Claim
