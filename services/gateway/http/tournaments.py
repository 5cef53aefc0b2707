"""What anybody can ask of tournaments: the lobby, and one tournament's page."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Literal, cast

import msgspec
from fastapi import Path, Query, Response
from pydantic import BaseModel, Field

from libs.contracts.texts import ID
from libs.contracts.tournament_tables import table_name
from libs.contracts.tournaments import Definition
from libs.views.tournament import TournamentView
from services.gateway.app.gateway import Gateway
from services.gateway.http.asking import TheGateway
from services.gateway.views.put_by import tournament_row

TournamentId = Annotated[
    str,
    Path(description="Id of the tournament", examples=["sunday-1"], min_length=1, max_length=64, pattern=f"^{ID}$"),
]
MS = "milliseconds since the epoch, UTC"


class TournamentRow(BaseModel):
    """Amounts in minor units of `currency`."""

    tournament: str
    name: str
    status: str
    rulebook: str
    currency: str
    buy_in: dict[str, int] = Field(description="the whole, and what of it is prize, fee and bounty")
    starts_at: int | None = Field(description=f"{MS}; null: when the last seat is taken")
    registration_opens_at: int = Field(description=f"{MS}; 0: at once")
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


async def list_tournaments(
    gateway: TheGateway,
    status: Annotated[Shown, Query(description="`open`: announced, registering or running")] = "open",
    after: After = "",
    limit: Limit = 500,
) -> TournamentLobby:
    """By name. Those that are over are shown where `status` asks for them."""
    names = gateway.tournaments.names(after, limit + 1, *(_OPEN if status == "open" else {status}))
    rows = b",".join(gateway.tournaments.row(name) for name in names[:limit])
    page = b'{"tournaments":[' + rows + b'],"next_after":' + msgspec.json.encode(more(names, limit)) + b"}"
    return cast(TournamentLobby, Response(page, media_type="application/json"))


def more(names: Sequence[str], limit: int) -> str | None:
    """`after` of the next page, where there are more than `limit`."""
    return names[limit - 1] if len(names) > limit else None


class Blinds(BaseModel):
    level: int
    small_blind: int
    big_blind: int
    ante: int
    big_blind_ante: int
    ends_at: int | None = Field(description=f"{MS}; null: it goes on without end, or has not begun")


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
    next_break_at: int | None = Field(description=MS)
    break_until: int | None = Field(description=f"{MS}; null: no break")
    paused_since: int | None = Field(description=f"{MS}; while it is not null all times come later")
    goes_on_at: int | None = Field(description=f"{MS}; of a pause: no hand begins before; null: it is not said yet")
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
    at: int = Field(description=MS)
    text: str


class TournamentPage(TournamentRow):
    """The specific rules as they were approved, and how things stand."""

    definition: dict[str, Any] = Field(description="every value; amounts in minor units, times in milliseconds")
    rules: dict[str, str] = Field(description="the specific rules in words, by language")
    prevails: str = Field(description="the language whose text prevails (pt-810-2015 60)")
    glossary: dict[str, str] = Field(description="foreign words of the Portuguese text, explained (58)")
    unregister_until: int | None = Field(description=MS)
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
        unregister_until=unregister_until_of(rules),
        cause=view.cause or None,
        running=_running(view) if view.status == "running" and view.play.level else None,
        notices=[Notice(at=act.at, text=act.reason) for act in view.acts if act.what == "NoticeGiven"][-20:],
        results=[Result(**shown_of(each, Result)) for each in view.play.results],
        complaints=gateway.complaints,
    )


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
        goes_on_at=play.goes_on_at,
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


def unregister_until_of(rules: Definition) -> int | None:
    return rules.starts_at - rules.unregister_before_ms if rules.starts_at is not None else None


def shown_of(part: Any, shown: type[BaseModel], *left_out: str) -> dict[str, Any]:
    return {name: getattr(part, name) for name in shown.model_fields if name not in left_out}
