"""A rulebook as read from its file: fields with bounds, the rule behind each, and a digest of all of it.

`Refusal` says why a configuration is outside of it.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

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


class Rulebook(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Data, not code paths: what a regulation fixes and what it leaves to the operator; a game may add to it."""

    game: str = "poker"
    """Folder of the game it is for, under `services/table/domain/games`."""
    id: str
    regulation: str = ""
    """Id of the regulation, what rule references start with; empty: none has this game."""
    title: str
    source: str
    demo_rule: str = ""
    """Rule by which play money is never worth anything; empty: that of the field `kind`."""
    example: dict[str, Any]
    """A configuration that opens a table: what must be said, and a little of what may be."""
    fields: dict[str, FieldRule]
    refused: dict[str, str]
    """Values that the regulation has no room for, with the rule."""
    enabled: bool = True
    disabled_rule: str = ""
    """Why no table can be opened, when it is not enabled."""
    digest: str
    """Hex SHA-256 of the canonical JSON of all the rest but the example."""

    @property
    def names(self) -> dict[str, str]:
        """What it gives every configuration beside the values of its fields."""
        return {"rulebook": self.id, "regulation": self.regulation}

    def ref(self, rule: str) -> str | None:
        """`pt-811-2015#17.a`; None without a regulation."""
        return f"{self.regulation}#{rule}" if self.regulation else None


def canonical_digest(data: dict[str, Any]) -> str:
    """Hex SHA-256 over JSON with sorted keys, no blanks, UTF-8."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Refusal:
    """`field` is outside the rulebook; `rule` is `<regulation>#<ref>`, None without a regulation."""

    field: str
    rule: str | None
    reason: str

    def __str__(self) -> str:
        return f"{self.field} {self.reason}" + (f" ({self.rule})" if self.rule else "")
