"""A rulebook as read from its file: fields with bounds, the rule behind each, and a digest of all of it."""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

_HERE = Path(__file__).parent


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FieldRule(_Data):
    """One value of a table's configuration. `default` beginning with `=` copies another field."""

    rule: str
    type: Literal["int", "str", "bool"]
    required: bool = False
    nullable: bool = False
    default: int | str | bool | None = None
    allowed: list[int | str | bool | None] | None = None
    pattern: str | None = None
    min: int | None = None
    max: int | None = None


class RakeBounds(_Data):
    """Basis points; `zero`: charging nothing is allowed too."""

    rule: str
    min: int
    max: int
    zero: bool


class Rulebook(_Data):
    id: str
    regulation: str
    title: str
    source: str
    variant: Literal["omaha"]
    fields: dict[str, FieldRule]
    refused: dict[str, str] = Field(description="values that the regulation has no room for, with the rule")
    rake_bounds: dict[str, RakeBounds]
    entry_stack_rule: str = Field(description="rule by which nobody plays with less than a big blind")
    small_blind_other_than_half_needs_reason: bool
    raise_cap_structures: dict[str, int] = Field(description="structures with a raise cap, and its default")
    digest: str = Field(description="hex SHA-256 of the canonical JSON of all the rest")

    def ref(self, rule: str) -> str:
        """`pt-811-2015#17.a`."""
        return f"{self.regulation}#{rule}"


def canonical_digest(data: dict[str, Any]) -> str:
    """Hex SHA-256 over JSON with sorted keys, no blanks, UTF-8."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def read_rulebook(path: Path) -> Rulebook:
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    return Rulebook.model_validate({**data, "digest": canonical_digest(data)})


@cache
def rulebooks() -> dict[str, Rulebook]:
    """All rulebooks by id; read once. A file that is none stops the process."""
    found = (read_rulebook(path) for path in sorted(_HERE.glob("*.yaml")))
    return {rulebook.id: rulebook for rulebook in found}
