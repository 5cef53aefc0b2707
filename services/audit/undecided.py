"""Commands of persons that were passed over: no commit, answer or parked record says what became of them.

Where the house stands, nothing is passed over: only once it has decided what was asked a good while later is a command
looked for. What is looked for is searched in the log, whoever has heard it.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import msgspec

from libs.contracts.messages import Reply
from libs.contracts.texts import is_clean
from libs.journal.commit import Commit
from libs.journal.log import Log, LogRecord, OffsetOutOfRange
from libs.journal.marks import writer_of
from services.audit.verifying.findings import Finding, Kind

LATER_MS = 15_000
"""So much later another command was asked that is decided already."""
SETTLES_S = 5.0
"""Who begins anew reads both at once: so long it may take until the first of them lies in the journal, too."""
OLDEST_MS = 12 * 3_600_000
"""Answers lie for a day: of what is older nothing can be said."""
_MOST = 5_000
"""Of a partition; where more waits the oldest are forgotten, and that is told. What is answered waits no more."""
_EARLY = 20_000
"""Ids of what was answered or decided last, whose commands are perhaps read after it."""
_AT_ONCE = 500
_PAGE = 500
_WAIT_MS = 500


class Open(NamedTuple):
    """A command that nothing is heard of yet."""

    partition: int
    offset: int
    id: bytes
    stream: str
    time: int
    """When the broker took it in, milliseconds."""


_NONE: OrderedDict[int, Open] = OrderedDict()


class Undecided:
    """Of one service."""

    def __init__(
        self, log: Log, service: str, replies: Sequence[tuple[str, int]], parked: str, commands: str, since: int,
        now: Callable[[], float] = time.monotonic, clock: Callable[[], float] = time.time,
    ) -> None:  # fmt: skip
        """`replies`: all partitions of them. `since`: when this house was made, milliseconds: what was asked before was
        answered in another one. `now`: seconds of a clock that nobody sets; `clock`: seconds since the epoch."""
        self._log = log
        self._service = service
        self._replies = replies
        self._parked = parked
        self._commands = commands
        self._since = since
        self._now = now
        self._clock = clock
        self._open: dict[int, OrderedDict[int, Open]] = {}
        """By partition, and by offset in the order of reading."""
        self._waits: dict[bytes, set[Open]] = {}
        """The same by id; what is sent again has several."""
        self._forgotten: set[int] = set()
        """Partitions of which some were since it was told."""
        self._passed: OrderedDict[Open, float] = OrderedDict()
        """Since when it is known that a later one was decided."""
        self._answered: OrderedDict[bytes, None] = OrderedDict()
        """Also those that nothing is heard of yet."""
        self._reached: dict[int, tuple[int, int]] = {}
        """By partition, the latest of what was asked and is decided: its offset and time."""

    def asked(self, command: Open) -> None:
        too_old = command.time < max(self._since, self._clock() * 1000 - OLDEST_MS)
        held = self._open.setdefault(command.partition, OrderedDict())
        if too_old or command.id in self._answered or command.offset in held:
            return
        held[command.offset] = command
        self._waits.setdefault(command.id, set()).add(command)
        self._pass_over(command)
        if len(held) > _MOST:
            self._forget(next(iter(held.values())))
            self._forgotten.add(command.partition)

    def many(self, partition: int) -> bool:
        """Whether more than half as much is open there as is kept."""
        return len(self._open.get(partition, _NONE)) > _MOST // 2

    def answered(self, reply: Reply) -> None:
        self._heard(reply.command_id.bytes)

    def committed(self, partition: int, commit: Commit) -> None:
        """A valid commit of this house's own commands."""
        self._heard(commit.command_id)
        held = self._open.get(partition, _NONE)
        if (decided := held.get(commit.command_offset)) is not None:
            self._forget(decided)
        reached = commit.command_offset, commit.command_time
        self._reached[partition] = max(self._reached.get(partition, reached), reached, key=lambda each: each[1])
        for each in held.values():
            if not self._pass_over(each):
                break

    def ripe(self) -> list[Open]:
        """What may have been passed over, if all of the journal is judged; of the others it is known by now."""
        ripe = self._now() - SETTLES_S
        return [each for each, since in self._passed.items() if since <= ripe][:_AT_ONCE]

    def forgotten(self) -> list[Finding]:
        """Partitions in which more was open since the last time than is kept."""
        found, self._forgotten = self._forgotten, set()
        detail = f"more than {_MOST} commands of persons wait here: what becomes of the oldest is not looked at"
        return [Finding(Kind.NOT_DECIDED, self._commands, detail, None, self._commands, each) for each in sorted(found)]

    async def lost(self, suspects: Sequence[Open]) -> list[Finding]:
        """Of those that no commit names: what the log has no answer of either. Each is told once."""
        if not suspects:
            return []
        since = min(each.time for each in suspects) - 1_000
        ids = {each.id for each in suspects}
        for place in self._replies:
            ids -= await self._found(place, since, self._answers)
        if ids:
            parked = await self._found((self._parked, 0), since, self._set_aside)
            ids -= {each.id for each in suspects if (each.partition, each.offset) in parked}
        self.settled(suspects)
        return [self._finding(each) for each in suspects if each.id in ids]

    def settled(self, commands: Iterable[Open]) -> None:
        """What became of them is known."""
        for each in commands:
            self._forget(each)

    async def _found(self, place: tuple[str, int], since: int, what: Callable[[LogRecord], object]) -> set[object]:
        reader = await self._log.reader(*place)
        found: set[object] = set()
        try:
            position, end = await reader.since(since), await reader.end()
            while position < end:
                fetched = await reader.read(position, _PAGE, _WAIT_MS)
                found.update(map(what, fetched.records))
                position = fetched.position
        except OffsetOutOfRange:
            pass  # retention has taken it meanwhile
        finally:
            await reader.close()
        return found

    def _answers(self, record: LogRecord) -> object:
        if writer_of(record.headers) != self._service:
            return None  # other services write here, too, and answer nothing of this one's
        try:
            return Reply.decoded(record.value or b"").command_id.bytes
        except msgspec.MsgspecError:
            return None

    def _set_aside(self, record: LogRecord) -> object:
        said = {name: (value or b"").decode(errors="replace") for name, value in record.headers}
        if said.get("parked-topic") != self._commands:
            return None
        try:
            return int(said.get("parked-partition", "")), int(said.get("parked-offset", ""))
        except ValueError:
            return None

    def _finding(self, command: Open) -> Finding:
        detail = "what a person asked was passed over: others were decided after it, and it has no commit and no answer"
        place = (self._commands, command.partition, command.offset)
        return Finding(Kind.NOT_DECIDED, named(command.stream), detail, None, *place)

    def _pass_over(self, command: Open) -> bool:
        offset, at = self._reached.get(command.partition, (-1, 0))
        if offset < command.offset or at < command.time + LATER_MS:
            return False
        self._passed.setdefault(command, self._now())
        return True

    def _heard(self, command_id: bytes) -> None:
        self.settled(tuple(self._waits.get(command_id, ())))
        self._answered[command_id] = None
        if len(self._answered) > _EARLY:
            self._answered.popitem(last=False)

    def _forget(self, command: Open) -> None:
        self._passed.pop(command, None)
        if command not in (same := self._waits.get(command.id, set())):
            return
        same.remove(command)
        if not same:
            del self._waits[command.id]
        self._open.get(command.partition, _NONE).pop(command.offset, None)


def named(stream: str) -> str:
    """As it may stand in what people read."""
    return stream if is_clean(stream) else "?"
