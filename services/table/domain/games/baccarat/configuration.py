"""What follows from an operator's choices for baccarat; they stand in `libs/contracts/baccarat_configuration.py`."""

from libs.contracts import baccarat_configuration as chosen
from libs.contracts.baccarat_commands import Chance
from services.table.domain.games.baccarat.paying import PAYS
from services.table.domain.games.baccarat.rejections import rule_of

MIN_BEHIND_CUT = 5
"""A coup that starts with one card more than these may need six (FP-1)."""
_TIE_PART, _PAIR_PART = (10, 100), (8, 100)
"""Of the prize limit (43.b, 43.c)."""


class BaccaratConfiguration(chosen.BaccaratConfiguration):
    @property
    def regulation(self) -> str:
        return self.rulebook.removesuffix("-macau")

    def rule_of(self, reason: str) -> str | None:
        return rule_of(reason)

    def most_on(self, chance: Chance) -> int | None:
        """The limit of one player's total on `chance`; None: unlimited."""
        if chance == "empate":
            return self.betting.max_tie
        return self.betting.max_ponto_banca if chance in ("ponto", "banca") else self.betting.max_pair

    @property
    def tie_limit(self) -> int:
        """Most on the tie by all players together, under a prize limit (43.b)."""
        return _part(self.betting.prize_limit, _TIE_PART)

    @property
    def pair_limit(self) -> int:
        """Most on each of the pairs by all players together, under a prize limit (43.c)."""
        return _part(self.betting.prize_limit, _PAIR_PART)

    @property
    def worst_case(self) -> int | None:
        """The most that the bank can lose in one round, all seats at their limits; None: nothing limits it (40).

        A tie returns the stakes on Ponto and Banca, so they and the tie are never paid together; both pairs can be.
        """
        limits = self.betting
        if limits.prize_limit is not None:
            return _dearest(limits.prize_limit, self.tie_limit, self.pair_limit if limits.pair_bets else 0)
        if limits.max_ponto_banca is None or limits.max_tie is None or limits.max_pair is None:
            return None
        return self.seats * _dearest(limits.max_ponto_banca, limits.max_tie, limits.max_pair if limits.pair_bets else 0)


def _part(amount: int | None, part: tuple[int, int]) -> int:
    assert amount is not None, "there is a prize limit"
    return amount * part[0] // part[1]


def _dearest(side: int, tie: int, pair: int) -> int:
    return max(side * PAYS["ponto"], tie * PAYS["empate"]) + pair * (PAYS["par_ponto"] + PAYS["par_banca"])
