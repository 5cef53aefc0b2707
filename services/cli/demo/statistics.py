"""What the demo counts while it runs, and how it sums it up."""

import time
from collections import Counter
from dataclasses import dataclass, field


def percentile(values: list[float], share: float) -> float:
    """Nearest-rank percentile; 0.0 of nothing."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@dataclass(slots=True)
class Kill:
    """One SIGKILL: which hands ran, and what became of them."""

    at: float
    hands: dict[str, int]
    """Table to the number of the hand or round in progress."""
    back_after_s: float | None = None
    """Seconds from the kill to the next accepted act."""
    finished: set[str] = field(default_factory=set)
    voided: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Statistics:
    started: float = field(default_factory=time.monotonic)
    hands: Counter[str] = field(default_factory=Counter)
    rounds: Counter[str] = field(default_factory=Counter)
    """Rounds against the house, beside the hands of poker."""
    voided: int = 0
    acts: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    rejections: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    running: dict[str, int] = field(default_factory=dict)
    """Table to the hand or round in progress there."""
    left: int = 0
    returned: int = 0
    lag: int | None = None
    ledger_sum: int | None = None
    kill: Kill | None = None

    @property
    def total_hands(self) -> int:
        return sum(self.hands.values())

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self.started

    def answered(self, verdict: str, reason: str | None, seconds: float) -> None:
        """An act came back."""
        self.acts += 1
        self.verdicts[verdict] += 1
        self.seconds.append(seconds)
        if reason:
            self.rejections[reason] += 1
        if verdict == "accepted" and self.kill is not None and self.kill.back_after_s is None:
            asked_after_kill = time.monotonic() - seconds >= self.kill.at
            if asked_after_kill:
                self.kill.back_after_s = time.monotonic() - self.kill.at

    def refused(self, reason: str | None) -> None:
        """A seat or a top-up was refused; bots try again."""
        self.rejections[reason or "unknown"] += 1

    def hand_started(self, table: str, hand: int) -> None:
        self.running[table] = hand

    def hand_ended(self, table: str, hand: int, void: bool) -> None:
        self.hands[table] += 1
        self._over(table, hand, void)

    def round_ended(self, table: str, number: int, void: bool) -> None:
        self.rounds[table] += 1
        self._over(table, number, void)

    def _over(self, table: str, hand: int, void: bool) -> None:
        self.voided += void
        self.running.pop(table, None)
        if self.kill is not None and self.kill.hands.get(table) == hand:
            (self.kill.voided if void else self.kill.finished).add(table)
