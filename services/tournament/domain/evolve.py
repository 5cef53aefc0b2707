"""What an event makes of a tournament. Takes any event that ever happened."""

from collections.abc import Mapping
from typing import Literal, TypeVar

from msgspec.structs import replace

from libs.contracts import tournament_play_events as playing
from libs.contracts import tournament_ticket_events as ticketing
from libs.contracts import tournaments_events as told
from libs.contracts.facts import TournamentEvent, taken
from libs.contracts.people import person_behind
from libs.contracts.tournaments_events import Held
from services.tournament.domain.playing import played
from services.tournament.domain.state import Complaint, Entry, More, Payment, Reads, Ticket, Tournament, Wish

ValueT = TypeVar("ValueT")


def evolve(state: Tournament, event: TournamentEvent) -> Tournament:
    after = _evolved(state, event)
    return replace(after, play=replace(after.play, heard_at=event.at)) if after.phase == "running" else after


def _evolved(state: Tournament, event: TournamentEvent) -> Tournament:
    match event:
        case told.TournamentProposed():
            return replace(state, phase="proposed", name=event.name, definition=event.definition, proposed_by=event.by)
        case told.ProposalDeclined():
            return replace(state, phase="declined", asked=None)
        case told.TournamentAnnounced():
            return replace(state, phase="announced", asked=None)
        case told.RegistrationOpened():
            return replace(state, phase="registering")
        case told.PaymentDue():
            due = taken(Payment, event, asked_at=event.at)
            return replace(
                state, pending={**state.pending, event.payment: due}, used=state.used | {event.payment},
                wishes=_without(state.wishes, event.payment),
            )  # fmt: skip
        case told.PurchaseNoted():
            wishes = {**state.wishes, event.payment: taken(Wish, event)}
            return replace(state, wishes=wishes, used=state.used | {event.payment})
        case told.PaymentTaken():
            return _taken(state, event)
        case told.PaymentFailed():
            return _failed(state, event)
        case told.PaymentReturned():
            return replace(state, late=_without(state.late, event.payment))
        case told.PlayerUnregistered():
            gone = replace(state.entries[event.entry], status="gone")
            kept_out = state.excluded | {event.player} if event.reason == "excluded" else state.excluded
            after = replace(state, entries={**state.entries, event.entry: gone}, excluded=kept_out)
            return _once_more(after, event.player)
        case told.CreditsDue():
            used = state.used | {each.credit for each in event.credits}
            tickets = {**state.tickets, **{e.entry: _as(state, e.entry, "cashed") for e in event.credits if e.ticket}}
            withheld = {name: each for name, each in state.withheld.items() if name not in used}
            held = _moved(state.held, -1, *event.credits)
            return replace(state, held=held, used=used, tickets=tickets, withheld=withheld)
        case told.PrizesWithheld():
            return replace(state, withheld={**state.withheld, **{each.credit: each for each in event.credits}})
        case told.PrizeReleased():
            return _settled(state, event.player, "released")
        case told.DisqualificationFinal():
            lost = {name for name, each in state.withheld.items() if each.player == event.player and each.refusable}
            withheld = {name: each for name, each in state.withheld.items() if name not in lost}
            return _settled(replace(state, withheld=withheld, used=state.used | lost), event.player, "final")
        case told.ExclusionConfirmed():
            return replace(state, exclusions=_without(state.exclusions, event.player))
        case told.LanguageChosen():
            return replace(state, reads={**state.reads, event.player: Reads(event.language, event.at)})
        case told.ComplaintOpened() | told.ComplaintDecided():
            complaint = Complaint(event.player, decided=isinstance(event, told.ComplaintDecided))
            return replace(state, complaints={**state.complaints, event.complaint: complaint})
        case told.PlayerBarred():
            waits = {event.player: event.by} if isinstance(event, told.PlayerExcluded) else {}
            exclusions = {**state.exclusions, **waits}
            excluded, play = state.excluded | {event.player}, played(event, state.play)
            return replace(state, excluded=excluded, exclusions=exclusions, play=play)
        case told.NoticeGiven():
            if event.by == "house":
                return state
            person = person_behind(event.by)
            by = {**state.notices_by, person: state.notices_by.get(person, 0) + 1}
            return replace(state, notices=state.notices + 1, notices_by=by)
        case told.CancellationProposed():
            return replace(state, sheet=event, sheets=event.sheet)
        case told.CancellationDeclined():
            return replace(state, sheet=None)
        case told.TournamentCancelled():
            return replace(state, phase="cancelled", sheet=None)
        case told.FeesEarned():
            return replace(state, held=replace(state.held, fee=state.held.fee - event.amount))
        case told.TournamentStarted():
            return replace(state, phase="running")
        case ticketing.TargetAsked():
            return replace(state, asked=event)
        case ticketing.ApprovalFailed():
            return replace(state, asked=None)
        case ticketing.SatelliteAdmitted() | ticketing.SatelliteRefused():
            return state
        case ticketing.TicketsAwarded():
            used = state.used | {each.ticket for each in event.tickets}
            held = replace(state.held, prize=state.held.prize - event.value * len(event.tickets))
            withheld = {name: each for name, each in state.withheld.items() if name not in used}
            return replace(state, held=held, used=used, withheld=withheld)
        case ticketing.TicketEvent():
            return _ticketed(state, event)
        case playing.EntryEliminated():
            out = replace(state.entries[event.entry], status="out")
            after = replace(state, entries={**state.entries, event.entry: out})
            return replace(after, play=played(event, state.play))
        case playing.PrizesFixed():
            held = replace(state.held, prize=state.held.prize + event.amount)
            return replace(state, held=held, play=played(event, state.play))
        case playing.GuaranteeReturned():
            return replace(state, held=replace(state.held, prize=state.held.prize - event.amount))
        case playing.TournamentCompleted():
            return replace(state, phase="completed", play=played(event, state.play))
        case _:
            return replace(state, play=played(event, state.play))


def _settled(state: Tournament, player: str, how: Literal["final", "released"]) -> Tournament:
    here = [entry for entry in state.play.disqualified if state.entries[entry].player == player]
    return replace(state, settled={**state.settled, **dict.fromkeys(here, how)})


def _taken(state: Tournament, event: told.PaymentTaken) -> Tournament:
    after = replace(state, held=_moved(state.held, 1, event), pending=_without(state.pending, event.payment))
    if isinstance(event, told.EntryPaid):
        after = replace(after, entries={**state.entries, event.entry: taken(Entry, event, status="in", more=())})
        if event.with_ticket:
            held = replace(after.held, ticket=after.held.ticket - event.amount)
            tickets = {**state.tickets, event.with_ticket: _as(state, event.with_ticket, "used")}
            after = replace(after, held=held, tickets=tickets, used=state.used | {event.payment})
    elif event.entry in state.entries:
        entry = state.entries[event.entry]
        entry = replace(entry, more=(*entry.more, taken(More, event)))
        after = replace(after, entries={**state.entries, event.entry: entry})
    return after


def _ticketed(state: Tournament, event: ticketing.TicketEvent) -> Tournament:
    held = state.held
    match event:
        case ticketing.TicketIssued():
            ticket, held = taken(Ticket, event, status="held"), replace(held, ticket=held.ticket + event.amount)
        case ticketing.TicketRestored():
            ticket = _as(state, event.ticket, "restored")
            held = replace(_moved(held, -1, event), ticket=held.ticket + event.amount)
        case _:
            ticket, held = _as(state, event.ticket, "lapsed"), replace(held, ticket=held.ticket - event.amount)
            if isinstance(event, ticketing.TicketLapsed) and event.to == "prize":
                held = replace(held, prize=held.prize + event.amount)
    return replace(state, held=held, tickets={**state.tickets, event.ticket: ticket})


def _as(state: Tournament, ticket: str, status: Literal["used", "restored", "cashed", "lapsed"]) -> Ticket:
    return replace(state.tickets[ticket], status=status)


def _failed(state: Tournament, event: told.PaymentFailed) -> Tournament:
    late = state.late
    if event.bought in ("entry", "re_entry") and event.reason == "unregistered":
        state = _once_more(state, event.player)
    if event.payment in state.wishes:  # nothing was asked of the wallet
        return replace(state, wishes=_without(state.wishes, event.payment))
    if event.reason != "insufficient_funds":  # the wallet has not said that it has not paid
        late = {**late, event.payment: state.pending[event.payment]}
    return replace(state, pending=_without(state.pending, event.payment), late=late)


def _once_more(state: Tournament, player: str) -> Tournament:
    return replace(state, taken_back={**state.taken_back, player: state.taken_back.get(player, 0) + 1})


def _moved(held: Held, sign: int, *parts: told.PaymentTaken | told.Credit | ticketing.TicketRestored) -> Held:
    """`sign`: 1 into the accounts, -1 out of them."""
    return Held(
        held.prize + sign * sum(each.prize for each in parts),
        held.fee + sign * sum(each.fee for each in parts),
        held.bounty + sign * sum(each.bounty for each in parts),
        held.ticket + sign * sum(each.ticket for each in parts if isinstance(each, told.Credit)),
    )


def _without(found: Mapping[str, ValueT], key: str) -> dict[str, ValueT]:
    return {name: value for name, value in found.items() if name != key}
