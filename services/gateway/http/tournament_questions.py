"""Every question about tournaments: its address, who may ask, and what else it answers."""

from typing import Any

from libs.identity.access import ANYBODY, PLAYERS, Access
from services.gateway.http.answering import problems
from services.gateway.http.asking import Responses
from services.gateway.http.directing import direct_tournament, get_tournament_result, list_proposals
from services.gateway.http.entries import get_entry, get_tournament_statement, get_tournament_summary, list_entries
from services.gateway.http.tournaments import get_tournament, list_tournaments

_DIRECTORS = Access(roles=("floor", "supervisor"))
_DIRECTING = Access(roles=("floor", "supervisor"), person=True)
_RESULTS = Access(roles=("floor", "supervisor", "auditor"), person=True)
TOURNAMENT_QUESTIONS: tuple[tuple[str, str, Any, Access, str, Responses], ...] = (
    ("GET", "/tournaments", list_tournaments, ANYBODY, "List the tournaments", {}),
    ("GET", "/entries", list_entries, PLAYERS, "List the own entries and tickets", problems(401, 403, 429)),
    (
        "GET", "/proposals", list_proposals, _DIRECTORS, "List the tournaments that wait for approval",
        problems(401, 403, 429),
    ),
    ("GET", "/tournaments/{tournament}", get_tournament, ANYBODY, "Show a tournament", problems(404)),
    ("GET", "/tournaments/{tournament}/entry", get_entry, PLAYERS, "Show the own entry", problems(401, 403, 404, 429)),
    (
        "GET", "/tournaments/{tournament}/statement", get_tournament_statement, PLAYERS, "Show the own statement",
        problems(401, 403, 404, 429),
    ),
    (
        "GET", "/tournaments/{tournament}/summary", get_tournament_summary, PLAYERS, "Save a tournament summary",
        problems(401, 403, 404, 429) | {200: {"content": {"application/json": {"schema": {"type": "object"}}}}},
    ),
    (
        "GET", "/tournaments/{tournament}/result.csv", get_tournament_result, _RESULTS, "Save everybody's result",
        problems(401, 403, 404, 429) | {200: {"content": {"text/csv": {"schema": {"type": "string"}}}}},
    ),
    (
        "GET", "/tournaments/{tournament}/director", direct_tournament, _DIRECTING, "Show what directors see",
        problems(401, 403, 404, 429),
    ),
)  # fmt: skip
