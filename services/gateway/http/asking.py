"""Who asks, and for what: the dependencies of the endpoints."""

from typing import Annotated, Any, cast

from fastapi import Depends, Header, Path, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from libs.contracts.messages import Principal
from libs.contracts.table_commands import Id
from libs.edge.problems import Problem
from services.gateway.app.gateway import OPERATOR, STAFF, Gateway
from services.gateway.app.sessions import Session, unauthorized

_session_token = HTTPBearer(scheme_name="session", description="Session token of a player", auto_error=False)
_operator_token = HTTPBearer(scheme_name="operator", description="Token of the operator platform", auto_error=False)


def gateway_of(request: Request) -> Gateway:
    return cast(Gateway, request.app.state.gateway)


TheGateway = Annotated[Gateway, Depends(gateway_of)]
TableId = Annotated[Id, Path(description="Id of the table", examples=["table-1"])]
PlayerId = Annotated[Id, Path(description="Id of the player at the operator", examples=["alice"])]
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
    return gateway.sessions.check(token.credentials, gateway.now())


def check_operator(
    gateway: TheGateway, token: Annotated[HTTPAuthorizationCredentials | None, Depends(_operator_token)]
) -> None:
    if token is None:
        raise unauthorized("The operator's token is needed.")
    if not gateway.sessions.is_operator(token.credentials):
        raise Problem(403, "forbidden", "This is for the operator platform.")


StaffMember = Annotated[
    Id | None,
    Header(
        alias="Croupier-Staff",
        description="Who of the staff does it, as the platform has checked; it goes on record (pt-811-2015 11.g).",
        examples=["floor-12"],
    ),
]


def _operator(_: Annotated[None, Depends(check_operator)]) -> Principal:
    return OPERATOR


def _staff(_: Annotated[None, Depends(check_operator)], person: StaffMember = None) -> Principal:
    return Principal(kind="staff", id=person) if person else STAFF


Player = Annotated[Session, Depends(session_of)]
Operator = Annotated[Principal, Depends(_operator)]
Staff = Annotated[Principal, Depends(_staff)]
Responses = dict[int | str, dict[str, Any]]
