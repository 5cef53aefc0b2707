"""One stream on its way through a runner: commands waiting, commits in flight, the tip that the next chains on."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Generic

import msgspec
from opentelemetry.trace import Span

from libs.contracts.messages import CommandMessage
from libs.journal.commit import Commit
from libs.journal.fold import PartitionFold, Step
from libs.journal.machine import CommandT, EventT, StateT


@dataclass(slots=True, eq=False)
class Open(Generic[CommandT]):
    """A command that was read and has no known verdict yet."""

    id: bytes
    offset: int
    time: int
    """The broker's log time, milliseconds."""
    message: CommandMessage
    command: CommandT
    traceparent: str
    arrived: float
    """Loop time, seconds: for the latency figure only."""
    span: Span | None = None
    """From its arrival to its answer, where somebody records it; `traceparent` is this span's then."""
    reply_to: int | None = None
    """Partition of the replies where the answer is heard; None: that of the stream."""


@dataclass(slots=True, eq=False)
class Flight(Generic[StateT, CommandT, EventT]):
    """A commit without a verdict."""

    open: Open[CommandT]
    commit: Commit
    raw: bytes
    digest: bytes
    steps: Sequence[Step[StateT, EventT]]
    state: StateT
    """Optimistic state after it."""
    drew: bool
    sent: bool = False
    settled: bool = False


class Tip(msgspec.Struct, Generic[StateT], frozen=True):
    """What the next decision of a stream stands on."""

    version: int
    prev: bytes
    time: int
    state: StateT
    high_water: int
    """Highest command offset of this source that is decided or in flight; -1 for none."""


@dataclass(slots=True, eq=False)
class Lane(Generic[StateT, CommandT, EventT]):
    stream: str
    waiting: deque[Open[CommandT]] = field(default_factory=deque)
    flying: dict[bytes, Flight[StateT, CommandT, EventT]] = field(default_factory=dict)
    """By command id, in the order of sending."""
    void: list[Open[CommandT]] = field(default_factory=list)
    """Commands of void commits, until everything in flight has its verdict (journal 8)."""
    frozen: bool = False

    @property
    def idle(self) -> bool:
        return not (self.waiting or self.flying or self.void)

    def tip(self, fold: PartitionFold[StateT, EventT], source: str) -> Tip[StateT]:
        """The last commit in flight, or the confirmed head."""
        head = fold.head(self.stream)
        if not self.flying:
            return Tip(head.version, head.prev, head.time, fold.state(self.stream), head.high_water.get(source, -1))
        last = self.flying[next(reversed(self.flying))]
        return Tip(
            last.commit.version,
            last.digest,
            max(head.time, last.commit.command_time),
            last.state,
            max(head.high_water.get(source, -1), last.commit.command_offset),
        )

    def put_back(self, commands: list[Open[CommandT]]) -> None:
        """Re-queues commands in command order, newer ones behind them (journal 8)."""
        merged = sorted([*commands, *self.waiting], key=lambda command: command.offset)
        self.waiting = deque(merged)


AnyFlight = Flight[Any, Any, Any]
