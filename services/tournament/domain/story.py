"""The story of one decision: each event is stamped and evolved at once, so that the next sees its effect."""

from typing import Any

from msgspec.structs import force_setattr

from libs.contracts.facts import TournamentEvent
from libs.contracts.tournaments import Definition
from libs.contracts.tournaments_events import TournamentMoney
from libs.decider import Decided, Given
from services.tournament.domain.evolve import evolve
from services.tournament.domain.state import OVER, Tournament


class Story:
    """The events so far and the state after each."""

    __slots__ = ("by", "events", "fresh", "now", "role", "state", "states")

    def __init__(self, state: Tournament, given: Given[Any]) -> None:
        self.state = state
        self.events: list[TournamentEvent] = []
        self.states: list[Tournament] = []
        self.now = given.now
        self.fresh = given.fresh
        self.by = given.by.id
        """Id of who asks."""
        self.role = given.by.kind

    def tell(self, event: TournamentEvent) -> None:
        """Stamps time and tournament, evolves the state; an event of money also says what is held after it."""
        force_setattr(event, "at", self.now)
        force_setattr(event, "tournament", self.state.tournament)
        self.state = evolve(self.state, event)
        held = self.state.held
        assert min(held.prize, held.fee, held.bounty, held.ticket) >= 0, "no account of a tournament is below zero"
        if isinstance(event, TournamentMoney):
            force_setattr(event, "currency", self.rules.currency)
            force_setattr(event, "held", held)
        self.events.append(event)
        self.states.append(self.state)

    def is_due(self, time: int | None) -> bool:
        """Whether that moment, milliseconds since the epoch, has come; None never comes."""
        return time is not None and time <= self.now

    @property
    def rules(self) -> Definition:
        return self.state.rules

    @property
    def decided(self) -> Decided[Tournament, TournamentEvent]:
        withheld = sum(each.amount for each in self.state.withheld.values())
        assert self.state.phase not in OVER or self.state.held.total == withheld, "what is over holds no other money"
        return Decided(self.events, self.states)
