"""Every path of the public edge: the doors of `app/doors.py`, and the questions below."""

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter
from starlette.routing import WebSocketRoute

from services.gateway.http.answering import problems
from services.gateway.http.answers import answer_of
from services.gateway.http.asking import Responses
from services.gateway.http.commands import add_doors
from services.gateway.http.get_account import get_account
from services.gateway.http.get_information import get_information
from services.gateway.http.get_regulation import get_regulation
from services.gateway.http.get_rules import get_rules
from services.gateway.http.get_session import get_session
from services.gateway.http.get_statement import get_statement
from services.gateway.http.list_messages import list_messages
from services.gateway.http.list_tables import list_tables
from services.gateway.http.open_session import open_session
from services.gateway.http.recall_last_hand import recall_last_hand
from services.gateway.http.recall_last_round import recall_last_round
from services.gateway.http.view_table import view_table
from services.gateway.ws.endpoint import talk

Endpoint = Callable[..., Any]
READ = problems(401, 404)

QUESTIONS: tuple[tuple[str, str, Endpoint, str, str, Responses], ...] = (
    # method, path, endpoint, tag, summary, problems
    ("GET", "/tables", list_tables, "lobby", "List the tables", {}),
    ("GET", "/tables/{table}/rules", get_rules, "lobby", "Show a table's rules", problems(404)),
    ("GET", "/regulations/{regulation}", get_regulation, "lobby", "Read a regulation", problems(404)),
    ("GET", "/session", get_session, "player", "Show the session clock", problems(401)),
    ("GET", "/statement", get_statement, "player", "Show session statements", problems(401, 404, 503)),
    ("GET", "/tables/{table}", view_table, "player", "See a table", READ),
    ("GET", "/tables/{table}/information", get_information, "player", "Show rules, session, complaints", READ),
    ("GET", "/tables/{table}/last-hand", recall_last_hand, "player", "Recall the last hand", READ),
    ("GET", "/tables/{table}/last-round", recall_last_round, "player", "Recall the last round", READ),
    ("GET", "/tables/{table}/messages", list_messages, "player", "Read messages", READ),
    ("POST", "/sessions", open_session, "operator", "Open a player's session", problems(400, 401, 403, 413, 422)),
    ("GET", "/players/{player}/account", get_account, "operator", "Show balances", problems(401, 403, 404, 503)),
)


def routes() -> APIRouter:
    router = APIRouter(prefix="/v1")
    for method, path, endpoint, tag, summary, responses in QUESTIONS:
        router.add_api_route(
            path,
            endpoint,
            methods=[method],
            operation_id=endpoint.__name__,
            tags=[tag],
            summary=summary,
            responses=answer_of(endpoint.__name__) | responses,
        )
    add_doors(router)
    router.routes.append(WebSocketRoute("/v1/ws", talk))
    return router
