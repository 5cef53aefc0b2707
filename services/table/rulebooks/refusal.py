"""Why a configuration is outside its rulebook."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """`field` is outside the rulebook; `rule` is `<regulation>#<ref>`."""

    field: str
    rule: str
    reason: str

    def __str__(self) -> str:
        return f"{self.field} {self.reason} ({self.rule})"
