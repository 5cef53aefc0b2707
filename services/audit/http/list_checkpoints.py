"""GET /v1/checkpoints: the signed roots, newest last, without the heads they stand for."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel

from services.audit.checkpoints import checkpoints

router = APIRouter()


class CheckpointLine(BaseModel):
    number: int
    taken_at: int
    root: str
    previous: str
    streams: int
    public_key: str
    signature: str


class CheckpointList(BaseModel):
    checkpoints: list[CheckpointLine]


@router.get("/checkpoints")
async def list_checkpoints(
    request: Request,
    after: Annotated[int, Query(ge=0, lt=2**62)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> CheckpointList:
    """Checkpoints whose number is above `after`."""
    async with request.app.state.pool.acquire() as connection:
        found = await checkpoints(connection, after, limit)
    return CheckpointList(
        checkpoints=[
            CheckpointLine(
                number=each.number,
                taken_at=each.taken_at,
                root=each.root,
                previous=each.previous,
                streams=len(each.heads),
                public_key=each.public_key,
                signature=each.signature,
            )
            for each in found
        ]
    )
