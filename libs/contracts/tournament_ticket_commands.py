"""Commands about won registrations; all but one follow from events of another tournament."""

from libs.contracts.facts import When
from libs.contracts.texts import Currency, Id
from libs.contracts.tournament_ticket_events import TargetRefusal
from libs.contracts.tournaments import Money, Origin
from libs.contracts.tournaments_commands import ConsequenceCommand, EntrantCommand


class AdmitSatellite(ConsequenceCommand):
    """After a satellite's `TargetAsked`."""

    example = {"satellite": "satellite-1", "value": 2_200, "currency": "EUR", "starts_at": 1_768_150_000_000}
    satellite: Id
    value: Money
    currency: Currency
    starts_at: When | None = None


class ConfirmTarget(ConsequenceCommand):
    """After the target's `SatelliteAdmitted`."""


class FailTarget(ConsequenceCommand):
    """After the target's `SatelliteRefused`."""

    example = {"reason": "not_open"}
    reason: TargetRefusal


class IssueTicket(ConsequenceCommand):
    """After a satellite's `TicketsAwarded`, once for each ticket."""

    example = {
        "ticket": "satellite-1.4", "player": "alice", "value": 2_200, "origin": "satellite",
        "satellite": "satellite-1", "won_at": 1_768_155_000_000,
    }  # fmt: skip
    ticket: Id
    player: Id
    value: Money
    origin: Origin
    satellite: Id
    won_at: When


class ConvertTicket(EntrantCommand):
    """A spare ticket becomes money: only one whose owner had won another for the same tournament before (29)."""

    example = {"ticket": "satellite-1.4"}
    ticket: Id
