"""An operator's configuration inside a rulebook's bounds, or every reason why not, each with the rule's number."""

import re
from dataclasses import dataclass
from typing import Any

import msgspec

from libs.money.rates import part_of
from services.table.domain.table.configuration import Configuration
from services.table.rulebooks.rulebook import RULEBOOKS, FieldRule, Rulebook

MAX_MONEY = 10**15
_TYPES: dict[str, type] = {"int": int, "str": str, "bool": bool}
_MAX_TEXT = 200


@dataclass(frozen=True, slots=True)
class Refusal:
    """`field` is outside the rulebook; `rule` is `<regulation>#<ref>`."""

    field: str
    rule: str
    reason: str

    def __str__(self) -> str:
        return f"{self.field} {self.reason} ({self.rule})"


def find_rulebook(rulebook_id: str) -> Rulebook | None:
    return RULEBOOKS.get(rulebook_id)


def configure(rulebook: Rulebook, asked: dict[str, Any]) -> Configuration | list[Refusal]:
    """`asked` holds configuration fields by name; `buy_in: N` is short for a fixed buy-in (pt-811-2015 8)."""
    asked = _spread_buy_in(asked)
    refusals = _unknown(rulebook, asked)
    values: dict[str, Any] = {}
    for name, field in rulebook.fields.items():
        values[name] = _value(name, field, asked, values)
        refusal = _outside(rulebook, name, field, asked, values[name])
        if refusal is not None:
            refusals.append(refusal)
    if refusals:
        return refusals
    values["raise_cap"] = _raise_cap(rulebook, values)
    refusals = _at_odds(rulebook, values)
    if refusals:
        return refusals
    values.pop("mode")
    return msgspec.convert({"rulebook": rulebook.id, "variant": rulebook.variant, **values}, Configuration)


def _spread_buy_in(asked: dict[str, Any]) -> dict[str, Any]:
    spread = dict(asked)
    if "buy_in" in spread:
        buy_in = spread.pop("buy_in")
        spread.setdefault("buy_in_min", buy_in)
        spread.setdefault("buy_in_max", buy_in)
    return spread


def _unknown(rulebook: Rulebook, asked: dict[str, Any]) -> list[Refusal]:
    refusals = [
        Refusal(name, rulebook.ref(rule), "has no place in this game")
        for name, rule in rulebook.refused.items()
        if asked.get(name)
    ]
    known = set(rulebook.fields) | set(rulebook.refused)
    house = rulebook.ref(next(iter(rulebook.fields.values())).rule)
    return refusals + [Refusal(name[:64], house, "is not known") for name in asked if name not in known]


def _value(name: str, field: FieldRule, asked: dict[str, Any], so_far: dict[str, Any]) -> Any:
    if name in asked:
        return asked[name]
    default = field.default
    if default == "half_of_big_blind":
        big = so_far.get("big_blind")
        return max(1, big // 2) if isinstance(big, int) else None
    if isinstance(default, str) and default.startswith("="):
        return so_far.get(default[1:])
    return default


def _outside(rulebook: Rulebook, name: str, field: FieldRule, asked: dict[str, Any], value: Any) -> Refusal | None:
    rule = rulebook.ref(field.rule)
    if field.required and name not in asked:
        return Refusal(name, rule, "is missing")
    if value is None:
        return None if field.nullable or name not in asked else Refusal(name, rule, "is missing")
    if type(value) is not _TYPES[field.type]:
        return Refusal(name, rule, f"must be of type {field.type}")
    if field.allowed is not None and value not in field.allowed:
        return Refusal(name, rule, f"must be one of {', '.join(map(str, field.allowed))}")
    if isinstance(value, str) and (len(value) > _MAX_TEXT or not re.fullmatch(field.pattern or ".*", value)):
        return Refusal(name, rule, "has the wrong form")
    reason = _beyond(field, value) if type(value) is int else None
    return Refusal(name, rule, reason) if reason is not None else None


def _beyond(field: FieldRule, value: int) -> str | None:
    if value > MAX_MONEY:
        return "is too large"
    if field.min is not None and value < field.min:
        return f"must be at least {field.min}"
    if field.max is not None and value > field.max:
        return f"must be at most {field.max}"
    return None


def _raise_cap(rulebook: Rulebook, values: dict[str, Any]) -> int | None:
    default = rulebook.raise_cap_structures.get(values["structure"])
    return values["raise_cap"] if values["raise_cap"] is not None else default


def _at_odds(rulebook: Rulebook, values: dict[str, Any]) -> list[Refusal]:
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
    if 0 < values.get("straddle", 0) < 2 * big:
        refuse("straddle", "must be at least two big blinds, or 0 for none")
    if values.get("ante", 0) and values.get("big_blind_ante", 0):
        refuse("big_blind_ante", "stands in place of an ante from everybody")
    if values["kind"] == "real" and not values["approval"]:
        refuse("approval", "is needed for real money")
    return refusals
