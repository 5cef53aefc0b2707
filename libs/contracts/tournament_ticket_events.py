"""Public events of won registrations: tickets that one tournament awards and another holds (pt-810-2015 28 to 32).

A ticket's value lies on an account of its own, the `ticket` account of the tournament that it is for, from when it was
won until it is used, paid out or lapses. Its owner never changes. It expires with the target: at the start a ticket
never used becomes a registration, and what is left when entries close lapses (FP-17).
"""

from typing import Literal

from libs.contracts.facts import Moment, Part, TournamentEvent
from libs.contracts.tournaments import Money, Origin
from libs.contracts.tournaments_events import TournamentMoney

TargetRefusal = Literal["not_open", "other_price", "starts_before"]
"""Why a target takes no tickets (32)."""


class TargetAsked(TournamentEvent):
    """Rules whose prizes are tickets are approved: they are announced once the target takes its tickets (32)."""

    target: str
    value: Money
    """Of a ticket, minor units."""
    currency: str
    starts_at: Moment | None
    by: str


class SatelliteAdmitted(TournamentEvent):
    """Told by the target: tickets for it may be won there."""

    satellite: str


class SatelliteRefused(TournamentEvent):
    """Told by the target: it is announced no more, costs another amount, or begins no later than the satellite (32)."""

    satellite: str
    reason: TargetRefusal


class ApprovalFailed(TournamentEvent):
    """Not announced: the target refuses the tickets, or there is none that answers. It is as it was proposed."""

    reason: Literal["not_open", "other_price", "starts_before", "not_answered"]


class TicketWon(Part):
    ticket: str
    """Its id, once for ever."""
    entry: str
    player: str


class TicketsAwarded(TournamentMoney):
    """Prizes that are tickets: their value leaves the prize account, on its way to that of the target."""

    target: str
    value: Money
    """Of each."""
    origin: Origin
    tickets: list[TicketWon]


class TicketEvent(TournamentMoney):
    """Told by the target."""

    ticket: str
    player: str
    """The owner."""
    amount: Money
    """Its value: the full buy-in."""


class TicketIssued(TicketEvent):
    """Its value is on the target's ticket account."""

    origin: Origin
    """One from a freeroll is never converted (30)."""
    satellite: str
    """Where it was won."""
    won_at: Moment


class TicketRestored(TicketEvent):
    """The registration that it paid for was taken back: a ticket again (25)."""

    entry: str
    prize: Money
    fee: Money
    bounty: Money


class TicketLapsed(TicketEvent):
    """Never to be used any more: to the target's prizes, or, of a freeroll, back to the house (reading of FP-17)."""

    to: Literal["prize", "house"]
