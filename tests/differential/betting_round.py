"""The betting of one round told from the acts alone: what a difference is judged by, without asking either side."""

from dataclasses import dataclass, field

from tests.differential.setting import Setting


@dataclass
class BettingRound:
    setting: Setting
    street: str
    alive: int
    bet: int = 0
    level: int = 0
    """Fixed limit: height of the last full bet (pt-811-2015 38)."""
    full: int = 0
    """Size of the last full bet or raise, at least the minimum bet."""
    rises: list[int] = field(default_factory=list)
    short_all_ins: int = 0
    full_raises: int = 0
    capped: bool = False
    answered: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Bet and level by seat when it last acted."""

    def __post_init__(self) -> None:
        self.full = self.minimum
        if self.street == "preflop":
            self.bet = self.level = self.setting.opening_bet

    @property
    def minimum(self) -> int:
        """The least full bet or raise of the round."""
        if self.setting.fixed_limit:
            return self.setting.big * (2 if self.street in ("turn", "river") else 1)
        return self.setting.opening_bet if self.street == "preflop" else self.setting.big

    def acted(self, seat: int, act: str, to: int | None) -> None:
        if act == "fold":
            self.alive -= 1
        if to is not None:
            self._raised(to)
        self.answered[seat] = (self.bet, self.level)

    def _raised(self, to: int) -> None:
        rise = to - self.bet
        fixed = self.setting.fixed_limit
        is_full = 2 * (to - self.level) >= self.minimum if fixed else rise >= self.full
        opened = self.level > 0 if fixed else self.bet > 0
        if is_full:
            self.level = to
            self.full = max(self.full, rise)
            self.full_raises += opened
            self._count(opened)
        else:
            self.short_all_ins += 1
        self.rises.append(rise)
        self.bet = to

    def _count(self, opened: bool) -> None:
        cap = self.setting.raise_cap
        if cap is not None and opened and self.full_raises >= cap:
            self.capped |= not (self.setting.lifted_heads_up and self.alive == 2)

    def since_answer(self, seat: int) -> tuple[int, int] | None:
        """By how much bet and level rose since the seat acted; None when it has not acted yet."""
        if seat not in self.answered:
            return None
        bet, level = self.answered[seat]
        return self.bet - bet, self.level - level
