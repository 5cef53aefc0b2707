"""A rulebook as read from its file: fields with bounds, the rule behind each, and a digest of all of it."""

import hashlib
import json
from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

from libs.cards.games import Variant

Value = int | str | bool | None
_HERE = Path(__file__).parent


class FieldRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One value of a table's configuration. `default` beginning with `=` copies another field."""

    rule: str
    type: Literal["int", "str", "bool"]
    required: bool = False
    nullable: bool = False
    default: Value = None
    allowed: tuple[Value, ...] | None = None
    pattern: str | None = None
    min: int | None = None
    max: int | None = None


class RakeBounds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Basis points; `zero`: charging nothing is allowed too."""

    rule: str
    min: int
    max: int
    zero: bool


class Rulebook(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Data, not code paths: what a regulation fixes and what it leaves to the operator."""

    id: str
    regulation: str
    title: str
    source: str
    variant: Variant
    fields: dict[str, FieldRule]
    refused: dict[str, str]
    """Values that the regulation has no room for, with the rule."""
    rake_bounds: dict[str, RakeBounds]
    entry_stack_rule: str
    """Rule by which nobody plays with less than a big blind."""
    small_blind_other_than_half_needs_reason: bool
    raise_cap_structures: dict[str, int]
    """Structures with a raise cap, and its default."""
    digest: str
    """Hex SHA-256 of the canonical JSON of all the rest."""

    def ref(self, rule: str) -> str:
        """`pt-811-2015#17.a`."""
        return f"{self.regulation}#{rule}"


def canonical_digest(data: dict[str, Any]) -> str:
    """Hex SHA-256 over JSON with sorted keys, no blanks, UTF-8."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def read_rulebook(path: Path) -> Rulebook:
    """ValidationError for a file that is no rulebook."""
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    return msgspec.convert({**data, "digest": canonical_digest(data)}, Rulebook)


def _read_all() -> dict[str, Rulebook]:
    found = (read_rulebook(path) for path in sorted(_HERE.glob("*.yaml")))
    return {rulebook.id: rulebook for rulebook in found}


RULEBOOKS: dict[str, Rulebook] = _read_all()
"""All rulebooks by id, read when the process starts; a file that is none stops it."""
