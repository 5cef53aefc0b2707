"""Why a table of baccarat refuses a command, beside what any table refuses, with the rule of pt-812-2015 behind it."""

from enum import StrEnum


class BaccaratReason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    NO_COUP = "no_coup"
    """No coup is open."""
    WRONG_ROUND = "wrong_round"
    """The command names another coup than the one that is open."""
    BETTING_IS_CLOSED = "betting_is_closed"
    """The betting period is over."""
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
    ABOVE_STACK = "above_stack"
    """The player has fewer chips."""
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
    NO_STAKE = "no_stake"
    """Only a player with a stake may ask for the cards."""
    DEALT_BY_THE_CLOCK = "dealt_by_the_clock"
    """At a table for many the clock deals, not a player."""
    BANK_TOO_SMALL = "bank_too_small"
    """The bank could not pay all seats at their limits."""


_RULES: dict[str, str] = {
    BaccaratReason.WRONG_ROUND: "2.c",
    BaccaratReason.BETTING_IS_CLOSED: "27",
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
    BaccaratReason.NO_STAKE: "28",
    BaccaratReason.DEALT_BY_THE_CLOCK: "28",
    "version_not_newer": "D.3",
    "table_full": "4",
    "no_such_seat": "6.a",
}


def rule_of(reason: str) -> str | None:
    """Number of the rule; None: a house rule of ours."""
    return _RULES.get(reason)
