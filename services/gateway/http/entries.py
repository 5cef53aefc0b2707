"""What players can ask of their own tournaments: entry, tickets, statement and summary."""

import asyncio
from collections.abc import Callable

import msgspec
from fastapi import Response
from pydantic import BaseModel, Field

from libs.contracts.tournament_tables import table_name
from libs.contracts.tournament_ticket_events import TicketIssued
from libs.contracts.tournaments_events import ComplaintOpened
from libs.edge.problems import Problem
from libs.views.shown_chips import shown
from libs.views.tournament import Seated, TournamentView
from libs.views.tournament_accounts import statement
from libs.views.tournament_summary import NotSummed, ots_of, seen_by
from services.gateway.app.gateway import Gateway
from services.gateway.http.asking import GATEWAY, Player, TheGateway
from services.gateway.http.tournaments import MS, After, Limit, TournamentId, more, shown_of, unregister_until_of

MAX_OVER = 20
"""Entries of tournaments that were over long ago on one page: each is read from disk."""


class Move(BaseModel):
    """Where to, and why: to make tables equal, because a table is broken, to the final table, or by the staff."""

    at: int = Field(description=MS)
    from_table: str
    to_table: str
    to_seat: int
    reason: str


class OwnSeat(BaseModel):
    table: str = Field(description="id of the table, for its view and its acts")
    gateway: str | None = Field(description=GATEWAY)
    seat: int
    chips: int
    shown: list[dict[str, int]] = Field(
        description="the chips for it, `value` and `count`, the highest first (41); empty: a number alone"
    )
    last_move: Move | None


class OwnTicket(BaseModel):
    """A won registration. At the start the first one becomes an entry; what is left when entries close lapses."""

    ticket: str = Field(description="its id, to register with or to convert it")
    value: int = Field(description="minor units")
    origin: str = Field(description="`satellite` or `freeroll`")
    satellite: str = Field(description="where it was won")
    won_at: int = Field(description=MS)


class Complaint(BaseModel):
    """`record`: of the hand at the audit service. It is decided by the Portuguese text (55, 60)."""

    complaint: str
    at: int = Field(description=MS)
    player: str
    text: str
    record: str | None = Field(description="of the hand that is meant, where the house keeps it; null: no hand is")
    rulebook: str
    rules: str = Field(description="SHA-256 of the specific rules in Portuguese, by which it is decided")
    language: str = Field(description="in which the player reads the rules")
    chosen_at: int = Field(description=f"{MS}; when that was chosen; 0: never")
    upheld: bool | None = Field(description="null: not decided yet")
    reason: str | None
    decided_by: str | None
    decided_at: int | None = Field(description=MS)


class BarredPlayer(BaseModel):
    """By the house: excluded from gambling, or disqualified (FP-16)."""

    why: str = Field(description="`excluded` or `disqualified`")
    reason: str
    at: int = Field(description=MS)


class OwnEntry(BaseModel):
    tournament: str
    status: str = Field(
        description="`registered`, `being_paid`, `eliminated`, `finished`: still in when it ended, `cancelled`: the "
        "whole tournament, or `none`"
    )
    entry: str | None
    paid: int = Field(description="minor units, for the entry")
    rebuys: int
    add_ons: int
    failed: str | None = Field(
        description="why the last payment came to nothing: `insufficient_funds`, `not_answered`, `unregistered`, "
        "`cancelled` or `stack_above_limit`; null: it did not"
    )
    refunded: int = Field(description="minor units that went back, of the entry or a ticket")
    buying: str | None = Field(description="a purchase that waits for the hand or the wallet")
    decide_until: int | None = Field(description=f"{MS}; without chips, and a rebuy or add-on is possible until then")
    seat: OwnSeat | None
    place: int | None = Field(
        description="of who is out, or finished; the best of the tied ones. Until the end as entries stand: each later "
        "one puts it back"
    )
    barred: BarredPlayer | None
    held: int = Field(
        description="won, and held back until all disqualifications of the tournament are decided about, minor units"
    )
    ticket: str | None = Field(description="that the entry was paid with; null: with money")
    tickets: list[OwnTicket] = Field(description="for this tournament, not used yet")
    unregister_until: int | None = Field(description=MS)
    complaints: list[Complaint]


class OwnEntries(BaseModel):
    entries: list[OwnEntry]
    next_after: str | None = Field(description="`after` of the next page; null on the last")


async def list_entries(player: Player, gateway: TheGateway, after: After = "", limit: Limit = 500) -> OwnEntries:
    """The asking player's entries and tickets in all tournaments, by the tournaments' names."""
    names, entries = gateway.tournaments.names(after, limit + 1, f"player/{player.player}"), list[OwnEntry]()
    over = [place for place, name in enumerate(names) if name not in gateway.tournaments.held]
    limit = min(limit, over[MAX_OVER]) if len(over) > MAX_OVER else limit
    for name in names[:limit]:
        entries.append(entry_of(gateway, gateway.tournaments.published(name), player.player))
        await asyncio.sleep(0)  # each may have to be decoded, and others play
    return OwnEntries(entries=entries, next_after=more(names, limit))


async def get_entry(tournament: TournamentId, player: Player, gateway: TheGateway) -> OwnEntry:
    """The asking player's own entry. A registration is `being_paid` until the wallet has answered."""
    return entry_of(gateway, gateway.tournaments.published(tournament), player.player)


def entry_of(gateway: Gateway, view: TournamentView, player: str) -> OwnEntry:
    entry, payment = view.entries.get(player), view.paying.get(player)
    over, name = view.status in ("completed", "cancelled"), entry.entry if entry is not None else ""
    seated = view.play.seats.get(name) if not over else None
    failed = view.failed.get(player)
    status = "being_paid" if payment else "none"
    if entry is not None:
        still_in = "finished" if view.status == "completed" else "registered"
        left = "eliminated" if name in view.play.out else still_in
        status = "cancelled" if view.status == "cancelled" else left
    return OwnEntry(
        tournament=view.tournament,
        status=status,
        entry=entry.entry if entry is not None else payment,
        paid=entry.amount if entry is not None and not entry.with_ticket else 0,
        rebuys=sum(each.bought == "rebuy" for each in view.more.get(player, ())),
        add_ons=sum(each.bought == "add_on" for each in view.more.get(player, ())),
        failed=failed.reason if failed is not None else None,
        refunded=statement(view.lines.get(player, ())).back,
        buying=payment if entry is not None else None,
        decide_until=view.play.offers.get(entry.entry) if entry is not None else None,
        seat=_seat(gateway, view, seated) if seated is not None else None,
        place=view.place_of(name),
        barred=BarredPlayer(**shown_of(view.barred[player], BarredPlayer)) if player in view.barred else None,
        held=_held_for(view, player),
        ticket=(entry.with_ticket or None) if entry is not None else None,
        tickets=[_ticket(each) for each in view.tickets.values() if each.player == player],
        unregister_until=unregister_until_of(view.rules) if not over else None,
        complaints=[complaint_of(view, each) for each in view.complaints.get(player, ())],
    )


def _held_for(view: TournamentView, player: str) -> int:
    return sum(each.amount for each in view.withheld.values() if each.player == player)


def complaint_of(view: TournamentView, opened: ComplaintOpened) -> Complaint:
    decided = view.decisions.get(opened.complaint)
    return Complaint(
        **shown_of(opened, Complaint, "record", "upheld", "reason", "decided_by", "decided_at"),
        record=f"/v1/hands/{table_name(view.tournament, opened.table)}/{opened.hand}" if opened.table else None,
        upheld=decided and decided.upheld,
        reason=decided and decided.reason,
        decided_by=decided and decided.by,
        decided_at=decided and decided.at,
    )


class StatementLine(BaseModel):
    at: int = Field(description=MS)
    what: str = Field(
        description="`entry`, `re_entry`, `rebuy`, `add_on`; `refund`, `conversion`, `prize`, `bounty`; `ticket_won`, "
        "`ticket_issued`, `ticket_restored`, `ticket_lapsed`"
    )
    amount: int = Field(description="minor units to the player; what was paid is below zero")
    fee: int = Field(description="of it the house's")
    ticket: str
    value: int = Field(description="of the ticket, minor units")


class TournamentStatement(BaseModel):
    """One player's account of one tournament, in minor units of `currency`."""

    tournament: str
    name: str
    currency: str
    lines: list[StatementLine]
    paid: int
    fee: int = Field(description="of what was paid, and not given back")
    back: int = Field(description="refunds, and tickets that became money")
    prizes: int
    bounties: int
    net: int
    held: int = Field(description="won, and held back until all disqualifications are decided about; in no sum here")


async def get_tournament_statement(
    tournament: TournamentId, player: Player, gateway: TheGateway
) -> TournamentStatement:
    """What the tournament cost and brought the asking player, line by line with its time."""
    view = gateway.tournaments.published(tournament)
    found = statement(view.lines.get(player.player, ()))
    return TournamentStatement(
        tournament=tournament,
        name=view.name,
        currency=view.rules.currency,
        lines=[StatementLine(**shown_of(line, StatementLine)) for line in found.lines],
        held=_held_for(view, player.player),
        **{name: getattr(found, name) for name in ("paid", "fee", "back", "prizes", "bounties", "net")},
    )


async def get_tournament_summary(tournament: TournamentId, player: Player, gateway: TheGateway) -> Response:
    """Open Tournament Summary 1.1.5 for who took part, once it has begun."""
    view = gateway.tournaments.published(tournament)
    if player.player not in view.entries:
        raise Problem(404, "no-result", f"{player.player} took no part in {tournament}.")
    return Response(seen_by(player.player, result_of(view, ots_of, gateway)), media_type="application/json")


def result_of(view: TournamentView, write: Callable[[TournamentView], str], gateway: Gateway) -> str:
    try:
        return gateway.tournaments.result(view, write.__name__, write)
    except NotSummed as why:
        raise Problem(404, "no-result", f"{why}.") from None


def _ticket(issued: TicketIssued) -> OwnTicket:
    return OwnTicket(value=issued.amount, **shown_of(issued, OwnTicket, "value"))


def _seat(gateway: Gateway, view: TournamentView, seated: Seated) -> OwnSeat:
    moved, tournament, rules = seated.moved, view.tournament, view.rules
    table = table_name(tournament, seated.table)
    return OwnSeat(
        table=table,
        gateway=gateway.floors.gateway(table),
        seat=seated.seat,
        chips=seated.chips,
        shown=msgspec.to_builtins(shown(seated.chips, rules.composition, rules.starting_stack)),
        last_move=Move(
            at=moved.at,
            from_table=table_name(tournament, moved.table),
            to_table=table_name(tournament, moved.to_table),
            to_seat=moved.to_seat,
            reason=moved.reason,
        )
        if moved is not None
        else None,
    )
