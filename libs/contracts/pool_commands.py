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

    example = {
        "tournament": "sunday-1",
        "terms": {
            "currency": "EUR",
            "starts_at": 1_768_161_600_000,
            "seats": 500,
            "entry": {"amount": 2_200, "prize": 2_000, "fee": 200},
            "others": [],
            "payouts": [{"entries": 2, "shares": [6_500, 3_500]}],
            "promised": 0,
        },
    }
    terms: Terms
    """What bounds the payments."""


class NotePayment(PoolCommand):
    """After `TournamentPaid`."""

    example = {
        "tournament": "sunday-1", "payment": "entry-41", "player": "alice", "currency": "EUR", "amount": 2_200,
    }  # fmt: skip
    payment: Id
    player: Id
    currency: Currency
    amount: Amount


class NoteTicket(PoolCommand):
    """After `CreditCovered` of a satellite's pool."""

    example = {
        "tournament": "sunday-1", "ticket": "friday-1.7", "player": "alice", "currency": "EUR", "amount": 2_200,
        "satellite": "friday-1",
    }  # fmt: skip
    ticket: CreditName
    """Its name."""
    player: Id
    currency: Currency
    amount: Amount
    satellite: Id
    """Where it was won."""


class NoteCancellation(PoolCommand):
    """After `TournamentCancelled`, for which two of the staff have asked."""

    example = {"tournament": "sunday-1"}


class NoteCredit(PoolCommand):
    """After `TournamentCredited` of a credit that no pool has covered, as the wallet of before paid it."""

    example = {
        "tournament": "sunday-1", "credit": "entry-41.refund", "player": "alice", "currency": "EUR", "amount": 2_200,
    }  # fmt: skip
    credit: CreditName
    player: Id
    currency: Currency
    amount: Amount


class ClaimCredit(PoolCommand):
    """After `CreditsDue`, `PaymentReturned` or `TicketsAwarded`: paid if it is covered, and held if it is not."""

    example = {
        "tournament": "sunday-1",
        "claim": {
            "name": "entry-41.prize", "entry": "entry-41", "player": "alice", "why": "prize", "currency": "EUR",
            "prize": 6_500,
        },
    }  # fmt: skip
    claim: Claim
    """What the tournament says is due."""


class ReviewPool(PoolCommand):
    """After `CreditCovered` with `more`: whether more of what is held is covered."""

    example = {"tournament": "sunday-1"}
