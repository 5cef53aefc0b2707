"""What single fields of a no-draw poker table's configuration cannot tell: values that do not go together."""

from collections.abc import Callable
from typing import Any

from libs.contracts.any_configuration import AnyConfiguration
from libs.contracts.configurations import grouped
from services.table.domain.games.no_draw_poker.configuration import NoDrawConfiguration
from services.table.rulebooks.rulebook import Refusal, Rulebook

MAX_IN_MINIMA = 25
"""The maximum is at most 25 times the minimum (pt-803-2015-no-draw 18)."""


def read(rulebook: Rulebook, values: dict[str, Any]) -> tuple[Callable[[], AnyConfiguration], list[Refusal]]:
    """For `configure`: the configuration of these values, and what does not go together in them."""
    filled = {"rulebook": rulebook.id, **values}
    return lambda: grouped(NoDrawConfiguration, filled), _at_odds(rulebook, values)


def _at_odds(rulebook: Rulebook, values: dict[str, Any]) -> list[Refusal]:
    def refuse(field: str, reason: str) -> None:
        refusals.append(Refusal(field, rulebook.ref(rulebook.fields[field].rule), reason))

    refusals: list[Refusal] = []
    least, most = values["min_ante"], values["max_ante"]
    if not least <= most <= MAX_IN_MINIMA * least:
        refuse("max_ante", f"must be {least} to {MAX_IN_MINIMA * least}, {MAX_IN_MINIMA} times the minimum")
    if values["mode"] == "single" and values["seats"] != 1:
        refuse("seats", "must be 1 at a table for one player")
    if values["buy_in_min"] < least:
        refuse("buy_in_min", "must be at least the smallest ante")
    if values["buy_in_max"] < values["buy_in_min"]:
        refuse("buy_in_max", "must be at least buy_in_min")
    if values["top_up_to"] < values["buy_in_min"]:
        refuse("top_up_to", "must be at least buy_in_min")
    if values["kind"] == "real" and not values["approval"]:
        refuse("approval", "is needed for real money")
    return refusals
