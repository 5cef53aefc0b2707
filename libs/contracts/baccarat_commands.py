"""Commands of baccarat (pt-812-2015-baccarat), beside those of any table against the house."""

from enum import StrEnum
from typing import Literal

from libs.contracts.commands import Amount, PlayerCommand
from libs.contracts.facts import Round

Chance = Literal["ponto", "banca", "empate", "par_ponto", "par_banca"]


class PlaceStake(PlayerCommand):
    """`amount` more on `chance`, until the betting closes (9, 10)."""

    path = "/stakes"
    summary = "Place a bet at baccarat"
    example = {"round": 42, "chance": "banca", "amount": 2_000}
    chance: Chance
    amount: Amount
    round: Round | None = None
    """Null: the coup that is open, or opens with it."""


class WithdrawStake(PlayerCommand):
    """`amount` off `chance`, before the betting closes."""

    path = "/stakes/withdraw"
    summary = "Take a bet back"
    example = {"round": 42, "chance": "banca", "amount": 1_000}
    round: Round
    chance: Chance
    amount: Amount | None = None
    """Null: all of it."""


class BaccaratReason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    NO_PAIR_BETS = "no_pair_bets"
    """The table takes no bets on pairs."""
    STAKE_BELOW_MINIMUM = "stake_below_minimum"
    """The player's total on this chance is below `min_bet`."""
    STAKE_ABOVE_MAXIMUM = "stake_above_maximum"
    """The player's total on Ponto or Banca is above `max_ponto_banca`."""
    TIE_ABOVE_MAXIMUM = "tie_above_maximum"
    """The player's total on the tie is above `max_tie`."""
    PAIR_ABOVE_MAXIMUM = "pair_above_maximum"
    """The player's total on a pair is above `max_pair`."""
    SIDES_TOO_CLOSE = "sides_too_close"
    """Bets on both Ponto and Banca must differ by at least `min_bet`."""
    PAIR_WITHOUT_MAIN_BET = "pair_without_main_bet"
    """A bet on a pair needs one on Ponto, Banca or the tie."""
    ABOVE_PRIZE_LIMIT = "above_prize_limit"
    """The table's stakes on Ponto and Banca would differ by more than the prize limit."""
    TIE_ABOVE_PRIZE_LIMIT = "tie_above_prize_limit"
    """All stakes on the tie would be above a tenth of the prize limit."""
    PAIR_ABOVE_PRIZE_LIMIT = "pair_above_prize_limit"
    """All stakes on one pair would be above 8 % of the prize limit."""
    NOT_STAKED = "not_staked"
    """The player has less, or nothing, on this chance."""
