"""GET /v1/rounds/{table}/{number}: one round against the house as recorded, also as far as a running one has come."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel

from libs.edge.problems import Problem
from services.audit.projections.round_views import RoundLine, RoundView, last_round, round_of, rounds_of_player

router = APIRouter()
Id = Annotated[str, Path(min_length=1, max_length=64)]


class RoundList(BaseModel):
    """`next_before`: the `before` of the next page; None on the last."""

    rounds: list[RoundLine]
    next_before: int | None


@router.get("/rounds")
async def list_rounds(
    request: Request,
    player: Annotated[str, Query(min_length=1, max_length=64)],
    before: Annotated[int, Query(ge=0, lt=2**62)] = 2**61,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> RoundList:
    """Rounds in which `player` had a stake and that started before `before` (milliseconds since the epoch)."""
    async with request.app.state.pool.acquire() as connection:
        rounds = await rounds_of_player(connection, player, before, limit)
    return RoundList(rounds=rounds, next_before=rounds[-1].started_at if len(rounds) == limit else None)


@router.get("/rounds/{table}/last")
async def get_last_round(
    request: Request, table: Id, player: Annotated[str | None, Query(max_length=64)] = None
) -> RoundView:
    """The last round that is over; with `player`, the last that they had a stake in."""
    async with request.app.state.pool.acquire() as connection:
        found = await last_round(connection, table, player)
    if found is None:
        raise Problem(404, "no-such-round", "No round of this table is over yet.")
    return found


@router.get("/rounds/{table}/{number}")
async def get_round(request: Request, table: Id, number: Annotated[int, Path(ge=1, lt=2**62)]) -> RoundView:
    """Round `number` of `table`."""
    async with request.app.state.pool.acquire() as connection:
        found = await round_of(connection, table, number)
    if found is None:
        raise Problem(404, "no-such-round", "This table has no round of that number.")
    return found
