"""Public events of a table, whatever is played on it: one fact a record, only ever added to. No unseen card is in any.

Amounts are minor units of `currency` (cents). Cards are two characters, rank then suit (`Th`). Seats are numbered
clockwise from 1. `position` is a card's place in the shuffled deck, 0 the top; `proof` ties a shown card to the root
that was published before the first card. What a game tells stands in `<game>_events.py`; `registry.py` has them all.
"""

from typing import Literal

from libs.contracts.any_configuration import AnyConfiguration
from libs.contracts.configurations import Kind
from libs.contracts.facts import Chips, Moment, Part, Position, Seat, TableEvent

Notice = Literal["below_minimum", "absent", "break_over", "idle"]
LeaveReason = Literal["player", "below_minimum", "absent", "break_over", "removed", "table_closed", "inactivity"]

ENTROPY_UNHEALTHY = "entropy_unhealthy"
"""Why the house pauses a table by itself: the random source failed its health test."""


class TableOpened(TableEvent):
    """A table is open under a rulebook and this configuration."""

    name: str
    configuration: AnyConfiguration
    rulebook_hash: str


class ConfigurationAnnounced(TableEvent):
    """A newer version is to come: it is in force when no hand runs (pt-811-2015 17)."""

    configuration: AnyConfiguration
    rulebook_hash: str
    by: str
    holds_from: Moment = 0
    """First millisecond at which a hand may start under it (22)."""


class ConfigurationActivated(TableEvent):
    """In force from the next hand on; version and approval reference stand in it (pt-811-2015 enact.3)."""

    configuration: AnyConfiguration
    rulebook_hash: str
    by: str


class TablePaused(TableEvent):
    """By staff, or by the `house` for `entropy_unhealthy`: nothing is dealt from a source that failed its test."""

    by: str
    reason: str


class TableResumed(TableEvent):
    """Play goes on after a pause."""

    by: str


class TableSuspended(TableEvent):
    """Fewer than two players in play (pt-811-2015 7)."""


class TableClosing(TableEvent):
    """The hand in progress is the last one."""

    by: str
    reason: str


class TableClosed(TableEvent):
    """Nobody is seated any more, and nothing follows at this table."""


class SeatReserved(TableEvent):
    """A seat is kept while the wallet reserves the buy-in."""

    reservation: str
    player: str
    seat: Seat
    amount: Chips
    currency: str
    until: Moment


class SeatReleased(TableEvent):
    """A reservation ended without a seat; the wallet gives the reserved funds back."""

    reservation: str
    player: str
    seat: Seat
    currency: str
    reason: Literal["lapsed", "reserve_refused", "cancelled", "table_closing"]


class PlayerSeated(TableEvent):
    """`reservation` names the sitting from here on, and its reserve at the wallet."""

    reservation: str
    player: str
    seat: Seat
    amount: Chips
    commission: Chips
    stack: Chips
    currency: str
    kind: Kind
    rulebook: str


class TopUpRequested(TableEvent):
    """A player asked for more chips."""

    top_up: str
    reservation: str
    player: str
    seat: Seat
    amount: Chips
    currency: str


class TopUpDue(TableEvent):
    """No hand runs: the funds may be asked for (pt-811-2015 11.b)."""

    top_up: str
    reservation: str
    player: str
    seat: Seat
    amount: Chips
    currency: str


class TopUpFunded(TableEvent):
    """The funds are reserved while a hand runs: the chips come when it is over (pt-811-2015 11.b)."""

    top_up: str
    reservation: str
    player: str
    seat: Seat
    amount: Chips
    currency: str


class TopUpAdded(TableEvent):
    """Chips were added to a stack."""

    top_up: str
    reservation: str
    player: str
    seat: Seat
    amount: Chips
    commission: Chips
    stack: Chips
    currency: str
    rulebook: str


class TopUpFailed(TableEvent):
    """A top-up came to nothing; its reserved funds go back."""

    top_up: str
    reservation: str
    player: str
    seat: Seat
    currency: str
    reason: Literal["reserve_refused", "above_ceiling", "left", "table_closing"]


class PlayerSatOut(TableEvent):
    """The player is not dealt in from the next round on."""

    player: str
    seat: Seat
    reason: Literal["player", "break", "timeout"]
    until: Moment | None = None


class PlayerSatIn(TableEvent):
    """Who sat out is back."""

    player: str
    seat: Seat
    posts_big_blind: bool


class PlayerInvitedToLeave(TableEvent):
    """The player should leave, or be sent home after a warning (pt-811-2015 70)."""

    player: str
    seat: Seat
    reason: Notice


class PlayerWarned(TableEvent):
    """The last warning before the player is sent home (pt-811-2015 71)."""

    player: str
    seat: Seat
    reason: Notice


class ConnectionLost(TableEvent):
    """Of a seated player, as the gateway sees it: the game goes on (pt-803-2015-no-draw 34)."""

    player: str
    seat: Seat


class ConnectionRestored(TableEvent):
    """Of a seated player, as the gateway sees it."""

    player: str
    seat: Seat


class LeaveRequested(TableEvent):
    """The player goes at the next turn or after the hand; `removed` by staff, with who and why (pt-811-2015 11.g)."""

    player: str
    seat: Seat
    reason: Literal["player", "removed"] = "player"
    by: str = ""
    cause: str = ""


class PlayerLeft(TableEvent):
    """The player has gone; `stack` goes home to the wallet."""

    reservation: str
    player: str
    seat: Seat
    stack: Chips
    currency: str
    reason: LeaveReason


class DeckCard(Part):
    """A card in the open, with what proves that it lay at `position` before the hand began."""

    position: Position
    card: str
    salt: str
    proof: list[str]
