"""What follows from an operator's choices for baccarat; they stand in `libs/contracts/baccarat_configuration.py`."""

from libs.contracts import baccarat_configuration as chosen
from libs.contracts.baccarat_commands import BaccaratReason, Chance
from libs.contracts.bank_commands import BankedReason
from services.table.domain.games.baccarat.paying import PAYS

_TIE_PART, _PAIR_PART = (10, 100), (8, 100)
"""Of the prize limit (43.b, 43.c)."""


_RULES: dict[str, str] = {
    BankedReason.WRONG_ROUND: "2.c",
    BankedReason.BETTING_IS_CLOSED: "27",
    BaccaratReason.NO_PAIR_BETS: "10",
    BaccaratReason.STAKE_BELOW_MINIMUM: "2.b",
    BaccaratReason.STAKE_ABOVE_MAXIMUM: "15.a",
    BaccaratReason.TIE_ABOVE_MAXIMUM: "15.b",
    BaccaratReason.PAIR_ABOVE_MAXIMUM: "15.c",
    BaccaratReason.SIDES_TOO_CLOSE: "13",
    BaccaratReason.PAIR_WITHOUT_MAIN_BET: "10",
    BaccaratReason.ABOVE_PRIZE_LIMIT: "43.a",
    BaccaratReason.TIE_ABOVE_PRIZE_LIMIT: "43.b",
    BaccaratReason.PAIR_ABOVE_PRIZE_LIMIT: "43.c",
    BankedReason.NO_STAKE: "28",
    BankedReason.DEALT_BY_THE_CLOCK: "28",
    "version_not_newer": "D.3",
    "table_full": "4",
    "no_such_seat": "6.a",
}
"""By reason the rule of pt-812-2015; what is not here is a house rule of ours, or any table's."""


class BaccaratConfiguration(chosen.BaccaratConfiguration):
    def rule_of(self, reason: str) -> str | None:
        return _RULES.get(reason)

    @property
    def least_stake(self) -> int:
        return self.betting.min_bet

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
