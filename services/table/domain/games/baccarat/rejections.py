"""Why a table of baccarat says no, beside what any table refuses, with the rule of pt-812-2015 behind it."""

from enum import StrEnum


class BaccaratReason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    NO_COUP = "no_coup"
    WRONG_ROUND = "wrong_round"
    BETTING_IS_CLOSED = "betting_is_closed"
    NO_PAIR_BETS = "no_pair_bets"
    STAKE_BELOW_MINIMUM = "stake_below_minimum"
    STAKE_ABOVE_MAXIMUM = "stake_above_maximum"
    TIE_ABOVE_MAXIMUM = "tie_above_maximum"
    PAIR_ABOVE_MAXIMUM = "pair_above_maximum"
    ABOVE_STACK = "above_stack"
    SIDES_TOO_CLOSE = "sides_too_close"
    PAIR_WITHOUT_MAIN_BET = "pair_without_main_bet"
    ABOVE_PRIZE_LIMIT = "above_prize_limit"
    TIE_ABOVE_PRIZE_LIMIT = "tie_above_prize_limit"
    PAIR_ABOVE_PRIZE_LIMIT = "pair_above_prize_limit"
    NOT_STAKED = "not_staked"
    NO_STAKE = "no_stake"
    DEALT_BY_THE_CLOCK = "dealt_by_the_clock"
    BANK_TOO_SMALL = "bank_too_small"


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
