"""Why a table of baccarat refuses a command, beside what any table refuses, with the rule of pt-812-2015 behind it."""

from libs.contracts.baccarat_commands import BaccaratReason

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
