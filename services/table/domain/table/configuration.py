"""What an operator chose for one table, whatever is played on it; each game adds its own fields."""

from typing import Literal

import msgspec

Kind = Literal["real", "demo", "tournament"]
"""What is played for: money, play money, or tournament chips, which are neither."""


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """Amounts are minor units of `currency`, times milliseconds; every field is inside the bounds of its rulebook.

    A game extends it in `domain/games/<game>/configuration.py`; `game` says which one a written configuration is of.
    """

    game: str = "poker"
    """Folder of the game. The default is what journals hold that were written when there was no other."""
    rulebook: str
    version: int
    approval: str
    currency: str
    kind: Kind
    seats: int
    buy_in_min: int
    buy_in_max: int
    top_up_to: int
    break_ms: int
    reservation_ms: int
    reentry_ms: int
    chat: Literal["off", "hold", "block"] = "off"
    """What becomes of messages while a round runs: withheld until it is over, or never delivered."""
    warning_limit: int = 0
    """So many warnings for conduct in a game, and the player leaves; 0: staff decide."""
    slow_warning_limit: int = 0
    """So many decisions let run out; 0: no warnings."""
    offer_ms: int = 60_000
    """How long a seat is kept for who is next on the list."""
    registered_only: bool = False
    """Only who has registered may play (pt-811-2015 6.b)."""
    seats_by_draw: bool = False
    """The first seats are drawn by lot among the registered (pt-217-2007 11)."""
    in_sessions: bool = False
    """Played in sessions rather than continuously (pt-217-2007 74)."""
    opens_at: int | None = None
    closes_at: int | None = None
    """Hours of a session table, fixed in advance (pt-811-2015 6.b)."""
    limits_notice_ms: int = 0
    """Between the announcement of other limits and the first hand with them (pt-217-2007 22)."""
    close_after_ms: int | None = None
    """How long a table may stand suspended for want of players (pt-217-2007 24); None: for ever."""
    tournament: str = ""
    """Whose table it is: stacks are chips of this tournament, and only it seats and takes off; empty: a cash table."""

    @property
    def least_players(self) -> int:
        """Fewest with whom a round starts."""
        return 1

    @property
    def regulation(self) -> str:
        """What rule references start with: `pt-811-2015`."""
        return self.rulebook

    @property
    def played_seats(self) -> int:
        """Seats that are played, from 1 on; those above stay closed."""
        return self.seats

    def commission_on(self, amount: int) -> int:
        """What the house keeps of a buy-in or top-up, minor units; 0 unless the game takes its part there."""
        return 0

    def rule_of(self, reason: str) -> str | None:
        """Number of the rule behind a refusal under this table's regulation; None: a house rule of ours."""
        return None
