"""What a tournament cost and brought each player, line by line, from its public events alone (pt-810-2015 FP-19)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from libs.contracts import tournament_ticket_events as k
from libs.contracts import tournaments_events as t
from libs.contracts.facts import Fact
from libs.contracts.tournaments import Bought
from libs.contracts.wallet_events import TournamentCredit

What = Bought | TournamentCredit | Literal["ticket_won", "ticket_issued", "ticket_restored", "ticket_lapsed"]


class Line(msgspec.Struct, frozen=True):
    at: int
    """Milliseconds since the epoch, UTC."""
    what: What
    amount: int = 0
    """Of money, minor units: to the player; what was paid is below zero. A ticket is none."""
    fee: int = 0
    """Of it the house's; below zero where it came back."""
    ticket: str = ""
    value: int = 0
    """Of the ticket, minor units."""


class Statement(msgspec.Struct, frozen=True):
    """All lines of one player, and their sums in minor units."""

    lines: Sequence[Line]
    paid: int
    fee: int
    """Of what was paid, and not given back."""
    back: int
    """Refunds, and tickets that became money."""
    prizes: int
    bounties: int
    net: int


def statement(lines: Sequence[Line]) -> Statement:
    sums: Counter[str] = Counter()
    for line in lines:
        sums[line.what if line.amount > 0 else "paid"] += line.amount
    return Statement(
        lines=lines, paid=-sums["paid"], fee=sum(line.fee for line in lines),
        back=sums["refund"] + sums["conversion"], prizes=sums["prize"], bounties=sums["bounty"], net=sums.total(),
    )  # fmt: skip


def lines_of(event: Fact) -> Iterator[tuple[str, Line]]:
    """Player and line; none for an event that is about nobody's account. What bought nothing is the wallet's."""
    match event:
        case t.EntryPaid() if event.with_ticket:
            yield event.player, Line(event.at, event.bought, 0, 0, event.with_ticket, event.amount)
        case t.PaymentTaken():
            yield event.player, Line(event.at, event.bought, -event.amount, event.fee)
        case t.CreditsDue():
            for each in event.credits:
                ticket = (each.entry, each.ticket) if each.ticket else ("", 0)
                yield each.player, Line(event.at, event.why, each.amount, -each.fee, *ticket)
        case k.TicketsAwarded():
            for won in event.tickets:
                yield won.player, Line(event.at, "ticket_won", ticket=won.ticket, value=event.value)
        case k.TicketIssued():
            yield event.player, Line(event.at, "ticket_issued", ticket=event.ticket, value=event.amount)
        case k.TicketRestored():
            yield event.player, Line(event.at, "ticket_restored", ticket=event.ticket, value=event.amount)
        case k.TicketLapsed():
            yield event.player, Line(event.at, "ticket_lapsed", ticket=event.ticket, value=event.amount)
        case _:
            return
