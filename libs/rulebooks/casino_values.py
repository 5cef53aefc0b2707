"""Values of a casino table that do not go together: decks, hours, the base of the session's charge (pt-217-2007)."""

from collections.abc import Iterator
from typing import Any


def at_odds_in_casino(values: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Field, entry and reason. Rulebooks that know none of it have nothing at odds."""
    yield from _decks(values)
    if values.get("timer_action") == "none" and values.get("dealer") != "live":
        yield "timer_action", "71.a", "must act where nobody deals: no dealer reports who does not decide"
    if values["rake_mode"] == "session":
        base = values.get("session_fee_base")
        if base is None:
            yield "session_fee_base", "S.14", "must be chosen explicitly: table_max or buy_in"
        elif base == "table_max" and values.get("table_max") is None:
            yield "table_max", "7.b", "is what the session's charge is a part of"
    opens, closes = values.get("opens_at"), values.get("closes_at")
    if values.get("mode") == "session" and opens is not None and closes is not None and closes <= opens:
        yield "closes_at", "74" if "dealer" in values else "6.b", "must be after opens_at"


def _decks(values: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    if values.get("dealer") != "live":
        return
    decks = [pair.split(":") for pair in values["decks"].split(",") if pair]
    if not decks:
        yield "decks", "4", "must name at least one deck"
    if values["shuffler"] == "automatic" and len({colour for _, colour in decks}) < 2:
        yield "decks", "76", "must be two of different colours where a shuffler is used"
