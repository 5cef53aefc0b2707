"""What can be asked of tournaments: the lobby, one tournament's page, the own entry, and what directors see."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any, Literal, cast

import msgspec
from fastapi import Path, Query, Response
from pydantic import BaseModel, Field

from libs.contracts.texts import ID
from libs.contracts.tournament_tables import table_name
from libs.contracts.tournament_ticket_events import TicketIssued
from libs.contracts.tournaments import Definition
from libs.contracts.tournaments_events import ComplaintOpened, Credit
from libs.edge.problems import Problem
from libs.identity.access import ANYBODY, PLAYERS, Access
from libs.views.shown_chips import shown
from libs.views.tournament import Seated, TournamentView
from libs.views.tournament_accounts import statement
from libs.views.tournament_summary import NotSummed, csv_of, ots_of, seen_by
from services.gateway.app.gateway import Gateway
from services.gateway.http.answering import problems
from services.gateway.http.asking import GATEWAY, Player, Responses, TheGateway
from services.gateway.views.put_by import tournament_row

TournamentId = Annotated[
    str,
    Path(description="Id of the tournament", examples=["sunday-1"], min_length=1, max_length=64, pattern=f"^{ID}$"),
]
MAX_COMPLAINTS = 200
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
    next_after: str | None = Field(description="`after` of the next page; null on the last")


After = Annotated[str, Query(max_length=64, description="`next_after` of the page before")]
Limit = Annotated[int, Query(ge=1, le=500)]
Shown = Literal["open", "announced", "registering", "running", "completed", "cancelled"]
_OPEN = frozenset({"announced", "registering", "running"})
MAX_OVER = 20
"""Entries of tournaments that were over long ago on one page: each is read from disk."""


async def list_tournaments(
    gateway: TheGateway,
    status: Annotated[Shown, Query(description="`open`: announced, registering or running")] = "open",
    after: After = "",
    limit: Limit = 500,
) -> TournamentLobby:
    """By name. Those that are over are shown where `status` asks for them."""
    names = gateway.tournaments.names(after, limit + 1, *(_OPEN if status == "open" else {status}))
    rows = b",".join(gateway.tournaments.row(name) for name in names[:limit])
    page = b'{"tournaments":[' + rows + b'],"next_after":' + msgspec.json.encode(_more(names, limit)) + b"}"
    return cast(TournamentLobby, Response(page, media_type="application/json"))


def _more(names: Sequence[str], limit: int) -> str | None:
    """`after` of the next page, where there are more than `limit`."""
    return names[limit - 1] if len(names) > limit else None


class Blinds(BaseModel):
    level: int
    small_blind: int
    big_blind: int
    ante: int
    big_blind_ante: int
    ends_at: int | None = Field(description=f"{_MS}; null: it goes on without end, or has not begun")


class Result(BaseModel):
    """Equal places are tied."""

    first: int
    last: int
    player: str
    prize: int = Field(description="minor units")
    ticket: int = Field(description="what the ticket is worth that was won, minor units; 0: none")


class Running(BaseModel):
    """Stacks are those after each table's last finished hand."""

    level: Blinds
    next_level: Blinds | None
    next_break_at: int | None = Field(description=_MS)
    break_until: int | None = Field(description=f"{_MS}; null: no break")
    paused_since: int | None = Field(description=f"{_MS}; while it is not null all times come later")
    players_left: int
    rebuys: int
    add_ons: int
    average_stack: int = Field(description="chips, rounded down")
    tables: dict[str, int] = Field(description="players at each table, by its id")
    hand_for_hand: bool
    bubble: bool = Field(description="with the next one out, everybody left is paid")
    pay_ladder: list[int] = Field(description="minor units by place, the first one first; empty: not fixed yet")
    tickets: int = Field(description="so many of the first places win a ticket for another tournament")


class Notice(BaseModel):
    at: int = Field(description=_MS)
    text: str


class TournamentPage(TournamentRow):
    """The specific rules as they were approved, and how things stand."""

    definition: dict[str, Any] = Field(description="every value; amounts in minor units, times in milliseconds")
    rules: dict[str, str] = Field(description="the specific rules in words, by language")
    prevails: str = Field(description="the language whose text prevails (pt-810-2015 60)")
    glossary: dict[str, str] = Field(description="foreign words of the Portuguese text, explained (58)")
    unregister_until: int | None = Field(description=_MS)
    cause: str | None = Field(description="why it was cancelled")
    running: Running | None
    notices: list[Notice] = Field(description="what the director has said to everybody, the last twenty")
    results: list[Result] = Field(description="the winner first, once it is over")
    complaints: str = Field(description="how to complain")


async def get_tournament(tournament: TournamentId, gateway: TheGateway) -> TournamentPage:
    """For everybody, without a login."""
    page = gateway.tournaments.page(gateway.tournaments.published(tournament), partial(written_page, gateway))
    return cast(TournamentPage, Response(page, media_type="application/json"))


def written_page(gateway: Gateway, view: TournamentView) -> bytes:
    """Of thousands of entrants it takes a hundredth of a second: whoever shows it keeps it by its version."""
    return page_of(gateway, view).model_dump_json().encode()


def page_of(gateway: Gateway, view: TournamentView) -> TournamentPage:
    rules = view.rules
    return TournamentPage(
        **tournament_row(view),
        definition=msgspec.to_builtins(rules),
        rules=rules.rules,
        prevails="pt",
        glossary=rules.glossary,
        unregister_until=_unregister_until(rules),
        cause=view.cause or None,
        running=_running(view) if view.status == "running" and view.play.level else None,
        notices=[Notice(at=act.at, text=act.reason) for act in view.acts if act.what == "NoticeGiven"][-20:],
        results=[Result(**_of(each, Result)) for each in view.play.results],
        complaints=gateway.complaints,
    )


class Move(BaseModel):
    """Where to, and why: to make tables equal, because a table is broken, to the final table, or by the staff."""

    at: int = Field(description=_MS)
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
    won_at: int = Field(description=_MS)


class Complaint(BaseModel):
    """`record`: of the hand at the audit service. It is decided by the Portuguese text (55, 60)."""

    complaint: str
    at: int = Field(description=_MS)
    player: str
    text: str
    record: str | None = Field(description="of the hand that is meant, where the house keeps it; null: no hand is")
    rulebook: str
    rules: str = Field(description="SHA-256 of the specific rules in Portuguese, by which it is decided")
    language: str = Field(description="in which the player reads the rules")
    chosen_at: int = Field(description=f"{_MS}; when that was chosen; 0: never")
    upheld: bool | None = Field(description="null: not decided yet")
    reason: str | None
    decided_by: str | None
    decided_at: int | None = Field(description=_MS)


class BarredPlayer(BaseModel):
    """By the house: excluded from gambling, or disqualified (FP-16)."""

    why: str = Field(description="`excluded` or `disqualified`")
    reason: str
    at: int = Field(description=_MS)


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
    decide_until: int | None = Field(description=f"{_MS}; without chips, and a rebuy or add-on is possible until then")
    seat: OwnSeat | None
    place: int | None = Field(description="of who is out, or finished; the best of the tied ones")
    barred: BarredPlayer | None
    held: int = Field(description="won, and held back until the disqualification is decided about, minor units")
    ticket: str | None = Field(description="that the entry was paid with; null: with money")
    tickets: list[OwnTicket] = Field(description="for this tournament, not used yet")
    unregister_until: int | None = Field(description=_MS)
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
    return OwnEntries(entries=entries, next_after=_more(names, limit))


async def get_entry(tournament: TournamentId, player: Player, gateway: TheGateway) -> OwnEntry:
    """The asking player's own entry. A registration is `being_paid` until the wallet has answered."""
    return entry_of(gateway, gateway.tournaments.published(tournament), player.player)


def entry_of(gateway: Gateway, view: TournamentView, player: str) -> OwnEntry:
    entry, payment = view.entries.get(player), view.paying.get(player)
    over, name = view.status in ("completed", "cancelled"), entry.entry if entry is not None else ""
    seated = view.play.seats.get(name) if not over else None
    out = view.play.out.get(name) or next((each for each in view.play.results if each.entry == name), None)
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
        place=out.first if out is not None else None,
        barred=BarredPlayer(**_of(view.barred[player], BarredPlayer)) if player in view.barred else None,
        held=_held_for(view, player),
        ticket=(entry.with_ticket or None) if entry is not None else None,
        tickets=[_ticket(each) for each in view.tickets.values() if each.player == player],
        unregister_until=_unregister_until(view.rules) if not over else None,
        complaints=[_complaint(view, each) for each in view.complaints.get(player, ())],
    )


def _held_for(view: TournamentView, player: str) -> int:
    return sum(each.amount for each in view.withheld.values() if each.player == player)


def _complaint(view: TournamentView, opened: ComplaintOpened) -> Complaint:
    decided = view.decisions.get(opened.complaint)
    return Complaint(
        **_of(opened, Complaint, "record", "upheld", "reason", "decided_by", "decided_at"),
        record=f"/v1/hands/{table_name(view.tournament, opened.table)}/{opened.hand}" if opened.table else None,
        upheld=decided and decided.upheld,
        reason=decided and decided.reason,
        decided_by=decided and decided.by,
        decided_at=decided and decided.at,
    )


class StatementLine(BaseModel):
    at: int = Field(description=_MS)
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
    held: int = Field(description="won, and held back until the disqualification is decided about; in no sum here")


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
        lines=[StatementLine(**_of(line, StatementLine)) for line in found.lines],
        held=_held_for(view, player.player),
        **{name: getattr(found, name) for name in ("paid", "fee", "back", "prizes", "bounties", "net")},
    )


async def get_tournament_summary(tournament: TournamentId, player: Player, gateway: TheGateway) -> Response:
    """Open Tournament Summary 1.1.5 for who took part, once it has begun."""
    view = gateway.tournaments.published(tournament)
    if player.player not in view.entries:
        raise Problem(404, "no-result", f"{player.player} took no part in {tournament}.")
    return Response(seen_by(player.player, _result(view, ots_of, gateway)), media_type="application/json")


async def get_tournament_result(tournament: TournamentId, gateway: TheGateway) -> Response:
    """CSV: every player with place, what was bought, paid and won, in minor units."""
    return Response(_result(gateway.tournaments.published(tournament), csv_of, gateway), media_type="text/csv")


def _result(view: TournamentView, write: Callable[[TournamentView], str], gateway: Gateway) -> str:
    try:
        return gateway.tournaments.result(view, write.__name__, write)
    except NotSummed as why:
        raise Problem(404, "no-result", f"{why}.") from None


class DirectorsAct(BaseModel):
    at: int = Field(description=_MS)
    what: str
    by: str
    confirmed_by: str
    reason: str


class Approval(BaseModel):
    """Of a tournament whose prizes are tickets: its target has to take them (32)."""

    target: str
    value: int = Field(description="of a ticket, minor units")
    by: str
    at: int = Field(description=_MS)
    failed: str | None = Field(
        description="why the target does not take them: `not_open`, `other_price`, `starts_before`, or `not_answered`: "
        "there is none of this name; null: it does, or has not answered yet"
    )


class Withheld(BaseModel):
    """What a disqualified player has won: in the tournament's accounts, also when it is over, until another person
    than who disqualified releases it, or makes the disqualification final and so gives it to others (FP-16)."""

    player: str
    entry: str
    prize: int = Field(description="minor units")
    bounty: int = Field(description="minor units")
    disqualified_by: str
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
    held: dict[str, int] = Field(
        description="what the prize, fee, bounty and ticket accounts hold, minor units; once it is over that is what "
        "`withheld` tells, and zero when all of that is decided"
    )
    withheld: list[Withheld] = Field(description="whose money waits for a second person to decide, and why")
    refund_sheet: dict[str, Any] | None = Field(description="a cancellation that waits for a second person")
    refunds_carried_out: dict[str, Any] | None = Field(description="the sheet by which it was cancelled")
    all_away_since: int | None = Field(description=f"{_MS}; nobody who is in decides: the house plays all stacks")
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
    return Proposals(tournaments=rows, next_after=_more(names, limit))


async def direct_tournament(tournament: TournamentId, gateway: TheGateway) -> DirectorsPage:
    """For who directs it: proposal, accounts, refund sheet, and the trail of what the staff did."""
    view = gateway.tournaments.known(tournament)
    complaints = [each for own in view.complaints.values() for each in own]
    complaints.sort(key=lambda each: (each.complaint in view.decisions, -each.at))
    return DirectorsPage(
        tournament=tournament,
        name=view.name,
        status=_proposal_status(view),
        approval=Approval(**_of(view.asked, Approval, "failed"), failed=view.refusal or None) if view.asked else None,
        definition=msgspec.to_builtins(view.rules),
        held=msgspec.to_builtins(view.held),
        withheld=[_withheld(view, each) for each in view.withheld.values()],
        refund_sheet=msgspec.to_builtins(view.sheet),
        refunds_carried_out=msgspec.to_builtins(view.carried_out),
        all_away_since=view.play.all_away_since,
        complaints=[_complaint(view, each) for each in complaints[:MAX_COMPLAINTS]],
        complaints_open=len(complaints) - len(view.decisions),
        trail=[DirectorsAct(**msgspec.structs.asdict(act)) for act in view.acts],
    )


def _proposal_status(view: TournamentView) -> str:
    if view.status != "proposed" or view.asked is None:
        return view.status
    return "approval_failed" if view.refusal else "approving"


def _withheld(view: TournamentView, held: Credit) -> Withheld:
    barred = view.barred[held.player]
    shown = _of(held, Withheld, "disqualified_by", "reason")
    return Withheld(**shown, disqualified_by=barred.by, reason=barred.reason)


def _of(part: Any, shown: type[BaseModel], *left_out: str) -> dict[str, Any]:
    return {name: getattr(part, name) for name in shown.model_fields if name not in left_out}


def _blinds(view: TournamentView, number: int) -> Blinds | None:
    if number > len(view.rules.levels):
        return None
    level = view.rules.levels[number - 1]
    names = ("small_blind", "big_blind", "ante", "big_blind_ante")
    return Blinds(level=number, ends_at=view.level_ends_at(number), **{name: getattr(level, name) for name in names})


def _running(view: TournamentView) -> Running:
    play, level = view.play, _blinds(view, view.play.level)
    assert level is not None, "a level that has begun is one of the levels"
    left, paid = len(play.seats), len(play.prizes)
    bought = Counter(each.bought for more in view.more.values() for each in more)
    breaks = (view.level_ends_at(each.after_level) for each in view.rules.breaks if each.after_level >= play.level)
    at = Counter(each.table for each in play.seats.values())
    return Running(
        level=level,
        next_level=_blinds(view, play.level + 1),
        next_break_at=next(breaks, None) if play.break_until is None else None,
        break_until=play.break_until,
        paused_since=play.paused_at,
        players_left=left,
        rebuys=bought["rebuy"],
        add_ons=bought["add_on"],
        average_stack=play.chips // left if left else 0,
        tables={table_name(view.tournament, number): at[number] for number in sorted(at)},
        hand_for_hand=play.hand_for_hand,
        bubble=bool(paid) and left == paid + 1,
        pay_ladder=list(play.prizes),
        tickets=play.tickets,
    )


def _ticket(issued: TicketIssued) -> OwnTicket:
    return OwnTicket(value=issued.amount, **_of(issued, OwnTicket, "value"))


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


def _unregister_until(rules: Definition) -> int | None:
    return rules.starts_at - rules.unregister_before_ms if rules.starts_at is not None else None


_DIRECTORS = Access(roles=("floor", "supervisor"))
_DIRECTING = Access(roles=("floor", "supervisor"), person=True)
_RESULTS = Access(roles=("floor", "supervisor", "auditor"), person=True)
TOURNAMENT_QUESTIONS: tuple[tuple[str, str, Any, Access, str, Responses], ...] = (
    ("GET", "/tournaments", list_tournaments, ANYBODY, "List the tournaments", {}),
    ("GET", "/entries", list_entries, PLAYERS, "List the own entries and tickets", problems(401, 403, 429)),
    (
        "GET", "/proposals", list_proposals, _DIRECTORS, "List the tournaments that wait for approval",
        problems(401, 403, 429),
    ),
    ("GET", "/tournaments/{tournament}", get_tournament, ANYBODY, "Show a tournament", problems(404)),
    ("GET", "/tournaments/{tournament}/entry", get_entry, PLAYERS, "Show the own entry", problems(401, 403, 404, 429)),
    (
        "GET", "/tournaments/{tournament}/statement", get_tournament_statement, PLAYERS, "Show the own statement",
        problems(401, 403, 404, 429),
    ),
    (
        "GET", "/tournaments/{tournament}/summary", get_tournament_summary, PLAYERS, "Save a tournament summary",
        problems(401, 403, 404, 429) | {200: {"content": {"application/json": {"schema": {"type": "object"}}}}},
    ),
    (
        "GET", "/tournaments/{tournament}/result.csv", get_tournament_result, _RESULTS, "Save everybody's result",
        problems(401, 403, 404, 429) | {200: {"content": {"text/csv": {"schema": {"type": "string"}}}}},
    ),
    (
        "GET", "/tournaments/{tournament}/director", direct_tournament, _DIRECTING, "Show what directors see",
        problems(401, 403, 404, 429),
    ),
)  # fmt: skip
