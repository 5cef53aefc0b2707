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


def sessions_in(statements: Any) -> list[Session]:
    """Newest first; ValidationError for what are no statements.

    A running total's `result` is that of finished hands and rounds; an ended one has what came home less what was
    brought.
    """
    sessions = _STATEMENTS.validate_python(statements)
    for session in sessions:
        for total in session.totals:
            if session.end is None or total.result is None:
                total.result = total.won - total.staked - total.commission
    return sessions


def session_so_far(sessions: list[Session]) -> Session | None:
    """The running session; None when none runs."""
    return next((session for session in sessions if session.end is None), None)


def last_session(sessions: list[Session]) -> Session | None:
    """The latest session, over or not."""
    return sessions[0] if sessions else None
