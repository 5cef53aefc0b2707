"""GET /v1/incidents: what did not agree, oldest first."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel

from services.audit.incidents import Incident, incidents

router = APIRouter()


class IncidentList(BaseModel):
    incidents: list[Incident]
    next_after: int | None


@router.get("/incidents")
async def list_incidents(
    request: Request,
    after: Annotated[int, Query(ge=0, lt=2**62)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> IncidentList:
    """Incidents whose id is above `after`."""
    async with request.app.state.pool.acquire() as connection:
        found = await incidents(connection, after, limit)
    return IncidentList(incidents=found, next_after=found[-1].id if len(found) == limit else None)
