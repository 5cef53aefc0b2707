"""What an event makes of a tournament. Takes any event that ever happened."""

from collections.abc import Mapping
from typing import TypeVar

from msgspec.structs import replace

from libs.contracts import tournament_play_events as playing
from libs.contracts import tournaments_events as told
from libs.contracts.facts import TournamentEvent, taken
from libs.contracts.tournaments_events import Held
from services.tournament.domain.playing import played
from services.tournament.domain.state import Entry, Payment, Tournament

ValueT = TypeVar("ValueT")


def evolve(state: Tournament, event: TournamentEvent) -> Tournament:
    match event:
        case told.TournamentProposed():
            return replace(state, phase="proposed", name=event.name, definition=event.definition, proposed_by=event.by)
        case told.ProposalDeclined():
            return replace(state, phase="declined")
        case told.TournamentAnnounced():
            return replace(state, phase="announced")
        case told.RegistrationOpened():
            return replace(state, phase="registering")
        case told.PaymentDue():
            due = taken(Payment, event, asked_at=event.at)
            return replace(state, pending={**state.pending, event.payment: due}, used=state.used | {event.payment})
        case told.PaymentTaken():
            return _taken(state, event)
        case told.PaymentFailed():
            return _failed(state, event)
        case told.PaymentReturned():
            return replace(state, late=_without(state.late, event.payment))
        case told.PlayerUnregistered():
            gone = replace(state.entries[event.entry], status="gone")
            return replace(state, entries={**state.entries, event.entry: gone})
        case told.CreditsDue():
            used = state.used | {each.credit for each in event.credits}
            return replace(state, held=_moved(state.held, -1, *event.credits), used=used)
        case told.CancellationProposed():
            return replace(state, sheet=event)
        case told.CancellationDeclined():
            return replace(state, sheet=None)
        case told.TournamentCancelled():
            return replace(state, phase="cancelled", sheet=None)
        case told.FeesEarned():
            return replace(state, held=replace(state.held, fee=state.held.fee - event.amount))
        case told.TournamentStarted():
            return replace(state, phase="running")
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


def _taken(state: Tournament, event: told.PaymentTaken) -> Tournament:
    after = replace(state, held=_moved(state.held, 1, event), pending=_without(state.pending, event.payment))
    if isinstance(event, told.EntryPaid):
        after = replace(after, entries={**state.entries, event.entry: taken(Entry, event, status="in")})
    return after


def _failed(state: Tournament, event: told.PaymentFailed) -> Tournament:
    late = state.late
    if event.reason != "insufficient_funds":  # the wallet has not said that it has not paid
        late = {**late, event.payment: state.pending[event.payment]}
    return replace(state, pending=_without(state.pending, event.payment), late=late)


def _moved(held: Held, sign: int, *parts: told.PaymentTaken | told.Credit) -> Held:
    """`sign`: 1 into the accounts, -1 out of them."""
    return Held(
        held.prize + sign * sum(each.prize for each in parts),
        held.fee + sign * sum(each.fee for each in parts),
        held.bounty + sign * sum(each.bounty for each in parts),
    )


def _without(found: Mapping[str, ValueT], key: str) -> dict[str, ValueT]:
    return {name: value for name, value in found.items() if name != key}
