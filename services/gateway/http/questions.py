"""What can be asked over HTTP: the questions of players, operators and everybody, and the opening of a session."""

from collections.abc import Callable
from typing import Annotated, Any, Literal, cast

import msgspec
from fastapi import Header, Path, Query, Response
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from libs.contracts.commands import fitted
from libs.contracts.configurations import BankedConfiguration
from libs.contracts.facts import Fact
from libs.contracts.texts import ID, Words
from libs.contracts.wallet_answers import LATEST, Sessions, SessionsBefore
from libs.contracts.wallet_commands import Book
from libs.edge.handlers import invalid_input
from libs.edge.problems import Problem
from libs.identity.access import ANYBODY, PLAYERS, Access, Caller, Session
from libs.identity.purpose import PURPOSE
from libs.views.table import TableView
from services.gateway.app.asked import fitting
from services.gateway.app.gateway import Gateway
from services.gateway.http.answering import problems
from services.gateway.http.asking import GATEWAY, Player, PlayerId, Responses, TableId, TheCaller, TheGateway
from services.gateway.http.tournament_questions import TOURNAMENT_QUESTIONS
from services.gateway.views.lobby import NAMES, published_rules, source_of, text_of

_ANNOUNCED_FROM = "ms since the epoch from which other rules, `announced` in /rules, may hold; null: none are announced"


class LobbyRow(BaseModel):
    """Amounts in minor units of `currency`."""

    table: str
    name: str
    status: str
    rulebook: str | None
    structure: str | None
    currency: str | None
    kind: str | None
    small_blind: int | None
    big_blind: int | None
    buy_in_min: int | None
    buy_in_max: int | None
    seats: int | None
    seats_taken: int
    hands_played: int
    game: str
    demo: bool
    tournament: str | None
    announced_from: int | None = Field(description=_ANNOUNCED_FROM)
    limits: dict[str, int | None]
    gateway: str | None = Field(default=None, description=GATEWAY)


class Lobby(BaseModel):
    tables: list[LobbyRow]
    next_after: str | None = Field(description="`after` of the next page; null on the last")


async def list_tables(
    gateway: TheGateway,
    after: Annotated[str, Query(max_length=64, description="`next_after` of the page before")] = "",
    limit: Annotated[int, Query(ge=1, le=500)] = 500,
) -> Lobby:
    """The tables that are not closed, by name."""
    rows = gateway.listed_after(after, limit + 1)
    more = rows[limit - 1][0] if len(rows) > limit else None
    gateway.lobby.forget(gateway.floor.tables.listed)
    page = gateway.lobby.page([row for _, row in rows[:limit]], more)
    return cast(Lobby, Response(page, media_type="application/json"))


class PublishedRules(BaseModel):
    table: str
    name: str
    rulebook: str | None
    rulebook_hash: str
    regulation: str | None
    regulation_text: str | None
    taking_part: list[str]
    configuration: dict[str, Any]
    announced: dict[str, Any] | None
    announced_from: int | None = Field(description=_ANNOUNCED_FROM)
    requested: dict[str, Any] | None = Field(description="what waits for another one of the staff to approve")
    game: str
    demo: bool = Field(description="play money, which is worth nothing and stays so")
    tournament: str | None = Field(description="whose chips are played for, which are no money; null: a cash table")
    limits: dict[str, int | None] = Field(description="least and most of each bet, minor units; null: unlimited")
    tables: dict[str, Any] = Field(description="pay table, drawing table, commission: what the game has of them")
    complaints: str = Field(description="how to complain")


async def get_rules(table: TableId, gateway: TheGateway) -> PublishedRules:
    """For everybody, without a login."""
    return _rules_of(gateway.known_view(table), gateway)


def _rules_of(view: TableView, gateway: Gateway) -> PublishedRules:
    return PublishedRules(**published_rules(view), complaints=gateway.complaints)


class Regulation(BaseModel):
    regulation: str
    name: str
    text: str = Field(description="in the language in which it is in force")
    source: str = Field(description="where the text comes from, and how far it is the published one word by word")


async def get_regulation(regulation: Annotated[str, Path(examples=["pt-811-2015"])]) -> Regulation:
    """For everybody, without a login, at any time."""
    text = text_of(regulation)
    if text is None:
        raise Problem(404, "unknown-regulation", "No table is played under a regulation of this name.")
    return Regulation(regulation=regulation, name=NAMES[regulation], text=text, source=source_of(regulation))


class SessionClock(BaseModel):
    session: str
    player: str
    started: int = Field(description="milliseconds since the epoch, UTC")
    expires: int
    elapsed_ms: int
    last_login: int | None


async def get_session(player: Player, gateway: TheGateway) -> SessionClock:
    """The session clock of the player who asks."""
    return SessionClock(**_clock(player), elapsed_ms=max(0, gateway.now() - player.started))


def _clock(session: Session) -> dict[str, Any]:
    times = {"started": session.started, "expires": session.expires, "last_login": session.last_login}
    return {"session": session.id, "player": session.player, **times}


async def get_statement(
    player: Player, gateway: TheGateway, book: Book = "real", before: SessionsBefore = LATEST, limit: Sessions = 50
) -> Any:
    """The asking player's own sessions, newest first; those for play money with `book=demo`."""
    return await gateway.wallet.statements(player.player, book=book, before=before, limit=limit)


async def view_table(table: TableId, player: Player, gateway: TheGateway) -> dict[str, Any]:
    """Seats, stacks, and the hand or round; `own` holds the asking player's own cards and nobody else's.

    `left_ms` is what is left of a deadline at `now`, so that a countdown needs no clock but the house's.
    """
    return gateway.floor.view(gateway.known_table(table), player.player, gateway.now()) or {}


class Total(BaseModel):
    """Minor units of `currency`; `result` is what was won less what was staked, paid as commission on buy-ins and as
    charges of sessions, and tipped."""

    currency: str
    staked: int
    won: int
    rake: int
    commission_on_wins: int = 0
    commission: int
    fees: int = 0
    tips: int = 0
    hands: int
    result: int | None = None


class PlayedSession(BaseModel):
    start: int
    end: int | None
    totals: list[Total]


_STATEMENTS = TypeAdapter(list[PlayedSession])


def sessions_in(statements: Any) -> list[PlayedSession]:
    """Newest first; ValidationError for what are no statements.

    A running total's `result` is that of finished hands and rounds; an ended one has what came home less what was
    brought.
    """
    sessions = _STATEMENTS.validate_python(statements)
    for session in sessions:
        for total in session.totals:
            if session.end is None or total.result is None:
                total.result = total.won - total.staked - total.commission - total.fees - total.tips
    return sessions


class Information(BaseModel):
    """Amounts in minor units. `staked_now` is what the player has in the running hand or round."""

    rules: PublishedRules
    staked_now: int
    session: PlayedSession | None = Field(description="the running session; null when none runs")
    last_session: PlayedSession | None = Field(description="the latest session, also when it is over")
    session_known: bool = Field(description="false while the books can't be read; all the rest is there")
    complaints: str


async def get_information(table: TableId, player: Player, gateway: TheGateway) -> Information:
    """Always available, also in the middle of a hand. The sessions are those for the table's kind of money."""
    view = gateway.known_view(table)
    sessions, known = await _sessions(gateway, player.player, "demo" if view.demo else "real")
    return Information(
        rules=_rules_of(view, gateway),
        staked_now=view.staked_by(player.player),
        session=next((session for session in sessions if session.end is None), None),
        last_session=next(iter(sessions), None),
        session_known=known,
        complaints=gateway.complaints,
    )


async def _sessions(gateway: TheGateway, player: str, book: Book) -> tuple[list[PlayedSession], bool]:
    try:
        return sessions_in(await gateway.wallet.statements(player, book=book)), True
    except (Problem, ValidationError):
        return [], False


async def recall_last_hand(table: TableId, player: Player, gateway: TheGateway) -> dict[str, Any]:
    """Own cards, board, every action with amounts, pots, rake, winners, payments and shown cards; marked as replay."""
    return _recalled("hand", table, player, gateway)


async def recall_last_round(table: TableId, player: Player, gateway: TheGateway) -> dict[str, Any]:
    """All cards in order, every stake, decision, outcome, credit and net; a void round with its refunds."""
    return _recalled("round", table, player, gateway)


def _recalled(what: Literal["hand", "round"], table: str, player: Session, gateway: Gateway) -> dict[str, Any]:
    of_rounds = isinstance(gateway.known_view(table).configuration, BankedConfiguration)
    if of_rounds != (what == "round"):
        played, asked = ("rounds", "last-round") if of_rounds else ("hands", "last-hand")
        raise Problem(404, f"no-{what}s-here", f"This table plays {played}: ask for {asked}.")
    record = gateway.floor.last_played(table, player.player)
    if record is None:
        raise Problem(404, f"no-{what}-yet", f"You have not completed a {what} at this table.")
    return record


class WrittenMessage(BaseModel):
    message: str
    player: str
    text: str
    at: int = Field(description="milliseconds since the epoch at which it was delivered")


class Messages(BaseModel):
    messages: list[WrittenMessage]


async def list_messages(table: TableId, gateway: TheGateway) -> Messages:
    """The last fifty that were delivered; what is withheld while a hand runs is not among them."""
    return Messages(messages=[WrittenMessage(**each) for each in gateway.messages(gateway.known_table(table))])


class NewSession(BaseModel):
    """`last_login` (ms since the epoch) is the operator's word; without it, what this gateway remembers."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [{"player": "alice"}]})

    player: Annotated[str, Field(min_length=1, max_length=64, pattern=f"^{ID}$")]
    last_login: int | None = Field(default=None, ge=0, lt=2**53)


class OpenedSession(BaseModel):
    token: str = Field(repr=False, description="bearer token of the player")
    session: str
    player: str
    started: int = Field(description="milliseconds since the epoch, UTC")
    expires: int
    last_login: int | None


async def open_session(wish: NewSession, caller: TheCaller, gateway: TheGateway) -> OpenedSession:
    """The token is signed and expires; it is valid at every gateway and over restarts. 403 for another platform's
    player."""
    caller.own(wish.player)
    if (refused := gateway.why_no_session(wish.player)) is not None:
        raise refused
    token, session = gateway.sessions.open(wish.player, gateway.now(), wish.last_login)
    await gateway.standing.opened(session)
    return OpenedSession(token=token, **_clock(session))


SaidPurpose = Annotated[
    str | None,
    Header(alias=PURPOSE, description="What it is for; people of the house have to say so.", examples=["fraud case 7"]),
]


class Over(BaseModel):
    """The sessions meant are over, at every gateway; open connections of theirs are closed."""

    player: str


class Ended(Over):
    in_play: bool = Field(description="They play running hands or rounds on at this gateway, and do nothing else")


async def log_out(player: Player, gateway: TheGateway) -> Over:
    """The asking player's own session ends; the token is good for nothing from now on."""
    await gateway.standing.log_out(player)
    return Over(player=player.player)


async def end_sessions(player: PlayerId, caller: TheCaller, gateway: TheGateway, purpose: SaidPurpose = None) -> Ended:
    """Every session of the player that is open now. It goes on record, with what it is for. Where a person of the house
    ends them, a running hand or round is played on, and nothing else is done; 429 for more than three in an hour."""
    tables = await gateway.standing.revoke(player, caller.principal, _said(purpose, caller))
    return Ended(player=player, in_play=bool(tables))


class Block(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [{"reason": "fraud"}]})

    reason: str = Field(min_length=1, max_length=200)


class Blocked(BaseModel):
    player: str
    blocked: bool
    in_play: bool = Field(
        description="The player plays on with what is in play at this gateway: a block of the house's people holds "
        "behind it"
    )


async def block_player(player: PlayerId, wish: Block, caller: TheCaller, gateway: TheGateway) -> Blocked:
    """Every session ends and none is opened, until it is lifted; a running hand goes on without the player. Where a
    person of the house blocks, a player in a running hand or tournament plays that to its end, and does nothing else:
    to put somebody out of a tournament is to exclude."""
    checked = fitting(Reason, {"reason": wish.reason}, where=("body",))
    await gateway.standing.block(player, caller.principal, checked.reason)
    return Blocked(player=player, blocked=True, in_play=gateway.standing.plays_on(player))


async def unblock_player(
    player: PlayerId, caller: TheCaller, gateway: TheGateway, purpose: SaidPurpose = None
) -> Blocked:
    """The player may come in again, with a new session. A platform lifts what it has set itself; 403 where another
    block holds. It goes on record, with what it is for."""
    await gateway.lift_block(player, caller.principal, _said(purpose, caller))
    return Blocked(player=player, blocked=False, in_play=False)


class Reason(Fact):
    reason: Words


def _said(purpose: str | None, caller: Caller) -> str:
    """What it is for; `Problem` 422 for a person who does not say so. A platform has records of its own."""
    if purpose is None and caller.principal.kind != "staff":
        return ""
    try:
        return fitted(Reason, {"reason": (purpose or "").encode("latin-1").decode("utf-8", "replace")}).reason
    except msgspec.ValidationError:
        detail = "Say in 1 to 200 characters what this is for"
        raise invalid_input([{"loc": ("header", PURPOSE), "msg": detail}]) from None


async def get_account(player: PlayerId, gateway: TheGateway, book: Book = "real") -> Any:
    """Free and reserved money of each of the player's accounts."""
    return await gateway.wallet.account(player, book)


Endpoint = Callable[..., Any]
READ = problems(401, 403, 404, 429)
_AT_TABLE = READ | problems(421, 503)
_SESSIONS, _MONEY = Access(scopes=("sessions",)), Access(scopes=("money",))
_END = Access(("security", "support", "supervisor"), ("sessions",))
_BLOCK = Access(("security",), ("sessions",))

QUESTIONS: tuple[tuple[str, str, Endpoint, Access, str, Responses], ...] = (
    # method, path, endpoint, who may ask, summary, problems
    ("GET", "/tables", list_tables, ANYBODY, "List the tables", {}),
    ("GET", "/tables/{table}/rules", get_rules, ANYBODY, "Show a table's rules", problems(404, 421, 503)),
    ("GET", "/regulations/{regulation}", get_regulation, ANYBODY, "Read a regulation", problems(404)),
    ("GET", "/session", get_session, PLAYERS, "Show the session clock", problems(401, 403, 429)),
    ("GET", "/statement", get_statement, PLAYERS, "Show session statements", READ | problems(410, 503)),
    ("GET", "/tables/{table}", view_table, PLAYERS, "See a table", _AT_TABLE),
    ("GET", "/tables/{table}/information", get_information, PLAYERS, "Show rules, session, complaints", _AT_TABLE),
    ("GET", "/tables/{table}/last-hand", recall_last_hand, PLAYERS, "Recall the last hand", _AT_TABLE),
    ("GET", "/tables/{table}/last-round", recall_last_round, PLAYERS, "Recall the last round", _AT_TABLE),
    ("GET", "/tables/{table}/messages", list_messages, PLAYERS, "Read messages", _AT_TABLE),
    ("POST", "/sessions", open_session, _SESSIONS, "Open a player's session", READ | problems(400, 413, 422)),
    ("DELETE", "/session", log_out, PLAYERS, "Log out", READ | problems(503)),
    ("DELETE", "/players/{player}/sessions", end_sessions, _END, "End a player's sessions", READ | problems(503)),
    ("PUT", "/players/{player}/block", block_player, _BLOCK, "Block a player", READ | problems(400, 413, 422, 503)),
    ("DELETE", "/players/{player}/block", unblock_player, _BLOCK, "Lift a block", READ | problems(503)),
    ("GET", "/players/{player}/account", get_account, _MONEY, "Show balances", READ | problems(503)),
    *TOURNAMENT_QUESTIONS,
)
