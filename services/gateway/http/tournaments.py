"""What can be asked of tournaments: the lobby, one tournament's page, the own entry, and what directors see."""

from typing import Annotated, Any

import msgspec
from fastapi import Path
from pydantic import BaseModel, Field

from libs.contracts.texts import ID
from libs.contracts.tournaments import Definition
from libs.identity.access import ANYBODY, PLAYERS, Access
from libs.views.tournament import UNPUBLISHED, TournamentView
from services.gateway.http.answering import problems
from services.gateway.http.asking import Player, Responses, TheGateway

TournamentId = Annotated[
    str,
    Path(description="Id of the tournament", examples=["sunday-1"], min_length=1, max_length=64, pattern=f"^{ID}$"),
]
_MS = "milliseconds since the epoch, UTC"


class TournamentRow(BaseModel):
    """Amounts in minor units of `currency`."""

    tournament: str
    name: str
    status: str
    rulebook: str
    currency: str
    buy_in: dict[str, int] = Field(description="the whole, and what of it is prize, fee and bounty")
    starts_at: int | None = Field(description=f"{_MS}; null: when the last seat is taken")
    registration_opens_at: int = Field(description=f"{_MS}; 0: at once")
    min_players: int
    max_players: int
    entries: int
    pool: int = Field(description="paid in for prizes so far, or what is guaranteed")
    guarantee: int


class TournamentLobby(BaseModel):
    tournaments: list[TournamentRow]


async def list_tournaments(gateway: TheGateway) -> TournamentLobby:
    """Every tournament that is announced, registering or running."""
    over = UNPUBLISHED | {"completed", "cancelled"}
    views = [view for _, view in sorted(gateway.tournaments.held.items()) if view.status not in over]
    return TournamentLobby(tournaments=[TournamentRow(**_row(view)) for view in views])


class TournamentPage(TournamentRow):
    """The specific rules as they were approved, and how things stand."""

    definition: dict[str, Any] = Field(description="every value; amounts in minor units, times in milliseconds")
    rules: dict[str, str] = Field(description="the specific rules in words, by language")
    prevails: str = Field(description="the language whose text prevails (pt-810-2015 60)")
    glossary: dict[str, str] = Field(description="foreign words of the Portuguese text, explained (58)")
    unregister_until: int | None = Field(description=_MS)
    cause: str | None = Field(description="why it was cancelled")
    complaints: str = Field(description="how to complain")


async def get_tournament(tournament: TournamentId, gateway: TheGateway) -> TournamentPage:
    """For everybody, without a login."""
    view = gateway.tournaments.published(tournament)
    rules = view.rules
    return TournamentPage(
        **_row(view),
        definition=msgspec.to_builtins(rules),
        rules=rules.rules,
        prevails="pt",
        glossary=rules.glossary,
        unregister_until=_unregister_until(rules),
        cause=view.cause or None,
        complaints=gateway.complaints,
    )


class OwnEntry(BaseModel):
    tournament: str
    status: str = Field(description="`registered`, `being_paid` or `none`")
    entry: str | None
    paid: int = Field(description="minor units")
    unregister_until: int | None = Field(description=_MS)


async def get_entry(tournament: TournamentId, player: Player, gateway: TheGateway) -> OwnEntry:
    """The asking player's own entry. A registration is `being_paid` until the wallet has answered."""
    view = gateway.tournaments.published(tournament)
    entry, payment = view.entries.get(player.player), view.paying.get(player.player)
    return OwnEntry(
        tournament=tournament,
        status="registered" if entry is not None else "being_paid" if payment is not None else "none",
        entry=entry.entry if entry is not None else payment,
        paid=entry.amount if entry is not None else 0,
        unregister_until=_unregister_until(view.rules),
    )


class DirectorsAct(BaseModel):
    at: int = Field(description=_MS)
    what: str
    by: str
    confirmed_by: str
    reason: str


class DirectorsPage(BaseModel):
    """Also of a tournament that is not approved yet."""

    tournament: str
    name: str
    status: str
    definition: dict[str, Any]
    held: dict[str, int] = Field(description="what the prize, fee and bounty accounts hold, minor units")
    refund_sheet: dict[str, Any] | None = Field(description="a cancellation that waits for a second person")
    trail: list[DirectorsAct] = Field(description="who did what, when and why")


async def direct_tournament(tournament: TournamentId, gateway: TheGateway) -> DirectorsPage:
    """For who directs it: proposal, accounts, refund sheet, and the trail of what the staff did."""
    view = gateway.tournaments.known(tournament)
    return DirectorsPage(
        tournament=tournament,
        name=view.name,
        status=view.status,
        definition=msgspec.to_builtins(view.rules),
        held=msgspec.to_builtins(view.held),
        refund_sheet=msgspec.to_builtins(view.sheet),
        trail=[DirectorsAct(**msgspec.structs.asdict(act)) for act in view.acts],
    )


def _row(view: TournamentView) -> dict[str, Any]:
    rules = view.rules
    names = (
        "rulebook", "currency", "starts_at", "registration_opens_at", "min_players", "max_players", "guarantee",
    )  # fmt: skip
    return {
        **{name: getattr(rules, name) for name in names},
        "tournament": view.tournament,
        "name": view.name,
        "status": view.status,
        "buy_in": msgspec.to_builtins(rules.buy_in),
        "entries": len(view.entries),
        "pool": view.pool,
    }


def _unregister_until(rules: Definition) -> int | None:
    return rules.starts_at - rules.unregister_before_ms if rules.starts_at is not None else None


_DIRECTORS = Access(roles=("floor", "supervisor"))
TOURNAMENT_QUESTIONS: tuple[tuple[str, str, Any, Access, str, Responses], ...] = (
    ("GET", "/tournaments", list_tournaments, ANYBODY, "List the tournaments", {}),
    ("GET", "/tournaments/{tournament}", get_tournament, ANYBODY, "Show a tournament", problems(404)),
    ("GET", "/tournaments/{tournament}/entry", get_entry, PLAYERS, "Show the own entry", problems(401, 403, 404, 429)),
    (
        "GET", "/tournaments/{tournament}/director", direct_tournament, _DIRECTORS, "Show what directors see",
        problems(401, 403, 404, 429),
    ),
)  # fmt: skip
