"""Wakes streams when something of theirs is due. It remembers nothing that the state does not tell.

`Timers` say when, `WakeLine` is told of states and sends the commands.
"""

import asyncio
import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from libs.contracts.commands import OUTAGE_MS, Command, message_of
from libs.contracts.messages import CommandMessage, Principal, command_id_at
from libs.contracts.topics import partition_of
from libs.journal.log import Log, OutRecord
from libs.journal.out_line import OutLine
from libs.journal.tasks import together


class Wake(Protocol):
    """The command that wakes: what was due when, and whether the house stood still meanwhile."""

    def __call__(self, *, due: int, outage: bool) -> Command: ...


Send = Callable[[CommandMessage], None]
"""Hands a command over for good: a queue that retries, never a call that may fail."""
FRESH_MS = 60_000
"""A wake later than this is stamped with the present: with its due time it could have expired (journal 13)."""
RETRY_MS = 1_000
"""A wake that changed nothing (it was lost, or came a hair too early) is sent again after this."""
LOOK_MS = 1_000
"""The clock is looked at this often while anything waits: it may have been set since."""


class Timers:
    """A heap of (due, stream) for the partitions that this process owns.

    `plan` is told the due time of every confirmed state. Two owners send the same wake with the same id: the second
    is a duplicate, so nobody acts for a player twice.
    """

    def __init__(self, send: Send, now: Callable[[], int], wake: Wake) -> None:
        self._send = send
        self._now = now
        self._wake_with = wake
        self._heap: list[tuple[int, str]] = []
        self._due: dict[str, _Due] = {}
        self._known: set[str] = set()
        """Streams that this process has seen since it owns them, and that have not been put by."""
        self._changed = asyncio.Event()
        self._waits_for: float = math.inf
        """When `run` looks again by itself, milliseconds since the epoch."""
        self._looked_at = now()

    def plan(self, stream: str, version: int, due: int | None, moved_at: int | None = None) -> None:
        """`due` (milliseconds since the epoch) of the stream's state at `version`; None: nothing to wait for.

        `moved_at`: when a running round there last moved, where that matters. One that is found as another owner left
        it was left lying by a house that stood still, so the stream is woken at once, and once: what moves after that
        is ours, whatever our clock says.
        """
        as_found = stream not in self._known
        self._known.add(stream)
        if as_found and moved_at is not None:
            self._plan(stream, _Due(self._now(), version, outage=True, found=True))
            return
        known = self._due.get(stream)
        if known is not None and known.found and known.version == version and not known.attempts:
            return  # what has changed nothing keeps no wake from being sent
        if due is None:
            self._due.pop(stream, None)
            return
        if known is not None and (known.due, known.version) == (due, version):
            return
        # A confirmed state is planned at once; one that was due long ago was left by a house that stood still. What
        # such a wake makes is new: where that seems old, too, our clock is ahead, and time would start anew for ever.
        outage = due < self._now() - OUTAGE_MS and not (known is not None and known.outage)
        self._plan(stream, _Due(due, version, outage))

    def _plan(self, stream: str, what: "_Due") -> None:
        self._due[stream] = what
        self._push(stream, what, what.due)
        if what.due < self._waits_for:
            self._changed.set()

    def _push(self, stream: str, what: "_Due", at: int) -> None:
        what.at = at
        heapq.heappush(self._heap, (at, stream))

    def forget(self, gone: Callable[[str], bool]) -> None:
        """Another process owns those streams now."""
        for stream in [stream for stream in self._known if gone(stream)]:
            self._due.pop(stream, None)
            self._known.remove(stream)

    def put_by(self, stream: str) -> None:
        """It rests: when it is planned again, that is a state in which nothing runs."""
        self._due.pop(stream, None)
        self._known.discard(stream)

    def ring(self) -> int:
        """Sends every wake that is due now, and tells the time that it took for now."""
        now = self._now()
        if now < self._looked_at:
            self._plan_anew()
        self._looked_at = now
        while self._heap and self._heap[0][0] <= now:
            at, stream = heapq.heappop(self._heap)
            self._wake(stream, at, now)
        return now

    async def run(self) -> None:
        while True:
            self._changed.clear()
            now = self.ring()
            self._waits_for = min(self._heap[0][0], now + LOOK_MS) if self._heap else math.inf
            wait_s = max(0.0, self._waits_for - self._now()) / 1000
            try:
                await asyncio.wait_for(self._changed.wait(), None if math.isinf(wait_s) else wait_s)
            except TimeoutError:
                continue

    def _plan_anew(self) -> None:
        """The clock went back: plans what was to be sent again, which else would wait until the clock has caught up."""
        self._heap.clear()
        for stream, what in self._due.items():
            self._push(stream, what, what.due)

    def _wake(self, stream: str, at: int, now: int) -> None:
        known = self._due.get(stream)
        if known is None or at != known.at:
            return  # of a state that is no more
        # What is refused again and again (a commit too large, a fault of ours) must not fill the process.
        self._push(stream, known, now + RETRY_MS * 2 ** min(max(0, known.attempts - 3), 4))
        wake = wake_command(self._wake_with, stream, known, now)
        known.attempts += 1
        self._send(wake)


@dataclass(slots=True)
class _Due:
    due: int
    version: int
    outage: bool
    found: bool = False
    attempts: int = 0
    at: int = 0
    """The one place in the heap that counts."""


def wake_command(wake: Wake, stream: str, what: _Due, now: int) -> CommandMessage:
    """The same id from every owner that wakes the stream in time and has attempted it as often.

    One that seems late is stamped with the present and with its due time in turn: our clock may be ahead, and an id
    from the future is refused as an expired one is.
    """
    stamp = what.due if now - what.due < FRESH_MS or what.attempts % 2 else now
    command = wake(due=what.due, outage=what.outage)
    return message_of(
        command,
        id=command_id_at(stamp, stream, str(what.version), "wake", str(what.attempts)),
        stream=stream,
        by=Principal("timer", command.service),
    )


StateT = TypeVar("StateT")


class WakeLine(Generic[StateT]):
    """`plan` is told of every confirmed state; `commands` is the topic that wakes are sent to.

    `partitions`: of the house.
    `due`: milliseconds since the epoch of the earliest thing due in a state. `moved_at` as for `Timers.plan`.
    """

    def __init__(
        self,
        log: Log,
        commands: str,
        partitions: int,
        now: Callable[[], int],
        wake: Wake,
        due: Callable[[StateT], int | None],
        moved_at: Callable[[StateT], int | None] = lambda state: None,
        patience_s: float = 5.0,
    ) -> None:
        self._commands = commands
        self._partitions = partitions
        self._line = OutLine(log, patience_s)
        self._timers = Timers(self._send, now, wake)
        self._due = due
        self._moved_at = moved_at

    def plan(self, stream: str, state: StateT, version: int) -> None:
        """`Hooks.on_state` of the streams' runners."""
        self._timers.plan(stream, version, self._due(state), self._moved_at(state))

    def forget(self, partition: int) -> None:
        """Another process owns its streams now."""
        self._timers.forget(lambda stream: partition_of(stream, self._partitions) == partition)

    def put_by(self, stream: str) -> None:
        """`Hooks.on_put_by` of the streams' runners."""
        self._timers.put_by(stream)

    async def run(self) -> None:
        """Until cancelled."""
        await together(self._timers.run(), self._line.run())

    async def abandon(self) -> None:
        await self._line.abandon()

    def _send(self, wake: CommandMessage) -> None:
        self._line.put(OutRecord(self._commands, wake.stream.encode(), wake.encoded()))
