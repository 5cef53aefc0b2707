"""A rulebook as read from its file: fields with bounds, the rule behind each, and a digest of all of it."""

import hashlib
import json
from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

from libs.cards.games import Variant

Value = int | str | bool | None


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

    game: str = "poker"
    """Folder of the game it is for, under `services/table/domain/games`."""
    id: str
    regulation: str
    title: str
    source: str
    variant: Variant | None = None
    demo_rule: str = ""
    """Rule by which play money is never worth anything; empty: that of the field `kind`."""
    fields: dict[str, FieldRule]
    refused: dict[str, str]
    """Values that the regulation has no room for, with the rule."""
    rake_bounds: dict[str, RakeBounds] = {}
    entry_stack_rule: str = ""
    """Rule by which nobody plays with less than a big blind."""
    small_blind_other_than_half_needs_reason: bool = False
    raise_cap_structures: dict[str, int] = {}
    """Structures with a raise cap, and its default."""
    small_blind_is_half_rule: str = ""
    """Rule by which the small blind is half the big one and nothing else; empty: it may differ."""
    minimum_of_table_max: RakeBounds | None = None
    """Part of a nominal maximum of the table that its minimum is, in basis points."""
    enabled: bool = True
    disabled_rule: str = ""
    """Why no table can be opened, when it is not enabled."""
    field_practice: tuple[str, ...] = ()
    """Rules in it that stand in no official text seen: enough for play money at most (pt-217-2007 S.1)."""
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
