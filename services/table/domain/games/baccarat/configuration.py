"""What an operator chose for one table of baccarat; every field inside the bounds of its rulebook."""

from typing import Literal

from services.table.domain.games.baccarat.paying import PAYS, Chance, CommissionMode
from services.table.domain.games.baccarat.rejections import rule_of
from services.table.domain.table.configuration import Configuration

MIN_BEHIND_CUT = 5
"""A coup that starts with one card more than these may need six (FP-1)."""
_TIE_PART, _PAIR_PART = (10, 100), (8, 100)
"""Of the prize limit (43.b, 43.c)."""


class BaccaratConfiguration(Configuration, frozen=True, kw_only=True):
    """Amounts are minor units of `currency`, times milliseconds; see the public contract."""

    game: str = "baccarat"
    approved_on: str
    """Date of the regulator's approval, ISO 8601; the reference is `approval` (D.3)."""
    variant: Literal["ponto-e-banca", "macau"]
    """What differs is the limits alone (39)."""
    mode: Literal["single", "multi"]
    """pt-812-2015 4."""
    decks: int
    cut_cards: int
    """So many cards lie behind the cut card (FP-1)."""
    burn_cards: int
    """So many of a fresh shoe are laid aside unseen; none, unless the specific rules say so (FP-2)."""
    shuffle_every_coup: bool
    min_bet: int
    max_ponto_banca: int | None = None
    """Limits of a player's total on each chance; None in the Macau variant (15, 40)."""
    max_tie: int | None = None
    max_pair: int | None = None
    pair_bets: bool
    pair_requires_main_bet: bool
    prize_limit: int | None = None
    """Macau variant: what rule 43 measures the table's stakes against (41)."""
    commission_mode: CommissionMode
    betting_ms: int | None
    """How long bets may be placed; None: a single player deals himself (27, 28)."""
    resume_ms: int
    """A coup that a failure keeps waiting this long is void (29)."""
    between_rounds_ms: int
    idle_ms: int
    """Single table: longer without a bet, and the player is invited to end the session (35.a)."""
    idle_rounds: int
    """Table for many: more rounds in a row without a bet (35.b)."""
    idle_warning_ms: int
    """Single table: from warning to end (36)."""

    @property
    def regulation(self) -> str:
        return self.rulebook.removesuffix("-macau")

    def rule_of(self, reason: str) -> str | None:
        return rule_of(reason)

    def most_on(self, chance: Chance) -> int | None:
        """The limit of one player's total on `chance`; None: unlimited."""
        if chance == "empate":
            return self.max_tie
        return self.max_ponto_banca if chance in ("ponto", "banca") else self.max_pair

    @property
    def tie_limit(self) -> int:
        """Most on the tie by all players together, under a prize limit (43.b)."""
        return _part(self.prize_limit, _TIE_PART)

    @property
    def pair_limit(self) -> int:
        """Most on each of the pairs by all players together, under a prize limit (43.c)."""
        return _part(self.prize_limit, _PAIR_PART)

    @property
    def worst_case(self) -> int | None:
        """The most that the bank can lose in one round, all seats at their limits; None: nothing limits it (40).

        A tie returns the stakes on Ponto and Banca, so they and the tie are never paid together; both pairs can be.
        """
        if self.prize_limit is not None:
            return _dearest(self.prize_limit, self.tie_limit, self.pair_limit if self.pair_bets else 0)
        if self.max_ponto_banca is None or self.max_tie is None or self.max_pair is None:
            return None
        return self.seats * _dearest(self.max_ponto_banca, self.max_tie, self.max_pair if self.pair_bets else 0)


def _part(amount: int | None, part: tuple[int, int]) -> int:
    assert amount is not None, "there is a prize limit"
    return amount * part[0] // part[1]


def _dearest(side: int, tie: int, pair: int) -> int:
    return max(side * PAYS["ponto"], tie * PAYS["empate"]) + pair * (PAYS["par_ponto"] + PAYS["par_banca"])
