"""The routes of all doors, and what the OpenAPI document says of them."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from libs.contracts.reading import read
from libs.contracts.table_commands import OpenTable
from libs.contracts.tournaments_commands import (
    ApproveTournament,
    ConfirmCancellation,
    ProposeCancellation,
    ProposeTournament,
    TournamentsReason,
)
from libs.edge.problems import Problem
from libs.identity.guard import open_to
from libs.telemetry import current_traceparent
from services.gateway.app.asked import Asked
from services.gateway.app.doors import DOORS, Door, body_schemas
from services.gateway.http.answering import COMMAND_PROBLEMS, Done, done
from services.gateway.http.asking import IdempotencyKey, TheCaller, TheGateway, in_path

_READ_AT_ONCE = (ProposeTournament, ApproveTournament, ProposeCancellation, ConfirmCancellation)
"""Whoever asks these looks at the director's page next."""
_ANYTHING = msgspec.json.Decoder()
_ACCEPTED = {
    "description": "Accepted",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Done"}, "example": Done.example}},
}


def add_doors(router: APIRouter) -> None:
    for door in DOORS:
        router.add_api_route(
            door.path,
            _endpoint(door),
            methods=["POST"],
            operation_id=door.name,
            tags=[door.who],
            summary=door.summary,
            description=" ".join((door.command.__doc__ or "").split()),
            responses={200: _ACCEPTED, **COMMAND_PROBLEMS},
            response_model=None,
            openapi_extra=open_to(door.access, **_request_of(door)),
        )


def _endpoint(door: Door) -> Callable[..., Awaitable[Response]]:
    async def ask(request: Request, gateway: TheGateway, key: IdempotencyKey, caller: TheCaller) -> Response:
        body = await request.body()
        asked = Asked(gateway, caller.principal, request.path_params, caller.session, caller)
        order = door.order(asked, key, _read(body) if body else {})
        answer = done(await asyncio.shield(gateway.doorkeeper.ask(order, current_traceparent())))
        if door.command is OpenTable:
            await gateway.floor.reaches(answer.stream, answer.version)
        if door.command in _READ_AT_ONCE:
            await gateway.tournaments.reaches(answer.stream, answer.version)
        if door.command is ApproveTournament and (why := await gateway.tournaments.approved(answer.stream)):
            detail = f"The tournament that its tickets are for does not take them: {why}."
            reason = TournamentsReason.TARGET_REFUSES
            raise Problem(409, "refused", detail, reason=reason, stream=answer.stream, version=answer.version)
        return Response(msgspec.json.encode(answer), media_type="application/json")

    return ask


def _read(body: bytes) -> Any:
    """Well-formed JSON, as the edge has seen; `Problem` 400 for what no machine can hold."""
    try:
        return read(_ANYTHING, body)
    except msgspec.MsgspecError:
        raise Problem(400, "malformed-json", "The body has a number that is out of range.") from None


def _request_of(door: Door) -> dict[str, Any]:
    said: dict[str, Any] = {"parameters": [in_path(name) for name in door.in_path]}
    schema = body_schemas()[door.body.__name__]
    if schema["properties"]:
        reference = {"$ref": f"#/components/schemas/{door.body.__name__}"}
        content = {"application/json": {"schema": reference, "example": schema["examples"][0]}}
        said["requestBody"] = {"required": bool(schema.get("required")), "content": content}
    return said
