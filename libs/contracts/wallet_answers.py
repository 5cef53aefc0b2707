"""What the wallet answers about a player's money, and the gateway passes on."""

from typing import Annotated

from pydantic import Field

from libs.contracts.documents import Document
from libs.contracts.wallet_commands import Book

BEHIND = "croupier-books-behind"
"""Header of an answer about accounts: records of the log that the process which answers has not booked, or `unknown`.
"""
LATEST = 2**61
SessionsBefore = Annotated[
    int,
    Field(ge=0, le=LATEST, description="sessions that started before it; the `start` of the last shown: the next page"),
]
Sessions = Annotated[int, Field(ge=1, le=500, description="of sessions, at most so many")]


class AccountBalance(Document):
    """`available` at the wallet, `at_tables` in stacks and in transit; minor units."""

    player: str
    currency: str
    kind: Book
    available: int
    at_tables: int


class RoundNotCounted(Document):
    """A round against the house that did not count: what was staked came back (pt-803-2015-no-draw 39)."""

    round: int
    staked: int
    refunded: int
    at: int


class StatementPart(Document):
    """One sitting. Minor units; times in milliseconds since the epoch, `end` None while it lasts.

    Against the house `won` is all that was credited, stakes that came back included, `commission_on_wins` off it
    already; void rounds stand apart and in no sum.
    """

    table: str
    reservation: str
    currency: str
    start: int
    end: int | None
    brought: int
    staked: int
    won: int
    rake: int
    """From pots; off `won` already."""
    commission_on_wins: int = 0
    commission: int
    """Of buy-ins and top-ups."""
    fees: int = 0
    """Charges of a table's sessions: out of free money, and not the stack (pt-217-2007 7.b)."""
    tips: int = 0
    """Out of the stack into the slot for tips (pt-217-2007 9.d)."""
    returned: int | None
    result: int | None
    """What left the table less what was brought and less `fees`, by which the player's money changed: all else that
    was taken is inside it. None while it lasts."""
    hands: int
    hands_void: int
    rounds_void: list[RoundNotCounted] = Field(default_factory=list)


class StatementTotal(Document):
    """All parts in one currency."""

    currency: str
    brought: int
    staked: int
    won: int
    rake: int
    commission_on_wins: int = 0
    commission: int
    fees: int = 0
    tips: int = 0
    returned: int
    result: int | None
    hands: int


class SessionStatement(Document):
    """One session: from the first table opened to the last one left, without a gap (2.s)."""

    player: str
    start: int
    end: int | None
    totals: list[StatementTotal]
    parts: list[StatementPart]
