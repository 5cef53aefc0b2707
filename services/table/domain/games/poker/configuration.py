"""What follows from an operator's choices for a poker table; they stand in `libs/contracts/poker_configuration.py`."""

from libs.contracts import poker_configuration as chosen
from libs.money.rates import part_of
from services.table.domain.games.poker.rejections import rule_of


class PokerConfiguration(chosen.PokerConfiguration):
    @property
    def least_players(self) -> int:
        return self.entry.min_players

    @property
    def acts_for_the_absent(self) -> bool:
        return self.timing.timer_action == "act"

    @property
    def regulation(self) -> str:
        """`pt-811-2015` of the rulebook `pt-811-2015-omaha`: what rule references start with."""
        if self.dealing.mixed:  # the rulebook names one variant and the hand may be of the other (pt-217-2007 23)
            return self.rulebook.rsplit("-", 1)[0]
        return self.rulebook.removesuffix(f"-{self.variant}")

    @property
    def least_stack(self) -> int:
        """Who has less is not dealt in (pt-811-2015 15; `one_chip` is the practice of the field)."""
        return self.betting.big_blind if self.entry.stack == "big_blind" else 1

    @property
    def played_seats(self) -> int:
        return self.entry.open_seats or self.seats

    @property
    def rakes_pots(self) -> bool:
        return self.rake.mode == "pot"

    def commission_on(self, amount: int) -> int:
        """pt-811-2015 17.b: in buy-in mode a part of every buy-in and top-up."""
        return part_of(amount, self.rake.bp) if self.rake.mode == "buy_in" else 0

    def rule_of(self, reason: str) -> str | None:
        return rule_of(reason, self.regulation, self.betting.structure)
