"""Public events of a table, whatever is played on it: one fact a record, only ever added to. No unseen card is in any.

Amounts are minor units of `currency` (cents). Cards are two characters, rank then suit (`Th`). Seats are numbered
clockwise from 1. `position` is a card's place in the shuffled deck, 0 the top; `proof` ties a shown card to the root
that was published before the first card. What a game tells stands in `<game>_events.py`; `registry.py` has them all.
"""

from typing import Literal

from libs.contracts.any_configuration import AnyConfiguration
from libs.contracts.configurations import Kind
from libs.contracts.facts import Chips, Moment, Part, Position, Round, Seat, TableEvent

Notice = Literal["below_minimum", "absent", "break_over", "idle"]
LeaveReason = Literal["player", "below_minimum", "absent", "break_over", "removed", "table_closed", "inactivity"]

ENTROPY_UNHEALTHY = "entropy_unhealthy"
"""Why the house pauses a table by itself: the random source failed its health test."""
STANDSTILL = "the house stood still longer than the resume limit"
"""Why the house voids a running round by itself (pt-811-2015 72)."""
STOPPED = "the table was stopped before the deal"
"""The same of a round whose bets are closed at a paused table (pt-803-2015 33)."""
CARDS_LOST = "the sealed cards can't be opened any more"
"""The same of one that nobody can play on."""


class TableOpened(TableEvent):
    """A table is open under a rulebook and this configuration."""

    name: str
    configuration: AnyConfiguration
    rulebook_hash: str
    by: str = ""
    """Who of the staff opened it; empty: a platform or a tournament did, or it was before 2026-11-29."""


class ConfigurationRequested(TableEvent):
    """One of the staff wants the table, which has a bank, to be played by these rules; nothing changes before another
    one approves this version. A newer request takes its place."""

    configuration: AnyConfiguration
    rulebook_hash: str
    by: str


class ConfigurationDeclined(TableEvent):
    """One of the staff declined: the version is spent, and the table goes on as it was."""

    version: int
    """Of the configuration that was asked for."""
    requested_by: str
    by: str
    reason: str


class ConfigurationAnnounced(TableEvent):
    """A newer version is to come: it is in force when no hand runs (pt-811-2015 17)."""

    configuration: AnyConfiguration
    rulebook_hash: str
    by: str
    holds_from: Moment = 0
    """First millisecond at which a hand may start under it (22)."""
    requested_by: str = ""
    """Who asked for it, where another one, `by`, had to approve."""


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
    left_out: bool | None = None
    """Of poker: whether a hand was left out meanwhile; if not, one ran or the next was not due yet. Button and blinds
    go on as if nothing had been, for who waits for the big blind, too. Null: of another game, or it was before
    2026-11-29, and the next hand began as the first one does."""


class VoidRequested(TableEvent):
    """One of the staff wants the running round (hand, coup) void; it goes on unless a second one says so, too."""

    round: Round
    cause: str
    by: str


class TableSuspended(TableEvent):
    """Fewer than two players in play (pt-811-2015 7)."""


class TableClosing(TableEvent):
    """The hand in progress is the last one."""

    by: str
    reason: str


class TableClosed(TableEvent):
    """Nobody is seated any more, and nothing follows at this table."""


class SeatEvent(TableEvent):
    """Of one player at a seat."""

    player: str
    seat: Seat


class SittingEvent(SeatEvent):
    """Of one sitting; money is of `currency`."""

    reservation: str
    currency: str


class SeatReserved(SittingEvent):
    """A seat is kept while the wallet reserves the buy-in."""

    amount: Chips
    until: Moment


class SeatReleased(SittingEvent):
    """A reservation ended without a seat; the wallet gives the reserved funds back."""

    reason: Literal["lapsed", "reserve_refused", "cancelled", "table_closing"]


class PlayerSeated(SittingEvent):
    """`reservation` names the sitting from here on, and its reserve at the wallet."""

    amount: Chips
    commission: Chips
    stack: Chips
    kind: Kind
    rulebook: str
    uncharged: int | None = None
    """Commission of the buy-in below a minor unit, in ten-thousandths of one: it counts at the sitting's next top-up.
    Null: it was before 2026-11-29, and nothing of it counts."""


class TopUpEvent(SittingEvent):
    """Of one top-up."""

    top_up: str


class TopUpRequested(TopUpEvent):
    """A player asked for more chips."""

    amount: Chips


class TopUpDue(TopUpEvent):
    """No hand runs: the funds may be asked for (pt-811-2015 11.b)."""

    amount: Chips


class TopUpFunded(TopUpEvent):
    """The funds are reserved while a hand runs: the chips come when it is over (pt-811-2015 11.b)."""

    amount: Chips


class TopUpAdded(TopUpEvent):
    """Chips were added to a stack."""

    amount: Chips
    commission: Chips
    stack: Chips
    rulebook: str
    uncharged: int | None = None
    """As of the buy-in, with what was left from before: so the commission is of all that the sitting brought."""


class TopUpFailed(TopUpEvent):
    """A top-up came to nothing; its reserved funds go back."""

    reason: Literal["reserve_refused", "above_ceiling", "left", "table_closing"]


class PlayerSatOut(SeatEvent):
    """The player is not dealt in from the next round on; at a tournament's table dealt in, and played for.

    `not_connected`: the time ran out of who has not been there since the tournament began (pt-810-2015 26)."""

    reason: Literal["player", "break", "timeout", "fee_unpaid", "not_connected"]
    until: Moment | None = None


class PlayerSatIn(SeatEvent):
    """Who sat out is back."""

    posts_big_blind: bool


class PlayerInvitedToLeave(SeatEvent):
    """The player should leave, or be sent home after a warning (pt-811-2015 70)."""

    reason: Notice


class PlayerWarned(SeatEvent):
    """The last warning before the player is sent home (pt-811-2015 71)."""

    reason: Notice


class NoticeLifted(SeatEvent):
    """The invitation or warning is off: the player decided, bet, came back or has enough again (pt-811-2015 71)."""

    reason: Notice


class ConnectionLost(SeatEvent):
    """Of a seated player, as the gateway sees it: the game goes on (pt-803-2015-no-draw 34)."""


class ConnectionRestored(SeatEvent):
    """Of a seated player, as the gateway sees it."""


class LeaveRequested(SeatEvent):
    """The player goes at the next turn or after the hand; `removed` by staff, with who and why (pt-811-2015 11.g)."""

    reason: Literal["player", "removed"] = "player"
    by: str = ""
    cause: str = ""


class PlayerLeft(SittingEvent):
    """The player has gone; `stack` goes home to the wallet."""

    stack: Chips
    reason: LeaveReason


class Refund(Part):
    """All that a sitting had in a void hand or round. Who and why: `by` and `cause` of the event."""

    seat: Seat
    player: str
    reservation: str
    amount: Chips
    stack: Chips


class RefundSent(SittingEvent):
    """What a void hand or round gives back to who had left before: it goes home to the wallet on its own.

    It is no departure: the player, or anybody, may sit at that seat again with another stack (pt-811-2015 72).
    """

    amount: Chips


class DeckCard(Part):
    """A card in the open, with what proves that it lay at `position` before the hand began."""

    position: Position
    card: str
    salt: str
    proof: list[str]
