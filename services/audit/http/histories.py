"""GET /v1/hands, /v1/rounds: hands and rounds against the house as recorded, also as far as running ones have come."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any, TypeVar

import msgspec
from fastapi import APIRouter, Depends, Path, Query, Request, Response

from libs.contracts.facts import taken
from libs.contracts.platforms import platform_of
from libs.contracts.schemas import schemas_of
from libs.contracts.texts import ID
from libs.edge.paging import NEWEST, Before, Place, place_of
from libs.edge.problems import Problem
from libs.identity.access import Access
from libs.identity.guard import guarded, open_to
from libs.projecting import Connection
from libs.projecting.row_marks import Marks
from libs.views.hand import Hand
from libs.views.round import RoundRecord
from services.audit.incidents import record
from services.audit.projections.histories import (
    RECORDS,
    Played,
    archived_at,
    archived_of,
    last_record,
    place_in_list,
    record_of,
    records_of,
)
from services.audit.projections.record_marks import WrittenByHand

Id = Annotated[str, Path(min_length=1, max_length=64, pattern=f"^{ID}$")]


class HandLine(msgspec.Struct, frozen=True):
    """One hand of a player, for a list; what it came to is None while it runs."""

    table: str
    hand: int
    seat: int
    currency: str
    outcome: str
    started_at: int
    ended_at: int | None
    stack_before: int
    stack_after: int | None
    staked: int
    won: int | None
    rake: int | None


class RoundLine(msgspec.Struct, frozen=True):
    """One round of a player, for a list; the amounts are None while it runs."""

    table: str
    round: int
    seat: int
    currency: str
    outcome: str
    started_at: int
    ended_at: int | None
    staked: int | None
    credited: int | None
    net: int | None
    refunded: int | None


_PLAYED = open_to(Access(("supervisor", "support", "security", "auditor"), ("reports",), person=True))
"""What players did and which cards they showed."""
LineT = TypeVar("LineT", HandLine, RoundLine)


def histories(game: Played, kept: type[Hand | RoundRecord], line: type[LineT]) -> APIRouter:
    """What can be asked of hands, and likewise of rounds."""
    router = APIRouter(prefix=f"/v1/{game}s", dependencies=[Depends(guarded)])
    rows = {"type": "array", "items": _reference(line)}
    whole = _answers(_reference(kept))
    page = {"type": "object", "properties": {f"{game}s": rows, "next_before": {"type": ["string", "null"]}}}

    @router.get("", operation_id=f"list_{game}s", responses=_answers(page), openapi_extra=_PLAYED)
    async def listed(
        request: Request,
        player: Annotated[str, Query(min_length=1, max_length=64)],
        before: Before = NEWEST,
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
    ) -> Response:
        """Those that `player` was in, newest first.

        `next_before` is the `before` of the next page; null on the last. 500 `record-not-true` where one of the page
        is not as the auditor wrote it, with the `before` that goes on behind it as `next_before`. 410 `archived` where
        there are none but in an archive, with the latest month of them.
        """
        async with _asking(request) as (connection, marks):
            found = await records_of(connection, game, player, place_of(before), limit, marks)
            month = None if found else await archived_of(connection, game, player, place_of(before))
        if month is not None:
            raise _archived(f"{game}s", month)
        rows = [_line(line, each, player) for each in found]
        next_before = place_in_list(found[-1]).cursor() if len(found) == limit else None
        return _document(msgspec.json.encode({f"{game}s": rows, "next_before": next_before}))

    @router.get(
        "/{table}/last", operation_id=f"get_last_{game}", responses=_answers(_reference(kept)), openapi_extra=_PLAYED
    )
    async def last(request: Request, table: Id, player: Annotated[str | None, Query(max_length=64)] = None) -> Response:
        """The last one that is over (pt-811-2015 65); with `player`, the last that they were in."""
        async with _asking(request) as (connection, marks):
            found = await last_record(connection, game, table, player, marks)
            month = None if found else await archived_at(connection, table, None)
        if month is not None and not request.state.caller.walled:
            raise _archived(f"{game}s", month)
        if found is None or not _may_see(request, found):
            raise Problem(404, f"no-such-{game}", f"No {game} of this table is over yet.")
        return _document(found)

    @router.get("/{table}/{number}", operation_id=f"get_{game}", responses=whole, openapi_extra=_PLAYED)
    async def one(request: Request, table: Id, number: Annotated[int, Path(ge=1, lt=2**62)]) -> Response:
        """The one of that number at `table`."""
        async with _asking(request) as (connection, marks):
            found = await record_of(connection, game, table, number, marks)
            month = None if found else await archived_at(connection, table, number)
        if month is not None and not request.state.caller.walled:
            raise _archived(f"{game}s", month)
        if found is None or not _may_see(request, found):
            raise Problem(404, f"no-such-{game}", f"This table has no {game} of that number.")
        return _document(found)

    return router


@asynccontextmanager
async def _asking(request: Request) -> AsyncIterator[tuple[Connection, Marks | None]]:
    """What is not as the auditor wrote it is an incident at once, and no answer."""
    state = request.app.state
    try:
        async with state.pool.acquire() as connection:
            yield connection, state.marks
    except WrittenByHand as wrong:
        async with state.pool.acquire() as connection, connection.transaction():
            new = await record(connection, [wrong.finding], int(time.time() * 1000), state.marks)
        for finding in new:
            state.on_finding(finding)
        raise Problem(
            500,
            "record-not-true",
            "This record is not as the auditor wrote it, so it is not shown. The auditor has an incident of it.",
            table=wrong.table,
            number=wrong.number,
            next_before=Place(wrong.started_at, wrong.table, wrong.number).cursor(),
        ) from None


def _archived(what: str, month: str) -> Problem:
    return Problem(410, "archived", f"{what.capitalize()} up to {month} are in the archive.", month=month)


def _may_see(request: Request, record: str) -> bool:
    """A platform sees the hands and rounds in which a player of its own was: what that player saw of the others."""
    walled = request.state.caller.walled
    return not walled or any(platform_of(player) == walled for player in RECORDS.decode(record).players)


def _line(line: type[LineT], record: Hand | RoundRecord, player: str) -> LineT:
    """What a list says of the record, and of the player's own seat in it."""
    seat = next(seat for seat in record.seats if seat.player == player)
    own = {name: getattr(seat, name) for name in seat.__struct_fields__ if name in line.__struct_fields__}
    return taken(line, record, **own)


def schemas() -> dict[str, Any]:
    """Of all answers, for the OpenAPI document."""
    return schemas_of([Hand, RoundRecord, HandLine, RoundLine])


def _reference(kind: type[msgspec.Struct]) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{kind.__name__}"}


def _answers(schema: dict[str, Any]) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {"application/json": {"schema": schema}}}}


def _document(content: str | bytes) -> Response:
    return Response(content, media_type="application/json")
