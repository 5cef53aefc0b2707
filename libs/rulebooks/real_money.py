"""Bounds of our own on a table that is played for money, inside what its rulebook leaves open.

A rulebook says what a regulation allows; many clocks and bets it leaves to the operator. For money no value may be such
that nobody can decide in time, that a table stands still for ever, or that a bet nobody chose takes a whole stack.
"""

from collections.abc import Iterator
from typing import Any

from libs.rulebooks.rulebook import Refusal, Rulebook

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000

LEAST_MS = {
    "decision_ms": 3 * SECOND,  # checklist GAM-1: nobody decides under 3 s
    "betting_ms": 3 * SECOND,
    "extra_ms": SECOND,
    "waiting_ms": SECOND,
    "reservation_ms": SECOND,  # the wallet answers within it, or nobody ever sits down
    "resume_ms": SECOND,  # a shorter standstill is none: every restart would void a hand
}
"""Milliseconds; what is not here has no least value but the rulebook's."""
MOST_MS = {
    "choice_ms": HOUR,
    "offer_ms": HOUR,
    "decision_ms": 10 * MINUTE,  # a hand stands for as long as one player likes, and who leaves it folds
    "time_bank_ms": 10 * MINUTE,
}
"""Milliseconds; every other length of time is a day at most."""
MOST_STRADDLE = 4
"""In big blinds."""
FIRST_VERSION_MAX = 1_000_000
"""Of a table's first configuration."""
VERSION_STEP = 1_000
"""Most that a version is above the last one: one that is as high as can be would be the last for ever."""


def why_not_for_money(rulebook: Rulebook, values: dict[str, Any]) -> list[Refusal]:
    """What is refused at a table with money at it; each value is inside its rulebook's bounds already."""
    said = (*_times(values), *_forced_bets(values))
    return [Refusal(field, rulebook.ref(rulebook.fields[field].rule), why) for field, why in said]


def _times(values: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        if not name.endswith("_ms") or value is None:
            continue
        least, most = LEAST_MS.get(name, 0), MOST_MS.get(name, DAY)
        if value < least:
            yield name, f"must be at least {least} for real money"
        elif value > most:
            yield name, f"must be at most {most} for real money"


def _forced_bets(values: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What a seat puts in by no choice of its own is at most its least buy-in, and mostly much less."""
    big, least = values.get("big_blind"), values["buy_in_min"]
    if big is None:
        return
    for name in ("ante", "big_blind_ante", "min_unit"):
        if values.get(name, 0) > big:
            yield name, "must be at most the big blind for real money"
    if values.get("straddle", 0) > MOST_STRADDLE * big:
        yield "straddle", f"must be at most {MOST_STRADDLE} big blinds for real money"
    if values.get("smallest_chip", 0) > least:
        yield "smallest_chip", "must be at most buy_in_min for real money"
    forced = values.get("ante", 0) + max(big + values.get("big_blind_ante", 0), values.get("straddle", 0))
    if forced > least:
        yield "buy_in_min", f"must be at least {forced} for real money, what a hand can ask of one seat unasked"
