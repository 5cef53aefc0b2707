"""Won registrations: a satellite awards them, the tournament that they are for holds them until they are used, paid out
or lapse (pt-810-2015 25, 28 to 32, 37, FP-17).
"""

from collections.abc import Iterable

from libs.contracts import tournament_ticket_commands as asked
from libs.contracts import tournament_ticket_events as told
from libs.contracts import tournaments_events as lives
from libs.contracts.facts import taken
from libs.contracts.tournaments_commands import TournamentsReason as Reason
from libs.decider import Rejected
from services.tournament.domain.levels import window_holds
from services.tournament.domain.money import cash_for, pay, withhold
from services.tournament.domain.rejections import rejected
from services.tournament.domain.state import Entry, Ticket, Tournament
from services.tournament.domain.story import Story

ANSWER_MS = 30_000
"""So long an approval waits for the tournament that the tickets are for."""


# The satellite


def ask_target(story: Story) -> None:
    """Prizes are tickets for a tournament that is named beforehand (32): it has to say that it takes them."""
    rules = story.rules
    assert rules.tickets is not None, "its prizes are tickets"
    target, value = rules.tickets.tournament, rules.tickets.value
    story.tell(
        told.TargetAsked(
            target=target, value=value, currency=rules.currency, starts_at=rules.starts_at, by=story.by,
        )
    )  # fmt: skip


def confirm_target(command: asked.ConfirmTarget, story: Story) -> Rejected | None:
    if story.state.asked is None:
        return rejected(Reason.NOT_PROPOSED)
    story.tell(lives.TournamentAnnounced(by=story.state.asked.by))
    return None


def fail_target(command: asked.FailTarget, story: Story) -> Rejected | None:
    if story.state.asked is None:
        return rejected(Reason.NOT_PROPOSED)
    story.tell(told.ApprovalFailed(reason=command.reason))
    return None


def award(story: Story, winners: Iterable[str]) -> None:
    """Entries that have won a ticket; each one once, and none while a second person is waited for (FP-16)."""
    tickets, entries = story.rules.tickets, story.state.entries
    named = {entry: ticket_of(story.state, entry) for entry in winners}
    new = [
        told.TicketWon(ticket, entry, entries[entry].player)
        for entry, ticket in named.items()
        if ticket not in story.state.used
    ]
    if tickets is None or not new:
        return
    if story.state.held_up:
        withhold(story, [lives.Credit(each.ticket, each.entry, each.player, prize=tickets.value) for each in new])
        return
    origin = "freeroll" if story.rules.freeroll else "satellite"
    story.tell(told.TicketsAwarded(target=tickets.tournament, value=tickets.value, origin=origin, tickets=new))  # type: ignore[arg-type]


def ticket_of(state: Tournament, entry: str) -> str:
    """Name of the one that it wins."""
    return f"{state.tournament}.{state.entries[entry].number}"


# The tournament that they are for


def admit_satellite(command: asked.AdmitSatellite, story: Story) -> Rejected | None:
    """A ticket is worth the full buy-in, and can be used at the start at the latest."""
    rules, starts_at = story.rules, story.rules.starts_at
    if story.state.phase not in ("announced", "registering") or starts_at is None or starts_at <= story.now:
        story.tell(told.SatelliteRefused(satellite=command.satellite, reason="not_open"))
    elif (command.value, command.currency) != (rules.buy_in.amount, rules.currency):
        story.tell(told.SatelliteRefused(satellite=command.satellite, reason="other_price"))
    elif command.starts_at is not None and command.starts_at >= starts_at:
        story.tell(told.SatelliteRefused(satellite=command.satellite, reason="starts_before"))
    else:
        story.tell(told.SatelliteAdmitted(satellite=command.satellite))
    return None


def issue_ticket(command: asked.IssueTicket, story: Story) -> Rejected | None:
    """Won after the start: a first registration as long as one may enter, else its value is paid out (as in 37); of a
    freeroll it lapses, unless the tournament was cancelled (30)."""
    if command.ticket in story.state.tickets:
        return None
    if command.value != story.rules.buy_in.amount:  # or who uses it would enter for less than others pay
        return rejected(Reason.OTHER_VALUE)
    story.tell(taken(told.TicketIssued, command, amount=command.value))
    state = story.state
    if state.phase in ("announced", "registering"):
        return None
    ticket = state.tickets[command.ticket]
    new = all(entry.player != ticket.player or entry.status == "gone" for entry in state.entries.values())
    free = new and state.being_paid(ticket.player) is None and _may_come(state, ticket)
    if free and window_holds(story, story.rules.late_entry, won=True):
        _enter(story, ticket)
    elif ticket.origin == "freeroll" and state.phase != "cancelled":
        _lapse(story, ticket)
    else:
        pay(story, "refund", cash_for([ticket]))
    return None


def use_ticket(story: Story, ticket: str, entry: str, *, again: bool) -> Rejected | None:
    """A registration that a ticket pays for; nothing is asked of the wallet."""
    found = story.state.tickets.get(ticket)
    if found is None:
        return rejected(Reason.UNKNOWN_TICKET)
    if found.player != story.by:
        return rejected(Reason.NOT_TRANSFERABLE)
    if not found.unused:
        return rejected(Reason.TICKET_SPENT)
    if story.state.entering >= story.rules.max_players:  # it was won when no place was left
        return rejected(Reason.TOURNAMENT_FULL)
    _enter(story, found, entry, again=again)
    return None


def convert_ticket(command: asked.ConvertTicket, story: Story) -> Rejected | None:
    found = story.state.tickets.get(command.ticket)
    if found is None:
        return rejected(Reason.UNKNOWN_TICKET)
    if found.player != story.by:
        return rejected(Reason.NOT_TRANSFERABLE)
    if not found.unused:
        return rejected(Reason.TICKET_SPENT)
    if found.origin == "freeroll":
        return rejected(Reason.NOT_CONVERTIBLE, "30")
    if not _won_before(story.state, found):
        return rejected(Reason.NOT_CONVERTIBLE)
    if story.is_due(story.rules.starts_at):
        return rejected(Reason.NOT_CONVERTIBLE, "29")
    pay(story, "conversion", cash_for([found]))
    return None


def restore(story: Story, entry: Entry) -> None:
    """Given back unused; the wallet is not touched (25, 28)."""
    ticket = story.state.tickets[entry.with_ticket]
    story.tell(taken(told.TicketRestored, entry, ticket))


def enter_owners(story: Story) -> None:
    """At the start: owners without an entry are registered with their first held ticket, connected or not (26)."""
    for ticket in story.state.unused_tickets:
        if ticket.status != "held" or story.state.entry_of(ticket.player) is not None:
            continue
        if _may_come(story.state, ticket):
            _enter(story, ticket)
        elif ticket.origin == "satellite":
            pay(story, "refund", cash_for([ticket]))


def _may_come(state: Tournament, ticket: Ticket) -> bool:
    """There is room for who comes with it, and the house has not kept the owner out (FP-16)."""
    return ticket.player not in state.excluded and state.entering < state.rules.max_players


def settle_spares(story: Story) -> None:
    """At the start: of a registered owner a spare ticket becomes money where 29 allows it, and lapses otherwise."""
    for ticket in story.state.unused_tickets:
        if story.state.entry_of(ticket.player) is None:
            continue
        if ticket.origin == "satellite" and _won_before(story.state, ticket):
            pay(story, "conversion", cash_for([ticket]))
        else:
            _lapse(story, ticket)


def lapse_unused(story: Story) -> None:
    """When entries close."""
    for ticket in story.state.unused_tickets:
        _lapse(story, ticket)


def lapsed_to_prizes(state: Tournament) -> int:
    """Minor units."""
    lapsed = (ticket for ticket in state.tickets.values() if ticket.status == "lapsed")
    return sum(ticket.amount for ticket in lapsed if ticket.origin == "satellite")


def _enter(story: Story, ticket: Ticket, entry: str = "", *, again: bool = False) -> None:
    """`entry`: its id; empty: named after the ticket."""
    state, price = story.state, story.rules.buy_in
    name = entry or ticket.ticket
    while name in state.used:
        name += "."
    told_as = lives.PlayerReentered if again else lives.PlayerRegistered
    story.tell(
        taken(
            told_as, price, payment=name, bought="re_entry" if again else "entry", entry=name, player=ticket.player,
            chips=story.rules.starting_stack, number=len(state.entries) + 1, with_ticket=ticket.ticket,
        )
    )  # fmt: skip


def _won_before(state: Tournament, ticket: Ticket) -> bool:
    """Whether the owner had won another for this tournament by then, used or not (29)."""
    order = (ticket.won_at, ticket.ticket)
    return any((t.won_at, t.ticket) < order for t in state.tickets.values() if t.player == ticket.player)


def _lapse(story: Story, ticket: Ticket) -> None:
    to = "house" if ticket.origin == "freeroll" else "prize"
    story.tell(taken(told.TicketLapsed, ticket, to=to))
