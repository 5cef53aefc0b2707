"""GET /v1/hands?player=: a player's hands, newest first."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel

from services.audit.projections.hand_views import HandLine, hands_of_player

router = APIRouter()


class HandList(BaseModel):
    """`next_before`: the `before` of the next page; None on the last."""

    hands: list[HandLine]
    next_before: int | None


@router.get("/hands")
async def list_hands(
    request: Request,
    player: Annotated[str, Query(min_length=1, max_length=64)],
    before: Annotated[int, Query(ge=0, lt=2**62)] = 2**61,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> HandList:
    """Hands that `player` was dealt into and that started before `before` (milliseconds since the epoch)."""
    async with request.app.state.pool.acquire() as connection:
        hands = await hands_of_player(connection, player, before, limit)
    return HandList(hands=hands, next_before=hands[-1].started_at if len(hands) == limit else None)
