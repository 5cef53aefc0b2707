"""What a rulebook of poker says beside what every rulebook says: commission, caps, blinds."""

import msgspec

from libs.cards.games import Variant
from services.table.rulebooks.rulebook import Rulebook


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
    small_blind_other_than_half_needs_reason: bool = False
    raise_cap_structures: dict[str, int]
    """Structures with a raise cap, and its default."""
    small_blind_is_half_rule: str = ""
    """Rule by which the small blind is half the big one and nothing else; empty: it may differ."""
    minimum_of_table_max: RakeBounds | None = None
    """Part of a nominal maximum of the table that its minimum is, in basis points."""
    field_practice: tuple[str, ...] = ()
    """Rules in it that stand in no official text seen: enough for play money at most (pt-217-2007 S.1)."""
