"""What the wallet's events ask of a tournament: an entry, a rebuy or an add-on is paid, or is not."""

from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.tournaments_commands import ConfirmPayment, FailPayment
from libs.contracts.wallet_events import TournamentPaid, TournamentPaymentRefused
from libs.policies import Reactions, policy_command


def when_tournament_paid(event: PublicEvent, fact: TournamentPaid) -> list[CommandMessage]:
    asked = ConfirmPayment(payment=fact.payment)
    return [policy_command(event, fact.tournament, asked, "tournament.when_tournament_paid")]


def when_tournament_payment_refused(event: PublicEvent, fact: TournamentPaymentRefused) -> list[CommandMessage]:
    asked = FailPayment(payment=fact.payment, reason=fact.reason)
    return [policy_command(event, fact.tournament, asked, "tournament.when_tournament_payment_refused")]


TO_WALLET: Reactions = {
    TournamentPaid: when_tournament_paid,
    TournamentPaymentRefused: when_tournament_payment_refused,
}
"""To events of the wallet."""
