"""What follows from the choices for no-draw poker that stand in `libs/contracts/no_draw_poker_configuration.py`."""

import msgspec

from libs.cards.ranking import Category
from libs.contracts import no_draw_poker_configuration as chosen
from libs.contracts.bank_commands import BankedReason
from libs.contracts.no_draw_poker_commands import NoDrawReason

BET_IN_ANTES = 2
"""The second bet is twice the ante, never more or less (pt-803-2015 2.f, 23)."""


_RULES: dict[str, str] = {
    BankedReason.WRONG_ROUND: "2.e",
    BankedReason.BETTING_IS_CLOSED: "14",
    BankedReason.NO_ROUND: "2.e",
    NoDrawReason.ANTE_BELOW_MINIMUM: "16",
    NoDrawReason.ANTE_ABOVE_MAXIMUM: "16",
    BankedReason.ABOVE_STACK: "20.b",
    BankedReason.NO_STAKE: "2.a",
    BankedReason.DEALT_BY_THE_CLOCK: "15",
    NoDrawReason.TOO_LATE: "32",
    NoDrawReason.BET_IS_TWICE_THE_ANTE: "2.f",
    "already_seated": "6.a",
    "no_such_seat": "6.a",
    "table_full": "4",
    "not_this_game": "FP-3",
}
"""By reason the rule of pt-803-2015; what is not here is a house rule of ours, or any table's."""


class NoDrawConfiguration(chosen.NoDrawConfiguration):
    def rule_of(self, reason: str) -> str | None:
        return _RULES.get(reason)

    @property
    def least_stake(self) -> int:
        return self.betting.min_ante

    def pays(self, category: Category) -> int:
        """What a winning second bet pays, to 1, the stake returned beside it (12)."""
        multiple: int = getattr(self.paytable, category)
        return multiple

    def bet_of(self, ante: int) -> int:
        return BET_IN_ANTES * ante

    @property
    def worst_seat(self) -> int:
        """The most that the bank can lose to one seat in one round: the ante once, the second bet at its dearest."""
        dearest: int = max(msgspec.structs.astuple(self.paytable))
        return self.betting.max_ante * (1 + BET_IN_ANTES * dearest)

    @property
    def worst_case(self) -> int:
        """What the bank has to be able to lose in one round with every seat taken."""
        return self.seats * self.worst_seat
