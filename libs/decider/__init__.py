"""The shape of every deciding service: a pure `decide`, a pure `evolve`, and the value that refuses a command.

A decider knows no clock, dice, network or await. What it needs of the world arrives in `Given`: the time of the
command record, who asks, and fresh entropy, all of which leave in the events (journal 5), so that a replay is exact.
"""

from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from libs.contracts.messages import Principal

StateT = TypeVar("StateT")
EventT = TypeVar("EventT")
FreshT_co = TypeVar("FreshT_co", covariant=True)
CommandT_contra = TypeVar("CommandT_contra", contravariant=True)
FreshT_contra = TypeVar("FreshT_contra", contravariant=True)


class Rejected(msgspec.Struct, frozen=True):
    """A move against the rules: a value, never an exception. Journalled as a commit without events (journal 4)."""

    reason: str
    """Closed, lower-case reason of the aggregate's `rejections.py`, e.g. `above_max`."""
    rule: str | None = None
    """`<regulation>#<ref>` that the command breaks, e.g. `pt-811-2015#24.b`; None for a house rule of ours."""
    detail: str = ""
    """One sentence for people. It never names a card that the sender may not see."""


class Standstill(msgspec.Struct, frozen=True):
    """The house decided nothing between these moments, as far as its signs of life tell; milliseconds since the epoch.

    What was asked meanwhile lies in the log and is decided afterwards, by its own time.
    """

    since: int
    until: int
    is_known: bool = True
    """False: nobody knows how long it was; `since` is when the stream was last decided on."""


class Given(msgspec.Struct, Generic[FreshT_co], frozen=True):
    """What the world hands to one decision."""

    now: int
    """Time of the command record, milliseconds since the epoch (UTC)."""
    fresh: FreshT_co
    """Fresh entropy for this decision only; a draw whose commit turns out void is never used again."""
    by: Principal
    """Who asks."""
    stood: Standstill | None = None
    """The last standstill that this stream lived through, where one is known; like entropy it comes from the owner."""


class Decided(msgspec.Struct, Generic[StateT, EventT], frozen=True):
    """What a command causes: its events, the state after each, and what has to be sealed beside them."""

    events: Sequence[EventT] = ()
    states: Sequence[StateT] = ()
    """One for each event: what was folded while deciding is what counts once the log confirms it."""
    secret: Any = None
    """A deck or shoe that starts with one of these events; it travels in the commit, not in an event; never printed."""


class Decider(Protocol[StateT, CommandT_contra, EventT, FreshT_contra]):
    """One aggregate's rules. All three methods are pure."""

    def initial(self, stream: str) -> StateT: ...

    def decide(
        self, state: StateT, command: CommandT_contra, given: Given[FreshT_contra]
    ) -> Decided[StateT, EventT] | Rejected:
        """What the command causes (no event: accepted, nothing to do), or the one reason why not."""
        ...

    def evolve(self, state: StateT, event: EventT) -> StateT:
        """Takes any event that ever happened and does not argue."""
        ...
