"""The ASGI application: paths, problem documents, health, and an OpenAPI document to read."""

from collections.abc import Callable
from typing import Any, cast
from urllib.parse import quote

from fastapi import APIRouter, Depends, FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from libs.contracts.registry import REASONS
from libs.contracts.schemas import schemas_of
from libs.edge.api import api
from libs.edge.problems import Problem
from libs.identity.guard import add_schemas, guarded, open_to, stand_guard, with_security
from services.gateway.app.doors import body_schemas
from services.gateway.app.floors import Misdirected
from services.gateway.app.gateway import Gateway
from services.gateway.http.answering import Done, ProblemDocument, problems
from services.gateway.http.answers import answer_of, answer_schemas
from services.gateway.http.commands import add_doors
from services.gateway.http.questions import QUESTIONS
from services.gateway.ws.asyncapi import message_table
from services.gateway.ws.endpoint import talk

_ABOUT = """
The public edge of Croupier, for operator platforms and players.

Amounts are whole minor units (cents); times are milliseconds since the epoch, UTC. Every command carries an
`Idempotency-Key`, a UUIDv7: the same key and body is the same command and gets the same answer, however often it is
sent and whichever gateway it reaches.
A refusal is a problem document (RFC 9457); against the rules of the game it names `reason` and `rule`.

### WebSocket `/v1/ws`

JSON messages of at most 64 kB, told apart by `type`. The token comes in the `Authorization` header or in the first
message, never in the URL. `id` is the idempotency key of a command and comes back in its reply.
"""

_TAGS = [
    {"name": "lobby", "description": "For everybody, without a login."},
    {"name": "player", "description": "With a player's session token."},
    {
        "name": "staff",
        "description": "For people with a role (`x-roles`) and platforms with a scope (`x-scopes`).",
    },
]


def application(gateway: Gateway, is_open: Callable[[], bool] = lambda: True, docs: bool = True) -> FastAPI:
    app = api("Croupier gateway", docs, description=_ABOUT + message_table(), openapi_tags=_TAGS)
    app.state.gateway = gateway
    paths = routes()
    stand_guard(app, paths.routes, gateway.callers, gateway.admit, gateway.trail.record)
    app.add_exception_handler(Misdirected, _misdirected)
    app.add_middleware(ShutUntil, is_open=is_open)
    app.include_router(paths)
    app.openapi = lambda: _document(app)  # type: ignore[method-assign]
    return app


async def _misdirected(request: Request, error: Exception) -> Response:
    """With where the same request is answered."""
    wrong = cast(Misdirected, error)
    asked = quote(request.url.path) + (f"?{request.url.query}" if request.url.query else "")
    wrong.extensions["location"] = wrong.base + asked
    return wrong.response()


def _document(app: FastAPI) -> dict[str, Any]:
    """FastAPI's document with our problems in place of its own validation error."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
            tags=app.openapi_tags,
        )
        schemas = document.setdefault("components", {}).setdefault("schemas", {})
        schemas.pop("HTTPValidationError", None)
        schemas.pop("ValidationError", None)
        add_schemas(document, schemas_of([Done, ProblemDocument]) | body_schemas() | answer_schemas())
        schemas["Reason"] = {
            "type": "string",
            "enum": list(REASONS),
            "description": "closed list; later ones are added",
        }
        schemas["ProblemDocument"]["properties"]["reason"] |= {
            "anyOf": [{"$ref": "#/components/schemas/Reason"}, {"type": "null"}]
        }
        for path in document["paths"].values():
            for operation in path.values():
                _without_default_422(operation["responses"])
        app.openapi_schema = with_security(document)
    return app.openapi_schema


def _without_default_422(responses: dict[str, Any]) -> None:
    content = responses.get("422", {}).get("content", {})
    if "HTTPValidationError" in str(content.get("application/json", "")):
        content.pop("application/json")
    if "422" in responses and not content:
        responses.pop("422")


def routes() -> APIRouter:
    router = APIRouter(prefix="/v1", dependencies=[Depends(guarded)])
    router.routes.append(WebSocketRoute("/v1/ws", talk))  # first: paths are tried in their order
    for method, path, endpoint, access, summary, responses in QUESTIONS:
        router.add_api_route(
            path,
            endpoint,
            methods=[method],
            operation_id=endpoint.__name__,
            tags=["lobby" if access.everybody else "player" if access.player else "staff"],
            summary=summary,
            responses=answer_of(endpoint.__name__) | problems(422) | responses,
            openapi_extra=open_to(access),
        )
    add_doors(router)
    return router


class ShutUntil:
    """ASGI middleware: 503 and a refused WebSocket under `/v1` until `is_open` says so."""

    def __init__(self, app: ASGIApp, is_open: Callable[[], bool]) -> None:
        self._app = app
        self._is_open = is_open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or not scope["path"].startswith("/v1/") or self._is_open():
            await self._app(scope, receive, send)
        else:
            # Of a WebSocket's handshake this is the HTTP answer; a bare close would be a 403, as for a bad token.
            shut = Problem(
                503, "restoring", "The gateway is reading what happened; try again.", headers={"retry-after": "1"}
            )
            await shut.response()(scope, receive, send)
