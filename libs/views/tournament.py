"""What everybody may know of a tournament, folded from its public events; and what a player sees of the own entry."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from libs.contracts import tournaments_events as t
from libs.contracts.facts import Fact, TournamentEvent
from libs.contracts.tournaments import Definition

Status = Literal["proposed", "declined", "announced", "registering", "running", "completed", "cancelled"]
UNPUBLISHED: frozenset[Status] = frozenset({"proposed", "declined"})
_ACTS = (
    t.TournamentProposed, t.TournamentAnnounced, t.ProposalDeclined, t.CancellationProposed, t.CancellationDeclined,
    t.TournamentCancelled,
)  # fmt: skip
_BECOMES: Mapping[type[Fact], Status] = {
    t.ProposalDeclined: "declined",
    t.TournamentAnnounced: "announced",
    t.RegistrationOpened: "registering",
    t.TournamentStarted: "running",
    t.TournamentCancelled: "cancelled",
}


class Act(msgspec.Struct, frozen=True):
    """Of the staff, on the tournament's trail."""

    at: int
    """Milliseconds since the epoch, UTC."""
    what: str
    by: str
    confirmed_by: str
    reason: str


class TournamentView(msgspec.Struct, frozen=True):
    tournament: str
    version: int = 0
    name: str = ""
    status: Status = "proposed"
    definition: Definition | None = None
    entries: Mapping[str, t.EntryPaid] = {}
    """By player: who is in."""
    paying: Mapping[str, str] = {}
    """Player to the payment that the wallet has not answered."""
    held: t.Held = t.Held()
    cause: str = ""
    """Why it was cancelled."""
    sheet: t.CancellationProposed | None = None
    """Refunds that wait for a second person of the staff."""
    acts: tuple[Act, ...] = ()

    @property
    def rules(self) -> Definition:
        assert self.definition is not None, "the first event of a tournament has its rules"
        return self.definition

    @property
    def pool(self) -> int:
        """Minor units: what is paid in for prizes, or what is guaranteed."""
        return max(self.held.prize, self.rules.guarantee)


def fold_tournament(view: TournamentView, event: Fact | None, version: int) -> TournamentView:
    """`event`: None for a type that this build does not know."""
    view = replace(view, version=version)
    if not isinstance(event, TournamentEvent):
        return view
    if isinstance(event, t.TournamentMoney):
        view = replace(view, held=event.held)
    if isinstance(event, _ACTS):
        view = replace(view, acts=(*view.acts, _act(event)))
    if type(event) in _BECOMES:
        view = replace(view, status=_BECOMES[type(event)])
    match event:
        case t.TournamentProposed():
            return replace(view, name=event.name, definition=event.definition)
        case t.PaymentDue():
            return replace(view, paying={**view.paying, event.player: event.payment})
        case t.EntryPaid():
            paying = _without(view.paying, event.player)
            return replace(view, entries={**view.entries, event.player: event}, paying=paying)
        case t.PaymentTaken() | t.PaymentFailed():
            return replace(view, paying=_without(view.paying, event.player))
        case t.PlayerUnregistered():
            return replace(view, entries=_without(view.entries, event.player))
        case t.CancellationProposed():
            return replace(view, sheet=event)
        case t.CancellationDeclined():
            return replace(view, sheet=None)
        case t.TournamentCancelled():
            return replace(view, cause=event.cause, sheet=None)
        case _:
            return view


def _act(event: Any) -> Act:
    by, confirmed_by = event.by, getattr(event, "confirmed_by", "")
    return Act(event.at, type(event).__name__, by, confirmed_by, getattr(event, "reason", ""))


def _without(found: Mapping[str, Any], player: str) -> dict[str, Any]:
    return {name: value for name, value in found.items() if name != player}
