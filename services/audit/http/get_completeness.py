"""GET /v1/completeness: how far the hand histories have come, with the digest that proves nothing is missing."""

from fastapi import APIRouter, Request
from pydantic import BaseModel

from libs.projecting import Completeness, OpenGap, completeness, open_gaps
from services.audit.names import PROJECTOR

router = APIRouter()


class CompletenessReport(BaseModel):
    partitions: list[Completeness]
    gaps: list[OpenGap]


@router.get("/completeness")
async def get_completeness(request: Request) -> CompletenessReport:
    """`accepted` and `digest` can be compared with a fold of the log; a gap waits for a version it has not got."""
    async with request.app.state.pool.acquire() as connection:
        partitions = await completeness(connection, PROJECTOR)
        gaps = await open_gaps(connection, PROJECTOR)
    return CompletenessReport(partitions=partitions, gaps=gaps)
