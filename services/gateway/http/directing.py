"""What directors of tournaments can ask: proposals, accounts, complaints, everybody's result."""

from typing import Any

import msgspec
from fastapi import Response
from pydantic import BaseModel, Field

from libs.contracts.tournaments import digest_of
from libs.contracts.tournaments_events import Credit
from libs.views.tournament import TournamentView
from libs.views.tournament_summary import csv_of
from services.gateway.http.asking import TheGateway
from services.gateway.http.entries import Complaint, complaint_of, result_of
from services.gateway.http.tournaments import MS, After, Limit, TournamentId, TournamentRow, more, shown_of
from services.gateway.views.put_by import tournament_row

MAX_COMPLAINTS = 200


class DirectorsAct(BaseModel):
    at: int = Field(description=MS)
    what: str
    by: str
    confirmed_by: str
    reason: str


class Approval(BaseModel):
    """Of a tournament whose prizes are tickets: its target has to take them (32)."""

    target: str
    value: int = Field(description="of a ticket, minor units")
    by: str
    at: int = Field(description=MS)
    failed: str | None = Field(
        description="why the target does not take them: `not_open`, `other_price`, `starts_before`, or `not_answered`: "
        "there is none of this name; null: it does, or has not answered yet"
    )


class Withheld(BaseModel):
    """What was won, and stays in the tournament's accounts until another person than who disqualified has released each
    disqualified player or made that final: theirs, and what others have won meanwhile (FP-16)."""

    player: str
    entry: str
    prize: int = Field(description="minor units")
    bounty: int = Field(description="minor units")
    disqualified_by: str = Field(description="empty: this player is not, and waits for those who are")
    reason: str


class DirectorsPage(BaseModel):
    """Also of a tournament that is not approved yet."""

    tournament: str
    name: str
    status: str = Field(
        description="of a satellite's proposal also `approving`: approved, and waiting for the tournament that its "
        "tickets are for; and `approval_failed`: that does not take them, it may be approved again or declined"
    )
    approval: Approval | None = Field(description="of a satellite or a freeroll with tickets")
    definition: dict[str, Any]
    digest: str = Field(description="of the definition: who approves it names it by that")
    held: dict[str, int] = Field(
        description="what the prize, fee, bounty and ticket accounts hold, minor units; once it is over that is what "
        "`withheld` tells, and zero when all of that is decided"
    )
    withheld: list[Withheld] = Field(description="whose money waits for a second person to decide, and why")
    refund_sheet: dict[str, Any] | None = Field(description="a cancellation that waits for a second person")
    refunds_carried_out: dict[str, Any] | None = Field(description="the sheet by which it was cancelled")
    all_away_since: int | None = Field(description=f"{MS}; nobody who is in decides: the house plays all stacks")
    complaints: list[Complaint] = Field(description="open ones first, of each the newest first, 200 at most")
    complaints_open: int
    trail: list[DirectorsAct] = Field(description="who did what, when and why")


class ProposalRow(TournamentRow):
    by: str = Field(description="who proposed it: another one approves")


class Proposals(BaseModel):
    tournaments: list[ProposalRow]
    next_after: str | None = Field(description="`after` of the next page; null on the last")


async def list_proposals(gateway: TheGateway, after: After = "", limit: Limit = 500) -> Proposals:
    """Tournaments that wait to be approved or declined, by name."""
    names = gateway.tournaments.names(after, limit + 1, "proposed")
    views = [gateway.tournaments.held[name] for name in names[:limit]]
    rows = [
        ProposalRow(**{**tournament_row(view), "status": _proposal_status(view)}, by=view.acts[0].by) for view in views
    ]
    return Proposals(tournaments=rows, next_after=more(names, limit))


async def direct_tournament(tournament: TournamentId, gateway: TheGateway) -> DirectorsPage:
    """For who directs it: proposal, accounts, refund sheet, and the trail of what the staff did."""
    view = gateway.tournaments.known(tournament)
    complaints = [each for own in view.complaints.values() for each in own]
    complaints.sort(key=lambda each: (each.complaint in view.decisions, -each.at))
    return DirectorsPage(
        tournament=tournament,
        name=view.name,
        status=_proposal_status(view),
        approval=Approval(**shown_of(view.asked, Approval, "failed"), failed=view.refusal or None)
        if view.asked
        else None,
        definition=msgspec.to_builtins(view.rules),
        digest=digest_of(view.rules),
        held=msgspec.to_builtins(view.held),
        withheld=[_withheld(view, each) for each in view.withheld.values()],
        refund_sheet=msgspec.to_builtins(view.sheet),
        refunds_carried_out=msgspec.to_builtins(view.carried_out),
        all_away_since=view.play.all_away_since,
        complaints=[complaint_of(view, each) for each in complaints[:MAX_COMPLAINTS]],
        complaints_open=len(complaints) - len(view.decisions),
        trail=[DirectorsAct(**msgspec.structs.asdict(act)) for act in view.acts],
    )


def _approval(view: TournamentView) -> Approval | None:
    if view.asked is None:
        return None
    return Approval(**shown_of(view.asked, Approval, "failed"), failed=view.refusal or None)


def _proposal_status(view: TournamentView) -> str:
    if view.status != "proposed" or view.asked is None:
        return view.status
    return "approval_failed" if view.refusal else "approving"


def _withheld(view: TournamentView, held: Credit) -> Withheld:
    barred = view.barred.get(held.player)
    shown = shown_of(held, Withheld, "disqualified_by", "reason")
    return Withheld(**shown, disqualified_by=barred.by if barred else "", reason=barred.reason if barred else "")


async def get_tournament_result(tournament: TournamentId, gateway: TheGateway) -> Response:
    """CSV: every player with place, what was bought, paid and won, in minor units."""
    return Response(result_of(gateway.tournaments.published(tournament), csv_of, gateway), media_type="text/csv")
