"""Gains and losses of the session that still runs, from the wallet's statements (pt-811-2015 66)."""

from typing import Any

from pydantic import BaseModel, TypeAdapter


class Total(BaseModel):
    """Minor units of `currency`; `result` is what was won less what was staked and paid as commission on buy-ins."""

    currency: str
    staked: int
    won: int
    rake: int
    commission: int
    hands: int
    result: int | None = None


class Session(BaseModel):
    start: int
    end: int | None
    totals: list[Total]


_STATEMENTS = TypeAdapter(list[Session])


def session_so_far(statements: Any) -> Session | None:
    """Finished hands of the running session; None when none runs. ValidationError for what are no statements."""
    running = next((session for session in _STATEMENTS.validate_python(statements) if session.end is None), None)
    for total in running.totals if running else ():
        total.result = total.won - total.staked - total.commission
    return running
