"""What questions are answered with, as the OpenAPI document has it: schemas of views and records, and real examples.

`answers.json` holds answers that a gateway gave; `WRITE_ANSWERS=1 pytest tests/gateway/http/test_answers.py` writes
them anew.
"""

import json
from pathlib import Path
from typing import Any

from libs.contracts.schemas import schemas_of
from libs.contracts.wallet_answers import AccountBalance, SessionStatement
from libs.views.hand import Hand
from libs.views.round import RoundRecord
from libs.views.table import ON_RECORD_ONLY, TableView
from services.gateway.http.asking import Responses

EXAMPLES: dict[str, Any] = json.loads((Path(__file__).parent / "answers.json").read_text(encoding="utf-8"))
"""By operation id."""
_REFS = {"view_table": "TableView", "recall_last_hand": "Hand", "recall_last_round": "RoundRecord"}
_MODELS: dict[str, Any] = {"get_account": list[AccountBalance], "get_statement": list[SessionStatement]}
_CARDS = {"type": "array", "items": {"type": "string"}}
_POTS = {
    "type": "array",
    "items": {"type": "object"},
    "description": "main and side pots as they stand: `pot`, `amount`, and `eligible`, the seats that may win it",
}
_MILLISECONDS = {"anyOf": [{"type": "integer"}, {"type": "null"}], "description": "milliseconds"}


def answer_of(operation: str) -> Responses:
    """The 200 of a question."""
    told: dict[str, Any] = {"example": EXAMPLES[operation]} if operation in EXAMPLES else {}
    if operation in _REFS:
        told["schema"] = {"$ref": f"#/components/schemas/{_REFS[operation]}"}
    model = {"model": _MODELS[operation]} if operation in _MODELS else {}
    return {200: {"content": {"application/json": told}, **model}}


def answer_schemas() -> dict[str, Any]:
    """Views and records as they are shown to one player: seats in their order, and `own`."""
    schemas = schemas_of([TableView, Hand, RoundRecord])
    for name, seat in (
        ("TableView", "Seat"),
        ("NoDrawRound", "SeatInRound"),
        ("Coup", "SeatAtBets"),
        ("BankedRound", "SeatAtBets"),
    ):
        schemas[name]["properties"]["seats"] = {"type": "array", "items": {"$ref": f"#/components/schemas/{seat}"}}
    view, record = schemas["TableView"]["properties"], {"Hand": "InHand", "RoundRecord": "StakedSeat"}
    hand, left_out = schemas["Hand"], set(ON_RECORD_ONLY)
    shown = {name: said for name, said in hand["properties"].items() if name not in left_out}
    required = [name for name in hand["required"] if name not in left_out]
    schemas["HandOnTable"] = {**hand, "properties": {**shown, "pots": _POTS}, "required": required}
    view |= {
        "hand": {**view["hand"], "anyOf": [{"$ref": "#/components/schemas/HandOnTable"}, {"type": "null"}]},
        "game": {"type": "string"},
        "demo": {"type": "boolean", "description": "play money"},
        "tournament": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "free": {
            "type": "array",
            "items": {"type": "integer"},
            "description": "seats that are neither taken nor kept for anybody",
        },
        "now": _MILLISECONDS,
        "own": {
            "type": "object",
            "description": "the asking player's seat, and own cards, which nobody else sees",
            "properties": {"seat": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "cards": _CARDS},
        },
    }
    for name in ("NoDrawRound", "Coup", "BankedRound"):
        schemas[name]["properties"] |= {"call": {"type": "string"}, "left_ms": _MILLISECONDS}
    for name, seat in record.items():
        schemas[name]["properties"]["own"] = {"$ref": f"#/components/schemas/{seat}"}
    return schemas
