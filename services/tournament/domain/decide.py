"""A tournament's rules: who may ask what, and when. Each command is decided by the function named after it."""

from typing import Any

from libs.contracts import tournaments_commands as asked
from libs.contracts.commands import TournamentCommand
from libs.contracts.facts import TournamentEvent
from libs.contracts.tournament_play_commands import HearAbsence, HearDisqualified, HearMove, HearStandstill
from libs.contracts.tournament_ticket_commands import AdmitSatellite, ConfirmTarget, FailTarget, IssueTicket
from libs.contracts.tournaments_commands import TournamentsReason as Reason
from libs.decider import Decided, Given, Rejected
from libs.decider.handlers import handlers_in
from services.tournament.domain import (
    cancellation,
    complaints,
    directing,
    life_cycle,
    money,
    purchases,
    registration,
    reminding,
    running,
    tickets,
)  # fmt: skip
from services.tournament.domain.evolve import evolve
from services.tournament.domain.life_cycle import lapse
from services.tournament.domain.rejections import rejected
from services.tournament.domain.reminding import make_good
from services.tournament.domain.state import OVER, SECRET, Tournament
from services.tournament.domain.story import Story

_HANDLERS = handlers_in(
    life_cycle, registration, money, purchases, cancellation, complaints, directing, reminding, running, tickets
)
_OF_PROPOSALS = (
    asked.ProposeTournament, asked.ApproveTournament, asked.DeclineTournament, ConfirmTarget, FailTarget,
    asked.WakeTournament,
)  # fmt: skip
_AFTER_THE_END = (
    asked.ConfirmPayment, asked.FailPayment, AdmitSatellite, IssueTicket, HearAbsence, HearDisqualified, HearMove,
    HearStandstill, asked.ReleasePrize, asked.ConfirmExclusion,
    asked.FinalizeDisqualification, asked.ChooseLanguage, asked.OpenComplaint, asked.DecideComplaint,
)  # fmt: skip
"""Answers of the wallet, what other tournaments ask, who goes from tables, appeals, complaints come whenever."""
MOST_GUARANTEED = 10_000_000
"""Minor units: 100,000.00 where the house sets nothing else."""


class TournamentDecider:
    """`libs.decider.Decider` of the tournament. `most_guaranteed`: of the house's own money, by one, minor units."""

    def __init__(self, most_guaranteed: int = MOST_GUARANTEED) -> None:
        self.most_guaranteed = most_guaranteed

    def initial(self, stream: str) -> Tournament:
        return Tournament(stream)

    def decide(
        self, state: Tournament, command: TournamentCommand, given: Given[Any]
    ) -> Decided[Tournament, TournamentEvent] | Rejected:
        if given.by.kind not in command.may_ask:
            return rejected(Reason.NOT_ALLOWED)
        story = Story(state, given)
        refused = _why_not(state, command) or self._too_generous(state, command)
        if refused is None:
            if isinstance(command, asked.WakeTournament):
                make_good(command, story)
            lapse(story)
            refused = _over(story.state, command) or _HANDLERS[type(command)](command, story)
        if refused is not None:
            return refused
        lapse(story)
        return story.decided

    def _too_generous(self, state: Tournament, command: TournamentCommand) -> Rejected | None:
        """Two people may not hand the treasury to friends; asked again at the approval, for limits change."""
        match command:
            case asked.ProposeTournament(definition=rules):
                pass
            case asked.ApproveTournament() if state.phase == "proposed":
                rules = state.rules
            case _:
                return None
        if rules.promised <= self.most_guaranteed:
            return None
        field = "ticket_count" if rules.promised > rules.guarantee else "guarantee"
        return rejected(Reason.BAD_DEFINITION, detail=f"{field}: this house adds at most {self.most_guaranteed}")

    def evolve(self, state: Tournament, event: TournamentEvent) -> Tournament:
        return evolve(state, event)


def _why_not(state: Tournament, command: TournamentCommand) -> Rejected | None:
    if state.phase in SECRET and not isinstance(command, _OF_PROPOSALS):
        return rejected(Reason.UNKNOWN_TOURNAMENT)
    return None


def _over(state: Tournament, command: TournamentCommand) -> Rejected | None:
    if state.phase in OVER and not isinstance(command, (*_OF_PROPOSALS, *_AFTER_THE_END)):
        return rejected(Reason.TOURNAMENT_OVER)
    return None
