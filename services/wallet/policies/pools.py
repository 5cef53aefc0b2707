"""What a tournament's pool gets to know, and what follows once it has covered a credit (adr/0021).

The payments are the wallet's own word, the rules and a cancellation that of two people each: `announcements.py` has
looked their commands up before anything is paid.
"""

from typing import Any

from libs.contracts.commands import WalletCommand
from libs.contracts.facts import taken
from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.pool_commands import (
    ClaimCredit,
    NoteCancellation,
    NoteCredit,
    NotePayment,
    NoteTerms,
    NoteTicket,
    PoolCommand,
    ReviewPool,
    pool_of,
)
from libs.contracts.pool_events import Claim, CreditCovered, terms_of
from libs.contracts.tournament_ticket_events import TicketsAwarded
from libs.contracts.tournaments_events import CreditsDue, PaymentReturned, TournamentCancelled, TournamentProposed
from libs.contracts.wallet_commands import CreditTournament, ReturnPayment, account_id
from libs.contracts.wallet_events import TournamentCredited, TournamentPaid
from libs.money.play import kind_of
from libs.policies import Reactions
from services.wallet.policies.asking import asked_when

LASTS_MS = 2 * 366 * 86_400_000
"""So old may a payment be, and is noted still: a tournament may be announced two years ahead (adr/0016)."""


def when_tournament_proposed(event: PublicEvent, fact: TournamentProposed) -> list[CommandMessage]:
    """The first rules count; none of its money moves before another person has approved them."""
    return [_asked(event, fact, NoteTerms(tournament=fact.tournament, terms=terms_of(fact.definition)))]


def when_tournament_cancelled(event: PublicEvent, fact: TournamentCancelled) -> list[CommandMessage]:
    """By two people: what is left may be shared out. One that began with too few was never played (35)."""
    return [_asked(event, fact, NoteCancellation(tournament=fact.tournament))] if fact.confirmed_by else []


def when_tickets_awarded(event: PublicEvent, fact: TicketsAwarded) -> list[CommandMessage]:
    """Their value leaves the satellite's pool for that of the tournament that they are for."""
    won = [
        taken(Claim, each, fact, name=each.ticket, why="ticket", prize=fact.value, ticket=0) for each in fact.tickets
    ]
    return [_claimed(event, fact, each) for each in won]


def when_credits_due(event: PublicEvent, fact: CreditsDue) -> list[CommandMessage]:
    """Refunds, prizes and bounties come home, as far as the pool covers them (pt-810-2015 25, 36, 54)."""
    return [_claimed(event, fact, taken(Claim, each, fact, name=each.credit)) for each in fact.credits]


def when_payment_returned(event: PublicEvent, fact: PaymentReturned) -> list[CommandMessage]:
    """Paid too late: it never came into the tournament's accounts."""
    claim = Claim(fact.payment, fact.payment, fact.player, "return", fact.currency, whole=fact.amount)
    return [_claimed(event, fact, claim)]


def when_tournament_paid(event: PublicEvent, fact: TournamentPaid) -> list[CommandMessage]:
    noted = NotePayment(
        tournament=fact.tournament, payment=fact.payment, player=fact.player, currency=fact.currency, amount=fact.amount
    )
    return [_asked(event, fact, noted)]


def when_tournament_credited(event: PublicEvent, fact: TournamentCredited) -> list[CommandMessage]:
    """Of one that was paid before there were pools; of all others the pool knows."""
    if fact.covered:
        return []
    noted = NoteCredit(
        tournament=fact.tournament, credit=fact.credit, player=fact.player, currency=fact.currency, amount=fact.amount
    )
    return [_asked(event, fact, noted)]


def when_credit_covered(event: PublicEvent, fact: CreditCovered) -> list[CommandMessage]:
    """The account pays; a ticket is noted where it is for, and what came too late goes back as it came."""
    review = [_asked(event, fact, ReviewPool(tournament=fact.tournament))] if fact.more else []
    claim = fact.claim
    named = dict[str, Any](tournament=fact.tournament, amount=claim.amount, covered=True, told_at=event.time)
    if claim.why == "ticket":
        noted = NoteTicket(
            tournament=claim.target, ticket=claim.name, player=claim.player, currency=claim.currency,
            amount=claim.amount, satellite=fact.tournament,
        )  # fmt: skip
        return [_asked(event, fact, noted), *review]
    asked: WalletCommand
    if claim.why == "return":
        asked = ReturnPayment(payment=claim.name, **named)
    else:
        asked = CreditTournament(credit=claim.name, why=claim.why, **named)
    account = account_id(claim.player, claim.currency, kind_of(claim.currency))
    return [asked_when(event, fact, account, asked), *review]


def _claimed(event: PublicEvent, fact: CreditsDue | PaymentReturned | TicketsAwarded, claim: Claim) -> CommandMessage:
    return _asked(event, fact, ClaimCredit(tournament=fact.tournament, claim=claim), claim.name)


def _asked(event: PublicEvent, fact: Any, command: PoolCommand, part: str = "") -> CommandMessage:
    return asked_when(event, fact, pool_of(command.tournament), command, part)


TO_POOLS: Reactions = {
    TournamentProposed: when_tournament_proposed,
    TournamentCancelled: when_tournament_cancelled,
    TicketsAwarded: when_tickets_awarded,
}
"""To events of tournaments, however old, in their order: whoever heard new ones alone might hear later rules first.
Cancellations are heard in order with what is due, too."""
TO_ACCOUNTS: Reactions = {
    TournamentPaid: when_tournament_paid,
    TournamentCredited: when_tournament_credited,
    CreditCovered: when_credit_covered,
}
"""To the wallet's own events, however old."""
