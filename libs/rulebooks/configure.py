"""An operator's configuration inside a rulebook's bounds, or every reason why not, each with the rule's number."""

import re
from collections.abc import Callable
from typing import Any

from libs.contracts.any_configuration import AnyConfiguration
from libs.money.play import PLAY_CURRENCY, fits
from libs.rulebooks.real_money import why_not_for_money
from libs.rulebooks.rulebook import FieldRule, Refusal, Rulebook

MAX_MONEY = 10**15
_TYPES: dict[str, type] = {"int": int, "str": str, "bool": bool}
_MAX_TEXT = 200

Reading = tuple[Callable[[], AnyConfiguration], list[Refusal]]
"""The configuration that values make, and what does not go together in them; made only when nothing is refused."""
Read = Callable[[Any, dict[str, Any]], Reading]
"""A game's: takes its rulebook, and values that are each inside its bounds."""


def configure(
    rulebook: Rulebook, asked: dict[str, Any], read: Read, for_money: bool = False
) -> AnyConfiguration | list[Refusal]:
    """`asked` holds configuration fields by name; `buy_in: N` is short for a fixed buy-in (pt-811-2015 8).

    `for_money`: bounded as for real money, whatever its kind says.
    """
    configuration, refusals = judged(rulebook, asked, read, for_money)
    return refusals or configuration()


def judged(rulebook: Rulebook, asked: dict[str, Any], read: Read, for_money: bool = False) -> Reading:
    """As `configure`, with nothing made: three quarters of its time."""
    asked = _in_play_money(rulebook, _spread_buy_in(asked))
    refusals = _unknown(rulebook, asked)
    values: dict[str, Any] = {}
    for name, field in rulebook.fields.items():
        values[name] = _value(name, field, asked, values)
        refusal = _outside(rulebook, name, field, asked, values[name])
        if refusal is not None:
            refusals.append(refusal)
    if not refusals and not fits(values["kind"], values["currency"]):
        refusals.append(_no_such_money(rulebook, values))
    if refusals:
        return nothing, refusals
    configuration, refusals = read(rulebook, values)
    if for_money or values["kind"] == "real":
        refusals += why_not_for_money(rulebook, values)
    return configuration, refusals


def nothing() -> AnyConfiguration:
    """Stands in a `Reading` that refuses."""
    raise AssertionError("made only when nothing is refused")


def _spread_buy_in(asked: dict[str, Any]) -> dict[str, Any]:
    spread = dict(asked)
    if "buy_in" in spread:
        buy_in = spread.pop("buy_in")
        spread.setdefault("buy_in_min", buy_in)
        spread.setdefault("buy_in_max", buy_in)
    return spread


def _in_play_money(rulebook: Rulebook, asked: dict[str, Any]) -> dict[str, Any]:
    """Play money has a currency of its own, which a demo table need not name."""
    is_demo = asked.get("kind", rulebook.fields["kind"].default) == "demo"
    return {"currency": PLAY_CURRENCY, **asked} if is_demo else asked


def _no_such_money(rulebook: Rulebook, values: dict[str, Any]) -> Refusal:
    if values["kind"] == "demo" or values["currency"] == PLAY_CURRENCY:
        rule = rulebook.demo_rule or rulebook.fields["kind"].rule
        return Refusal("currency", rulebook.ref(rule), f"must be {PLAY_CURRENCY} for play money, and only for it")
    return Refusal("currency", rulebook.ref(rulebook.fields["currency"].rule), "must be a currency of ISO 4217")


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
    if name == "currency" and value == PLAY_CURRENCY:
        return None  # Whether play money is played for is looked at once `kind` is known.
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
