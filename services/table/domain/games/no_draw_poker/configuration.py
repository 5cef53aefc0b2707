"""What follows from the choices for no-draw poker that stand in `libs/contracts/no_draw_poker_configuration.py`."""

import msgspec

from libs.cards.ranking import Category
from libs.contracts import no_draw_poker_configuration as chosen
from services.table.domain.games.no_draw_poker.rejections import rule_of

BET_IN_ANTES = 2
"""The second bet is twice the ante, never more or less (pt-803-2015 2.f, 23)."""
MAX_SEATS = 7
"""pt-803-2015 6.a."""


class NoDrawConfiguration(chosen.NoDrawConfiguration):
    def rule_of(self, reason: str) -> str | None:
        return rule_of(reason)

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
