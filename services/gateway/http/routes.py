"""Every path of the public edge, and which file answers it."""

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter
from starlette.routing import WebSocketRoute

from services.gateway.http.act import act
from services.gateway.http.answering import COMMAND_PROBLEMS, OPERATOR_PROBLEMS, problems
from services.gateway.http.ask_favour import ask_favour
from services.gateway.http.ask_seat_change import ask_seat_change
from services.gateway.http.ask_table_change import ask_table_change
from services.gateway.http.asking import Responses
from services.gateway.http.change_bank import approve_bank_change, decline_bank_change, request_bank_change
from services.gateway.http.change_configuration import change_configuration
from services.gateway.http.choose_variant import choose_variant
from services.gateway.http.close_table import close_table
from services.gateway.http.deal import deal
from services.gateway.http.deal_live import CONSOLES, console, record_incident, scan_card
from services.gateway.http.decide_hand import decide_hand
from services.gateway.http.deposit_funds import deposit_funds
from services.gateway.http.floor_measures import (
    correct_deal,
    draw_seats,
    draw_tables,
    mute_player,
    resolve_dispute,
    warn_player,
)
from services.gateway.http.get_account import get_account
from services.gateway.http.get_information import get_information
from services.gateway.http.get_regulation import get_regulation
from services.gateway.http.get_rules import get_rules
from services.gateway.http.get_session import get_session
from services.gateway.http.get_statement import get_statement
from services.gateway.http.join_waiting_list import join_waiting_list
from services.gateway.http.leave_table import leave_table
from services.gateway.http.leave_waiting_list import leave_waiting_list
from services.gateway.http.list_messages import list_messages
from services.gateway.http.list_tables import list_tables
from services.gateway.http.open_account import open_account
from services.gateway.http.open_dispute import open_dispute
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
from services.gateway.http.send_message import send_message
from services.gateway.http.sit_in import sit_in
from services.gateway.http.sit_out import sit_out
from services.gateway.http.take_seat import take_seat
from services.gateway.http.tip_dealer import tip_dealer
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
    ("GET", "/tables/{table}/messages", list_messages, "player", "Read messages", READ),
    ("POST", "/tables/{table}/messages", send_message, "player", "Write to the table", COMMAND_PROBLEMS),
    ("POST", "/tables/{table}/waiting-list", join_waiting_list, "player", "Wait for a seat", COMMAND_PROBLEMS),
    ("POST", "/tables/{table}/waiting-list/leave", leave_waiting_list, "player", "Stop waiting", COMMAND_PROBLEMS),
    ("POST", "/tables/{table}/seat-change", ask_seat_change, "player", "Ask for another seat", COMMAND_PROBLEMS),
    ("POST", "/tables/{table}/table-change", ask_table_change, "player", "Ask for another table", COMMAND_PROBLEMS),
    ("POST", "/tables/{table}/favours", ask_favour, "player", "Ask for what is not granted", COMMAND_PROBLEMS),
    ("POST", "/tables/{table}/tips", tip_dealer, "player", "Tip", COMMAND_PROBLEMS),
    ("POST", "/tables/{table}/variant", choose_variant, "player", "Choose the variant", COMMAND_PROBLEMS),
    ("POST", "/tables/{table}/disputes", open_dispute, "player", "Dispute a hand", COMMAND_PROBLEMS),
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
    ("POST", "/tables/{table}/warnings", warn_player, "operator", "Warn a player", OPERATOR_PROBLEMS),
    ("POST", "/tables/{table}/mutes", mute_player, "operator", "Mute a player", OPERATOR_PROBLEMS),
    ("POST", "/tables/{table}/seat-draw", draw_seats, "operator", "Draw seats", OPERATOR_PROBLEMS),
    ("POST", "/tables/{table}/table-draw", draw_tables, "operator", "Draw tables", OPERATOR_PROBLEMS),
    ("POST", "/tables/{table}/disputes/resolve", resolve_dispute, "operator", "Resolve a dispute", OPERATOR_PROBLEMS),
    ("POST", "/tables/{table}/hands/{hand}/correct", correct_deal, "operator", "Correct a deal", OPERATOR_PROBLEMS),
    ("POST", "/tables/{table}/live/scans", scan_card, "operator", "Scan a card", OPERATOR_PROBLEMS),
    ("POST", "/tables/{table}/live/incidents", record_incident, "operator", "Record an incident", OPERATOR_PROBLEMS),
    *(
        ("POST", f"/tables/{{table}}/live/{path}", console(command, about), "operator", about, OPERATOR_PROBLEMS)
        for path, command, about in CONSOLES
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
