"""GET /v1/hands/{table}/{number}: one hand as recorded, also as far as a running one has come."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request

from libs.edge.problems import Problem
from services.audit.projections.hand_views import HandView, hand_of, last_hand

router = APIRouter()
Id = Annotated[str, Path(min_length=1, max_length=64)]


@router.get("/hands/{table}/last")
async def get_last_hand(
    request: Request, table: Id, player: Annotated[str | None, Query(max_length=64)] = None
) -> HandView:
    """The last hand that is over (pt-811-2015 65); with `player`, the last that they were dealt into."""
    async with request.app.state.pool.acquire() as connection:
        found = await last_hand(connection, table, player)
    if found is None:
        raise Problem(404, "no-such-hand", "No hand of this table is over yet.")
    return found


@router.get("/hands/{table}/{number}")
async def get_hand(request: Request, table: Id, number: Annotated[int, Path(ge=1, lt=2**62)]) -> HandView:
    """Hand `number` of `table`."""
    async with request.app.state.pool.acquire() as connection:
        found = await hand_of(connection, table, number)
    if found is None:
        raise Problem(404, "no-such-hand", "This table has no hand of that number.")
    return found
