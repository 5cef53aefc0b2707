"""Who asks, and for what: the dependencies of the endpoints."""

from collections.abc import Mapping
from typing import Annotated, Any, cast

from fastapi import Depends, Header, Path, Request

from libs.contracts.texts import ID, KEY
from libs.identity.access import Caller, Session
from services.gateway.app.gateway import Gateway


def gateway_of(request: Request) -> Gateway:
    return cast(Gateway, request.app.state.gateway)


TheGateway = Annotated[Gateway, Depends(gateway_of)]
_ID: dict[str, Any] = {"min_length": 1, "max_length": 64, "pattern": f"^{ID}$"}
TableId = Annotated[str, Path(description="Id of the table", examples=["table-1"], **_ID)]
GATEWAY = "WebSocket address at which the table is served; only where gateways have floors, null: nobody serves it now"
PlayerId = Annotated[str, Path(description="Id of the player at the operator", examples=["alice"], **_ID)]
IdempotencyKey = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        pattern=f"^{KEY}$",
        description="A UUIDv7 (RFC 9562), new for each wish. The same key and body is the same command, however often "
        "it is sent and whichever gateway it reaches.",
        examples=["01973a7e-5b0c-7c3e-9f21-6d1f0a4b8c55"],
    ),
]


def caller_of(request: Request) -> Caller:
    """Whom the guard let in."""
    return cast(Caller, request.state.caller)


TheCaller = Annotated[Caller, Depends(caller_of)]


def session_of(caller: TheCaller) -> Session:
    assert caller.session is not None, "the guard lets only players in here"
    return caller.session


Player = Annotated[Session, Depends(session_of)]
Responses = dict[int | str, dict[str, Any]]
_IN_PATH: Mapping[str, tuple[str, Any]] = {
    "complaint": ("Id of the complaint", "complaint-9"),
    "table": ("Id of the table", "table-1"),
    "tournament": ("Id of the tournament", "sunday-1"),
    "ticket": ("Id of the ticket", "satellite-1.4"),
    "player": ("Id of the player at the operator", "alice"),
    "hand": ("Number of the hand at its table", 41),
    "round": ("Number of the round at its table", 17),
    "version": ("Version of the configuration that was asked for", 7),
    "change": ("The operator's own name for it", "bank-20260102-1"),
}


def in_path(name: str) -> dict[str, Any]:
    """A parameter of a path, as OpenAPI has it."""
    about, example = _IN_PATH[name]
    schema = {"type": "integer", "minimum": 1} if isinstance(example, int) else {"type": "string", "pattern": f"^{ID}$"}
    return {"name": name, "in": "path", "required": True, "description": about, "schema": schema, "example": example}
