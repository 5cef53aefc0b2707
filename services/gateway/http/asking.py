"""Who asks, and for what: the dependencies of the endpoints."""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, cast

from fastapi import Depends, Header, Path, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from libs.contracts.messages import Principal
from libs.contracts.texts import ID
from libs.edge.problems import Problem
from services.gateway.app.gateway import OPERATOR, STAFF, Gateway
from services.gateway.app.sessions import Session, unauthorized

_session_token = HTTPBearer(scheme_name="session", description="Session token of a player", auto_error=False)
_operator_token = HTTPBearer(scheme_name="operator", description="Token of the operator platform", auto_error=False)


def gateway_of(request: Request) -> Gateway:
    return cast(Gateway, request.app.state.gateway)


TheGateway = Annotated[Gateway, Depends(gateway_of)]
_ID: dict[str, Any] = {"min_length": 1, "max_length": 64, "pattern": f"^{ID}$"}
TableId = Annotated[str, Path(description="Id of the table", examples=["table-1"], **_ID)]
PlayerId = Annotated[str, Path(description="Id of the player at the operator", examples=["alice"], **_ID)]
IdempotencyKey = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=128,
        pattern=r"^[\x21-\x7e]+$",
        description="The same key and body is the same command, however often it is sent. A UUIDv7 keeps its meaning "
        "over a restart of the gateway.",
        examples=["01973a7e-5b0c-7c3e-9f21-6d1f0a4b8c55"],
    ),
]


def session_of(
    gateway: TheGateway, token: Annotated[HTTPAuthorizationCredentials | None, Depends(_session_token)]
) -> Session:
    if token is None:
        raise unauthorized("A session token is needed.")
    session = gateway.sessions.check(token.credentials, gateway.now())
    gateway.doorkeeper.players.take(session.player)
    return session


def check_operator(
    gateway: TheGateway, token: Annotated[HTTPAuthorizationCredentials | None, Depends(_operator_token)]
) -> None:
    if token is None:
        raise unauthorized("The operator's token is needed.")
    if not gateway.sessions.is_operator(token.credentials):
        raise Problem(403, "forbidden", "This is for the operator platform.")
    gateway.doorkeeper.operators.take(OPERATOR.id)


StaffMember = Annotated[
    str | None,
    Header(
        **_ID,
        alias="Croupier-Staff",
        description="Who of the staff does it, as the platform has checked; it goes on record (pt-811-2015 11.g).",
        examples=["floor-12"],
    ),
]


class Asker(NamedTuple):
    """Who asks, and the player's session, if it is one."""

    by: Principal
    session: str = ""


def player_asks(session: Annotated[Session, Depends(session_of)]) -> Asker:
    return Asker(Principal("player", session.player), session.id)


def operator_asks(_: Annotated[None, Depends(check_operator)]) -> Asker:
    return Asker(OPERATOR)


def staff_asks(_: Annotated[None, Depends(check_operator)], person: StaffMember = None) -> Asker:
    return Asker(Principal("staff", person) if person else STAFF)


Player = Annotated[Session, Depends(session_of)]
Operator = Annotated[None, Depends(check_operator)]
Responses = dict[int | str, dict[str, Any]]
_IN_PATH: Mapping[str, tuple[str, Any]] = {
    "table": ("Id of the table", "table-1"),
    "player": ("Id of the player at the operator", "alice"),
    "hand": ("Number of the hand at its table", 41),
    "round": ("Number of the round at its table", 17),
    "change": ("The operator's own name for it", "bank-20260102-1"),
}


def in_path(name: str) -> dict[str, Any]:
    """A parameter of a path, as OpenAPI has it."""
    about, example = _IN_PATH[name]
    schema = {"type": "integer", "minimum": 1} if isinstance(example, int) else {"type": "string", "pattern": f"^{ID}$"}
    return {"name": name, "in": "path", "required": True, "description": about, "schema": schema, "example": example}
