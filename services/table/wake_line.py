"""What wakes the tables of one process: their timers, and the line that the commands go out on."""

from collections.abc import Callable

from libs.contracts.messages import CommandMessage
from libs.contracts.topics import partition_of
from libs.journal.log import Log, OutRecord
from libs.journal.out_line import OutLine
from libs.journal.tasks import together
from services.table.domain.table.state import Table
from services.table.domain.table.waking import moved_at, next_wake
from services.table.timers import Timers

_PATIENCE_S = 5.0


class WakeLine:
    """`plan` is told of every confirmed state; `commands` is the topic that wakes are sent to."""

    def __init__(self, log: Log, commands: str, now: Callable[[], int], patience_s: float = _PATIENCE_S) -> None:
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
