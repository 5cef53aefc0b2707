"""The lobby: which tables there are, what they cost and who sits there, for people who have not logged in either."""

from typing import Any

from libs.views.table import TableView
from services.gateway.views.explaining import regulation_of, taking_part
from services.gateway.views.house_rules import limits_of, tables_of
from services.gateway.views.regulations import regulation_id


def lobby_row(view: TableView) -> dict[str, Any]:
    """One table in the list; amounts in minor units of `currency`."""
    chosen = view.rules
    return {
        "table": view.table,
        "name": view.name,
        "status": view.status,
        "rulebook": chosen.get("rulebook"),
        "structure": chosen.get("structure"),
        "currency": chosen.get("currency"),
        "kind": chosen.get("kind"),
        "small_blind": chosen.get("small_blind"),
        "big_blind": chosen.get("big_blind"),
        "buy_in_min": chosen.get("buy_in_min"),
        "buy_in_max": chosen.get("buy_in_max"),
        "seats": chosen.get("seats"),
        "seats_taken": len(view.seats),
        "hands_played": view.hands_played,
        "game": view.game,
        "demo": view.demo,
        "tournament": view.tournament,
        "limits": limits_of(chosen),
    }


def published_rules(view: TableView) -> dict[str, Any]:
    """The whole configuration in force, as data and in words, with its rulebook's hash (pt-811-2015 enact.4)."""
    return {
        "table": view.table,
        "name": view.name,
        "rulebook": view.configuration.get("rulebook"),
        "rulebook_hash": view.rulebook_hash,
        "regulation": regulation_of(view.rules),
        "regulation_text": _path_of(regulation_id(str(view.configuration.get("rulebook", "")))),
        "taking_part": taking_part(view.rules),
        "configuration": view.configuration,
        "announced": view.announced,
        "game": view.game,
        "demo": view.demo,
        "tournament": view.tournament,
        "limits": limits_of(view.rules),
        "tables": tables_of(view.rules),
    }


def _path_of(regulation: str | None) -> str | None:
    return f"/v1/regulations/{regulation}" if regulation else None
