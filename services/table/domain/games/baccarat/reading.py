"""What single fields of a baccarat table's configuration cannot tell: values that do not go together."""

from collections.abc import Callable
from typing import Any

from libs.contracts.any_configuration import AnyConfiguration
from libs.contracts.configurations import grouped
from services.table.domain.games.baccarat.configuration import BaccaratConfiguration
from services.table.rulebooks.rulebook import Refusal, Rulebook

_IN_MINIMA = {"max_ponto_banca": 70, "max_tie": 15, "max_pair": 8}
"""A maximum of chapter I is at most so many times the minimum (pt-812-2015-baccarat 15)."""


def read(rulebook: Rulebook, values: dict[str, Any]) -> tuple[Callable[[], AnyConfiguration], list[Refusal]]:
    """For `configure`: the configuration of these values, and what does not go together in them."""
    filled = {"rulebook": rulebook.id, **values}
    return lambda: grouped(BaccaratConfiguration, filled), _at_odds(rulebook, values)


def _at_odds(rulebook: Rulebook, values: dict[str, Any]) -> list[Refusal]:
    def refuse(field: str, reason: str) -> None:
        refusals.append(Refusal(field, rulebook.ref(rulebook.fields[field].rule), reason))

    refusals: list[Refusal] = []
    least = values["min_bet"]
    for field, times in _IN_MINIMA.items():
        if field in values and not least <= values[field] <= times * least:
            refuse(field, f"must be {least} to {times * least}, {times} times the minimum bet")
    if values["mode"] == "single" and values["seats"] != 1:
        refuse("seats", "must be 1 at a table for one player")
    if values["mode"] == "multi" and values["betting_ms"] is None:
        refuse("betting_ms", "is missing: all seats bet in one period")
    if values["buy_in_min"] < least:
        refuse("buy_in_min", "must be at least the minimum bet")
    if values["buy_in_max"] < values["buy_in_min"]:
        refuse("buy_in_max", "must be at least buy_in_min")
    if values["top_up_to"] < values["buy_in_min"]:
        refuse("top_up_to", "must be at least buy_in_min")
    for field in ("approval", "approved_on"):
        if values["kind"] == "real" and not values[field]:
            refuse(field, "is needed for real money")
    return refusals
