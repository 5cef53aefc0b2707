"""What one tournament's events ask of another: whether it takes tickets, and to hold those that were won."""

from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.tournament_ticket_commands import AdmitSatellite, ConfirmTarget, FailTarget, IssueTicket
from libs.contracts.tournament_ticket_events import SatelliteAdmitted, SatelliteRefused, TargetAsked, TicketsAwarded
from libs.policies import Reactions, policy_command


def when_target_asked(event: PublicEvent, fact: TargetAsked) -> list[CommandMessage]:
    asked = AdmitSatellite(
        satellite=fact.tournament, value=fact.value, currency=fact.currency, starts_at=fact.starts_at
    )
    return [policy_command(event, fact.target, asked, "tournament.when_target_asked")]


def when_satellite_admitted(event: PublicEvent, fact: SatelliteAdmitted) -> list[CommandMessage]:
    return [policy_command(event, fact.satellite, ConfirmTarget(), "tournament.when_satellite_admitted")]


def when_satellite_refused(event: PublicEvent, fact: SatelliteRefused) -> list[CommandMessage]:
    asked = FailTarget(reason=fact.reason)
    return [policy_command(event, fact.satellite, asked, "tournament.when_satellite_refused")]


def when_tickets_awarded(event: PublicEvent, fact: TicketsAwarded) -> list[CommandMessage]:
    return [
        policy_command(
            event, fact.target,
            IssueTicket(
                ticket=won.ticket, player=won.player, value=fact.value, origin=fact.origin, satellite=fact.tournament,
                won_at=fact.at,
            ),
            "tournament.when_tickets_awarded", won.ticket,
        )
        for won in fact.tickets
    ]  # fmt: skip


TO_OTHERS: Reactions = {
    TargetAsked: when_target_asked,
    SatelliteAdmitted: when_satellite_admitted,
    SatelliteRefused: when_satellite_refused,
    TicketsAwarded: when_tickets_awarded,
}
"""To events of tournaments."""
