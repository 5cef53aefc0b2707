"""Wakes tables when something of theirs is due. It remembers nothing that the state does not tell.

`Timers` say when, `WakeLine` is told of states and sends the commands.
"""

import asyncio
import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass

from libs.contracts.commands import message_of
from libs.contracts.messages import CommandMessage, Principal, command_id_at
from libs.contracts.table_commands import WakeTable
from libs.contracts.topics import partition_of
from libs.journal.log import Log, OutRecord
from libs.journal.out_line import OutLine
from libs.journal.tasks import together
from services.table.domain.table.state import Table
from services.table.domain.table.waking import moved_at, next_wake

Send = Callable[[CommandMessage], None]
"""Hands a command over for good: a queue that retries, never a call that may fail."""
FRESH_MS = 60_000
"""A wake later than this is stamped with the present: with its due time it could have expired (journal 13)."""
OUTAGE_MS = 1_000
"""A state planned this long after it was due was left lying by a house that was down (pt-811-2015 45)."""
RETRY_MS = 1_000
"""A wake that changed nothing (it was lost, or came a hair too early) is sent again after this."""
LOOK_MS = 1_000
"""The clock is looked at this often while anything waits: it may have been set since."""


class Timers:
    """A heap of (due, table) for the partitions that this process owns.

    `plan` is told the due time of every confirmed state. Two owners send the same wake with the same id: the second
    is a duplicate, so nobody acts for a player twice.
    """

    def __init__(self, send: Send, now: Callable[[], int]) -> None:
        self._send = send
        self._now = now
        self._heap: list[tuple[int, str]] = []
        self._due: dict[str, _Due] = {}
        self._found: dict[str, int] = {}
        """Each table's version when this process first saw it."""
        self._changed = asyncio.Event()
        self._waits_for: float = math.inf
        """When `run` looks again by itself, milliseconds since the epoch."""
        self._began = self._looked_at = now()

    def plan(self, table: str, version: int, due: int | None, moved_at: int | None = None) -> None:
        """`due` (milliseconds since the epoch) of the table's state at `version`; None: nothing to wait for.

        `moved_at`: when the table's running round last moved, where that matters. One that moved before this process
        began was left lying by a house that stood still, so the table is woken at once. Only the round as it was found:
        our clock may be ahead of the log's, and what moves after that seems old for a while.
        """
        as_found = self._found.setdefault(table, version) == version
        if as_found and moved_at is not None and moved_at < self._began:
            self._plan(table, _Due(self._began, version, outage=True))
            return
        if due is None:
            self._due.pop(table, None)
            return
        known = self._due.get(table)
        if known is not None and (known.due, known.version) == (due, version):
            return
        # A confirmed state is planned at once; one that was due long ago was left by a house that stood still. What
        # such a wake makes is new: where that seems old, too, our clock is ahead, and time would start anew for ever.
        outage = due < self._now() - OUTAGE_MS and not (known is not None and known.outage)
        self._plan(table, _Due(due, version, outage))

    def _plan(self, table: str, what: "_Due") -> None:
        self._due[table] = what
        self._push(table, what, what.due)
        if what.due < self._waits_for:
            self._changed.set()

    def _push(self, table: str, what: "_Due", at: int) -> None:
        what.at = at
        heapq.heappush(self._heap, (at, table))

    def forget(self, gone: Callable[[str], bool]) -> None:
        """Another process owns those tables now."""
        for table in [table for table in self._found if gone(table)]:
            self._due.pop(table, None)
            del self._found[table]

    def ring(self) -> int:
        """Sends every wake that is due now, and tells the time that it took for now."""
        now = self._now()
        if now < self._looked_at:
            self._plan_anew()
        self._looked_at = now
        while self._heap and self._heap[0][0] <= now:
            at, table = heapq.heappop(self._heap)
            self._wake(table, at, now)
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
        for table, what in self._due.items():
            self._push(table, what, what.due)

    def _wake(self, table: str, at: int, now: int) -> None:
        known = self._due.get(table)
        if known is None or at != known.at:
            return  # of a state that is no more
        # What is refused again and again (a commit too large, a fault of ours) must not fill the process.
        self._push(table, known, now + RETRY_MS * 2 ** min(max(0, known.attempts - 3), 4))
        wake = wake_command(table, known, now)
        known.attempts += 1
        self._send(wake)


@dataclass(slots=True)
class _Due:
    due: int
    version: int
    outage: bool
    attempts: int = 0
    at: int = 0
    """The one place in the heap that counts."""


def wake_command(table: str, what: _Due, now: int) -> CommandMessage:
    """The same id from every owner that wakes the table in time and has attempted it as often.

    One that seems late is stamped with the present and with its due time in turn: our clock may be ahead, and an id
    from the future is refused as an expired one is.
    """
    stamp = what.due if now - what.due < FRESH_MS or what.attempts % 2 else now
    return message_of(
        WakeTable(due=what.due, outage=what.outage),
        id=command_id_at(stamp, table, str(what.version), "wake", str(what.attempts)),
        stream=table,
        by=Principal("timer", "table"),
    )


class WakeLine:
    """`plan` is told of every confirmed state; `commands` is the topic that wakes are sent to."""

    def __init__(self, log: Log, commands: str, now: Callable[[], int], patience_s: float = 5.0) -> None:
        self._commands = commands
        self._line = OutLine(log, patience_s)
        self._timers = Timers(self._send, now)

    def plan(self, table: str, state: Table, version: int) -> None:
        """`Hooks.on_state` of the tables' runners."""
        self._timers.plan(table, version, next_wake(state), moved_at(state))

    def forget(self, partition: int) -> None:
        """Another process owns its tables now."""
        self._timers.forget(lambda table: partition_of(table) == partition)

    async def run(self) -> None:
        """Until cancelled."""
        await together(self._timers.run(), self._line.run())

    async def abandon(self) -> None:
        await self._line.abandon()

    def _send(self, wake: CommandMessage) -> None:
        self._line.put(OutRecord(self._commands, wake.stream.encode(), wake.encoded()))
