"""What a rulebook of poker says beside what every one says, and values of a configuration that do not go together."""

from typing import Any

import msgspec

from libs.cards.variants import Variant
from libs.contracts.configurations import grouped
from libs.contracts.poker_configuration import PokerConfiguration
from libs.money.rates import BASIS_POINTS, part_of
from libs.rulebooks.casino_values import at_odds_in_casino
from libs.rulebooks.configure import Reading
from libs.rulebooks.rulebook import Refusal, Rulebook


class RakeBounds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Basis points; `zero`: charging nothing is allowed too."""

    rule: str
    min: int
    max: int
    zero: bool


class PokerRulebook(Rulebook, frozen=True, forbid_unknown_fields=True, kw_only=True):
    variant: Variant
    rake_bounds: dict[str, RakeBounds]
    entry_stack_rule: str = ""
    """Rule by which nobody plays with less than a big blind."""
    session_hours_rule: str = ""
    """Rule by which a session table says when it opens and closes; empty: it may go on until staff close it."""
    small_blind_other_than_half_needs_reason: bool = False
    raise_cap_structures: dict[str, int]
    """Structures with a raise cap, and its default."""
    small_blind_is_half_rule: str = ""
    """Rule by which the small blind is half the big one and nothing else; empty: it may differ."""
    minimum_of_table_max: RakeBounds | None = None
    """Part of a nominal maximum of the table that its minimum is, in basis points."""
    field_practice: tuple[str, ...] = ()
    """Rules in it that stand in no official text seen: enough for play money at most (pt-217-2007 S.1)."""


def read(rulebook: PokerRulebook, values: dict[str, Any]) -> Reading:
    """For `configure`: the poker configuration of these values, and what does not go together in them."""
    values["raise_cap"] = _raise_cap(rulebook, values)
    fields = {name: value for name, value in values.items() if name != "mode"}
    if values.get("mode") == "session":
        fields |= {"in_sessions": True, "registered_only": True}  # pt-811-2015 6.b; pt-217-2007 74
    filled = {**rulebook.names, "variant": rulebook.variant, **fields}
    return lambda: grouped(PokerConfiguration, filled), _at_odds(rulebook, values)


def _raise_cap(rulebook: PokerRulebook, values: dict[str, Any]) -> int | None:
    default = rulebook.raise_cap_structures.get(values["structure"])
    return values["raise_cap"] if values["raise_cap"] is not None else default


def _at_odds(rulebook: PokerRulebook, values: dict[str, Any]) -> list[Refusal]:
    """What single fields cannot tell: values that do not go together."""

    def refuse(field: str, reason: str, rule: str | None = None) -> None:
        refusals.append(Refusal(field, rulebook.ref(rule or rulebook.fields[field].rule), reason))

    refusals: list[Refusal] = []
    big, small = values["big_blind"], values["small_blind"]
    if small > big:
        refuse("small_blind", "must be at most the big blind")
    half = max(1, big // 2)
    if rulebook.small_blind_other_than_half_needs_reason and small != half and not values["small_blind_reason"]:
        refuse("small_blind_reason", "must say why the small blind is not half of the big blind")
    bounds = rulebook.rake_bounds[values["rake_mode"]]
    rate = values["rake_bp"]
    if not bounds.min <= rate <= bounds.max and not (bounds.zero and rate == 0):
        refuse("rake_bp", f"must be {bounds.min} to {bounds.max} basis points", bounds.rule)
    if values["raise_cap"] is not None and values["structure"] not in rulebook.raise_cap_structures:
        refuse("raise_cap", "belongs to structures that count raises")
    if values["buy_in_max"] < values["buy_in_min"]:
        refuse("buy_in_max", "must be at least buy_in_min")
    entry = values["buy_in_min"]
    if values["rake_mode"] == "buy_in":
        entry -= part_of(entry, max(rate, 0))
    if entry < (big if values.get("entry_stack", "big_blind") == "big_blind" else 1):
        refuse("buy_in_min", "less commission must be at least the big blind", rulebook.entry_stack_rule)
    if values["top_up_to"] < entry:
        refuse("top_up_to", "must be at least the smallest stack to enter with")
    if values.get("single_blind") and small:
        refuse("small_blind", "must be 0 where there is a single blind")
    if 0 < values.get("straddle", 0) < 2 * big:
        refuse("straddle", "must be at least two big blinds, or 0 for none")
    if values.get("ante", 0) and values.get("big_blind_ante", 0):
        refuse("big_blind_ante", "stands in place of an ante from everybody")
    if rulebook.small_blind_is_half_rule and 2 * small != big:
        refuse("small_blind", "must be half the big blind, which is even", rulebook.small_blind_is_half_rule)
    refusals += _beside_maximum(rulebook, values)
    refusals += [Refusal(field, rulebook.ref(rule), why) for field, rule, why in at_odds_in_casino(values)]
    if rulebook.field_practice and values["kind"] == "real":
        refuse("kind", f"must be demo without the official text of {', '.join(rulebook.field_practice)}", "S.1")
    for field in _hours_missing(rulebook, values):
        refuse(field, "is missing: a session table says when it opens and closes", rulebook.session_hours_rule)
    if values["kind"] == "real" and not values["approval"]:
        refuse("approval", "is needed for real money")
    return refusals


def _hours_missing(rulebook: PokerRulebook, values: dict[str, Any]) -> list[str]:
    if not rulebook.session_hours_rule or values["mode"] != "session":
        return []
    return [field for field in ("opens_at", "closes_at") if values[field] is None]


def _beside_maximum(rulebook: PokerRulebook, values: dict[str, Any]) -> list[Refusal]:
    """The minimum as a part of the nominal maximum, where there is one (pt-217-2007 20)."""
    bounds, most = rulebook.minimum_of_table_max, values.get("table_max")
    if bounds is None or most is None or bounds.min * most <= BASIS_POINTS * values["big_blind"] <= bounds.max * most:
        return []
    reason = f"must make the minimum {bounds.min // 100} % to {bounds.max // 100} % of it"
    return [Refusal("table_max", rulebook.ref(bounds.rule), reason)]
