"""The lobby: which tables there are, what they cost and who sits there, for people who have not logged in either."""

from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from libs.views.table import TableView
from services.gateway.views.banked_rules import limits_of, tables_of
from services.gateway.views.explaining import taking_part

_OF_VIEW = ("table", "name", "status", "hands_played", "game", "demo", "tournament", "announced_from")
_OF_RULES = (
    "rulebook", "structure", "currency", "kind", "small_blind", "big_blind", "buy_in_min", "buy_in_max", "seats",
)  # fmt: skip
_PUBLISHED = ("table", "name", "rulebook_hash", "game", "demo", "tournament", "announced_from")


def lobby_row(view: TableView) -> dict[str, Any]:
    """One table in the list; amounts in minor units of `currency`."""
    chosen = view.rules
    return {
        **{name: getattr(view, name) for name in _OF_VIEW},
        **{name: chosen.get(name) for name in _OF_RULES},
        "seats_taken": len(view.seats),
        "limits": limits_of(chosen),
    }


class LobbyRows:
    """Each table's row as it is sent. Made once for each state of its table: anybody asks for the whole list, as often
    as they like, and players wait meanwhile."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[TableView, bytes]] = {}

    def page(self, rows: Sequence[bytes], next_after: str | None) -> bytes:
        """JSON of `{"tables": …, "next_after": …}`."""
        return b'{"tables":[' + b",".join(rows) + b'],"next_after":' + msgspec.json.encode(next_after) + b"}"

    def row(self, view: TableView) -> bytes:
        held = self._held.get(view.table)
        if held is not None and held[0] is view:
            return held[1]
        row = msgspec.json.encode(lobby_row(view))
        self._held[view.table] = view, row
        return row

    def forget(self, listed: Collection[str]) -> None:
        """All tables but those, once most of what is held is of others."""
        if len(self._held) > 2 * len(listed) + 100:
            self._held = {table: self._held[table] for table in listed if table in self._held}


def at_gateway(row: bytes, gateway: str | None) -> bytes:
    """A row with the WebSocket address at which its table is served."""
    return row[:-1] + b',"gateway":' + msgspec.json.encode(gateway) + b"}"


def published_rules(view: TableView) -> dict[str, Any]:
    """The whole configuration in force, as data and in words, with its rulebook's hash (pt-811-2015 enact.4)."""
    regulation = view.rules.get("regulation", "")
    return {
        **{name: getattr(view, name) for name in _PUBLISHED},
        "rulebook": view.rules.get("rulebook"),
        "configuration": msgspec.to_builtins(view.configuration) or {},
        "announced": msgspec.to_builtins(view.announced),
        "requested": msgspec.to_builtins(view.requested),
        "regulation": NAMES.get(regulation),
        "regulation_text": f"/v1/regulations/{regulation}" if regulation else None,
        "taking_part": taking_part(view.rules),
        "limits": limits_of(view.rules),
        "tables": tables_of(view.rules),
    }


_FOLDER = Path(__file__).parents[1] / "regulations"
NAMES = {
    "pt-811-2015": "Regulamento n.º 811/2015, rules of Omaha between players, online (Portugal)",
    "mo-97-2010": "Despacho do Secretário para a Economia e Finanças n.º 97/2010, Omaha Poker (Macau)",
    "pt-217-2007": "Portaria n.º 217/2007, non-banked poker in casinos (Portugal)",
    "pt-803-2015-no-draw": "Regulamento n.º 803/2015, no-draw poker, online (Portugal)",
    "pt-812-2015-baccarat": "Regulamento n.º 812/2015, punto banco baccarat and its Macau variant, online (Portugal)",
}

_PUBLISHED_TEXT = "The regulation as it was published, word by word."
_SOURCES = {
    "pt-812-2015-baccarat": "The enacting decision and rules 1 to 7.a as they were published, word by word. Rules "
    "7.b to 43 are from a copy that an operator published in March 2016; its drawing table was read by eye from a "
    "picture.",
}


def source_of(regulation: str) -> str:
    """How far the text is the gazette's own: nobody is to take a copy for it."""
    return _SOURCES.get(regulation, _PUBLISHED_TEXT)


@cache
def text_of(regulation: str) -> str | None:
    """The whole text in its own language, or None."""
    if regulation not in NAMES:
        return None
    return (_FOLDER / f"{regulation}.txt").read_text(encoding="utf-8")
