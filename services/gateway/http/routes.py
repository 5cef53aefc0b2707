"""Every path of the public edge, and which file answers it."""

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter
from starlette.routing import WebSocketRoute

from services.gateway.http.act import act
from services.gateway.http.answering import COMMAND_PROBLEMS, OPERATOR_PROBLEMS, problems
from services.gateway.http.asking import Responses
from services.gateway.http.change_bank import approve_bank_change, decline_bank_change, request_bank_change
from services.gateway.http.change_configuration import change_configuration
from services.gateway.http.close_table import close_table
from services.gateway.http.deal import deal
from services.gateway.http.decide_hand import decide_hand
from services.gateway.http.deposit_funds import deposit_funds
from services.gateway.http.get_account import get_account
from services.gateway.http.get_information import get_information
from services.gateway.http.get_regulation import get_regulation
from services.gateway.http.get_rules import get_rules
from services.gateway.http.get_session import get_session
from services.gateway.http.get_statement import get_statement
from services.gateway.http.leave_table import leave_table
from services.gateway.http.list_tables import list_tables
from services.gateway.http.open_account import open_account
from services.gateway.http.open_session import open_session
from services.gateway.http.open_table import open_table
from services.gateway.http.pause_table import pause_table
from services.gateway.http.place_ante import place_ante
from services.gateway.http.place_stake import place_stake
from services.gateway.http.recall_last_hand import recall_last_hand
from services.gateway.http.recall_last_round import recall_last_round
from services.gateway.http.remove_player import remove_player
from services.gateway.http.report_signal import report_signal
from services.gateway.http.resume_table import resume_table
from services.gateway.http.sit_in import sit_in
from services.gateway.http.sit_out import sit_out
from services.gateway.http.take_seat import take_seat
from services.gateway.http.top_up import top_up
from services.gateway.http.view_table import view_table
from services.gateway.http.void_hand import void_hand
from services.gateway.http.void_round import void_round
from services.gateway.http.withdraw_ante import withdraw_ante
from services.gateway.http.withdraw_funds import withdraw_funds
from services.gateway.http.withdraw_stake import withdraw_stake
from services.gateway.ws.endpoint import talk

Endpoint = Callable[..., Any]
READ = problems(401, 404)

ROUTES: tuple[tuple[str, str, Endpoint, str, str, Responses], ...] = (
    # method, path, endpoint, tag, summary, problems
    ("GET", "/tables", list_tables, "lobby", "List the tables", {}),
    ("GET", "/tables/{table}/rules", get_rules, "lobby", "Show a table's rules", problems(404)),
    ("GET", "/regulations/{regulation}", get_regulation, "lobby", "Read a regulation", problems(404)),
    ("GET", "/session", get_session, "player", "Show the session clock", problems(401)),
    ("GET", "/statement", get_statement, "player", "Show session statements", problems(401, 404, 503)),
    ("GET", "/tables/{table}", view_table, "player", "See a table", READ),
    ("GET", "/tables/{table}/information", get_information, "player", "Show rules, session, complaints", READ),
    ("GET", "/tables/{table}/last-hand", recall_last_hand, "player", "Recall the last hand", READ),
    ("POST", "/tables/{table}/seats", take_seat, "player", "Take a seat", COMMAND_PROBLEMS),
    ("POST", "/tables/{table}/top-ups", top_up, "player", "Top up", COMMAND_PROBLEMS),
    ("POST", "/tables/{table}/sit-out", sit_out, "player", "Sit out", COMMAND_PROBLEMS),
    ("POST", "/tables/{table}/sit-in", sit_in, "player", "Sit in", COMMAND_PROBLEMS),
    ("POST", "/tables/{table}/leave", leave_table, "player", "Leave the table", COMMAND_PROBLEMS),
    ("POST", "/tables/{table}/acts", act, "player", "Act", COMMAND_PROBLEMS),
    ("GET", "/tables/{table}/last-round", recall_last_round, "player", "Recall the last round", READ),
    ("POST", "/tables/{table}/antes", place_ante, "player", "Place an ante", COMMAND_PROBLEMS),
    ("POST", "/tables/{table}/antes/withdraw", withdraw_ante, "player", "Take an ante back", COMMAND_PROBLEMS),
    ("POST", "/tables/{table}/decisions", decide_hand, "player", "Fold or continue", COMMAND_PROBLEMS),
    ("POST", "/tables/{table}/stakes", place_stake, "player", "Place a bet at baccarat", COMMAND_PROBLEMS),
    ("POST", "/tables/{table}/stakes/withdraw", withdraw_stake, "player", "Take a bet back", COMMAND_PROBLEMS),
    ("POST", "/tables/{table}/deal", deal, "player", "Start the deal", COMMAND_PROBLEMS),
    ("POST", "/sessions", open_session, "operator", "Open a player's session", problems(400, 401, 403, 413, 422)),
    ("POST", "/players/{player}/accounts", open_account, "operator", "Open an account", OPERATOR_PROBLEMS),
    ("POST", "/players/{player}/deposits", deposit_funds, "operator", "Deposit", OPERATOR_PROBLEMS),
    ("POST", "/players/{player}/withdrawals", withdraw_funds, "operator", "Withdraw", OPERATOR_PROBLEMS),
    ("POST", "/players/{player}/signals", report_signal, "operator", "Report a signal", OPERATOR_PROBLEMS),
    ("GET", "/players/{player}/account", get_account, "operator", "Show balances", problems(401, 403, 404, 503)),
    ("POST", "/tables", open_table, "operator", "Open a table", OPERATOR_PROBLEMS),
    (
        "POST", "/tables/{table}/configuration", change_configuration, "operator", "Change a table's rules",
        OPERATOR_PROBLEMS,
    ),
    ("POST", "/tables/{table}/pause", pause_table, "operator", "Pause a table", OPERATOR_PROBLEMS),
    ("POST", "/tables/{table}/resume", resume_table, "operator", "Resume a table", OPERATOR_PROBLEMS),
    ("POST", "/tables/{table}/close", close_table, "operator", "Close a table", OPERATOR_PROBLEMS),
    ("POST", "/tables/{table}/hands/{hand}/void", void_hand, "operator", "Void a hand", OPERATOR_PROBLEMS),
    ("POST", "/tables/{table}/rounds/{round}/void", void_round, "operator", "Void a round", OPERATOR_PROBLEMS),
    (
        "POST", "/tables/{table}/bank/changes", request_bank_change, "operator", "Ask for a bank top-up or drop",
        OPERATOR_PROBLEMS,
    ),
    (
        "POST", "/tables/{table}/bank/changes/{change}/approve", approve_bank_change, "operator",
        "Approve a bank change", OPERATOR_PROBLEMS,
    ),
    (
        "POST", "/tables/{table}/bank/changes/{change}/decline", decline_bank_change, "operator",
        "Decline a bank change", OPERATOR_PROBLEMS,
    ),
    (
        "POST", "/tables/{table}/players/{player}/remove", remove_player, "operator", "Remove a player",
        OPERATOR_PROBLEMS,
    ),
)  # fmt: skip


def routes() -> APIRouter:
    router = APIRouter(prefix="/v1")
    for method, path, endpoint, tag, summary, responses in ROUTES:
        router.add_api_route(
            path, endpoint, methods=[method], tags=[tag], summary=summary, responses=responses, status_code=200
        )
    router.routes.append(WebSocketRoute("/v1/ws", talk))
    return router
