"""GET /v1/cases: what the integrity checks want looked at, oldest first (pt-811-2015 11.c, 11.e, 11.f)."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel

from services.audit.integrity.cases import cases

router = APIRouter()


class CaseRow(BaseModel):
    """`hands` are pairs of table and number; times in milliseconds."""

    id: int
    kind: str
    players: list[str]
    hands: list[tuple[str, int]]
    evidence: dict[str, Any]
    opened_at: int
    last_seen: int


class CaseList(BaseModel):
    cases: list[CaseRow]
    next_after: int | None


@router.get("/cases")
async def list_cases(
    request: Request,
    after: Annotated[int, Query(ge=0, lt=2**62)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> CaseList:
    """Cases whose id is above `after`."""
    async with request.app.state.pool.acquire() as connection:
        found = [CaseRow(**row) for row in await cases(connection, after, limit)]
    return CaseList(cases=found, next_after=found[-1].id if len(found) == limit else None)
