"""Everything that lies on one table, folded from its public events."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from services.audit.verifying.findings import Kind


@dataclass(slots=True)
class Chips:
    """Fold of one table. Every stack is what the *event* says it is, so that the sum is a check and not a tautology."""

    stacks: dict[str, int] = field(default_factory=dict)
    """By sitting: who left during a hand and sits down again before it ends is in it under the old one."""
    seated: dict[int, str] = field(default_factory=dict)
    in_hand: dict[int, str] = field(default_factory=dict)
    """Seat to the sitting that was dealt in there."""
    staked: dict[int, int] = field(default_factory=dict)
    won: dict[int, int] = field(default_factory=dict)
    hand: int | None = None
    last_hand: int = 0
    pot: int = 0
    hand_rake: int = 0
    rake: int = 0
    commission: int = 0
    brought: int = 0
    taken: int = 0
    events: int = 0
    hands_ended: int = 0
    hands_voided: int = 0
    round: int | None = None
    """Against the house: the round whose stakes lie on the table."""
    last_round: int = 0
    lying: dict[int, int] = field(default_factory=dict)
    """Seat to what it has staked in the round."""
    bank: int = 0
    treasury: int = 0
    """What came from the house's treasury, less what went back."""
    rounds_settled: int = 0
    rounds_voided: int = 0

    @property
    def on_table(self) -> int:
        return sum(self.stacks.values()) + self.pot + sum(self.lying.values()) + self.bank

    @property
    def accounted(self) -> int:
        return self.brought - self.taken - self.rake - self.commission + self.treasury


Complaint = tuple[Kind, str]
Step = Callable[[Chips, Any], Iterator[Complaint]]
"""What one event does to a table's chips, and what does not agree about it."""
