"""Every route of the house that changes anything is a door of a command, and that command is tried at every table."""

from typing import Any

import pytest
from fastapi.routing import APIRoute

from libs.contracts.registry import ALL_TABLE_COMMANDS
from services.gateway.app.doors import DOORS, PLAYERS_DOORS
from services.gateway.http.application import routes
from services.wallet.http.application import routes_of

NO_CHIPS = {
    ("POST", "/v1/sessions"), ("DELETE", "/v1/session"), ("DELETE", "/v1/players/{player}/sessions"),
    ("PUT", "/v1/players/{player}/block"), ("DELETE", "/v1/players/{player}/block"),
}  # fmt: skip
"""Who may come in: nothing of it reaches a table or an account."""
MOVE_MONEY = {"DepositFunds", "WithdrawFunds", "ApproveCash"}
"""Of the wallet's: into the account and out of what is available in it, never what is reserved for a seat."""
OF_TOURNAMENTS = {
    "ProposeTournament", "ApproveTournament", "DeclineTournament", "RegisterPlayer", "UnregisterPlayer",
    "ExcludePlayer", "ConfirmExclusion", "PauseTournament", "ResumeTournament", "AdjustClock", "GiveNotice",
    "ProposeCancellation", "ConfirmCancellation", "DeclineCancellation", "ConvertTicket",
    "RequestRebuy", "DeclineRebuy", "RequestAddOn", "DisqualifyPlayer", "ReleasePrize", "FinalizeDisqualification",
    "MovePlayer", "ChooseLanguage", "OpenComplaint", "DecideComplaint",
}  # fmt: skip
"""None reaches a table; what is paid is free money, and comes back where it was (`tests/tournament/test_money.py`)."""
ONLY_IN = {"OpenAccount", "ReportSignal", "DeclineCash"}


def changing(router: Any) -> set[tuple[str, str]]:
    every = [route for route in router.routes if isinstance(route, APIRoute)]
    return {(method, route.path) for route in every for method in (route.methods or set()) - {"GET", "HEAD"}}


@pytest.mark.rule("pt-811-2015", "11.a", "28")
@pytest.mark.rule("pt-217-2007", "9.a", "14.c")
@pytest.mark.rule("mo-97-2010", "4.2", "10.3")
def test_what_changes_anything_is_a_door_of_a_command_that_is_tried_at_every_table() -> None:
    """The commands: `tests/table/test_ways_out.py`. WebSocket orders are doors as well."""
    assert changing(routes()) - NO_CHIPS == {("POST", "/v1" + door.path) for door in DOORS}
    assert changing(routes_of(None)) == set(), "the wallet's own port only answers"  # type: ignore[arg-type]
    asked = {door.command for door in DOORS}
    at_tables = {command for command in asked if command.service == "table"}
    assert at_tables <= set(ALL_TABLE_COMMANDS)
    assert {command.__name__ for command in asked if command.service == "wallet"} == MOVE_MONEY | ONLY_IN
    assert {command.__name__ for command in asked if command.service == "tournament"} == OF_TOURNAMENTS
    assert {door.command for door in PLAYERS_DOORS.values()} <= at_tables, "a player's orders are the table's alone"
