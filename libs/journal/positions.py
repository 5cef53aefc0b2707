"""How far a group has come, under a mark of its own service; and where an owner begins if nothing true says it.

Group offsets are no records: who may join a group may commit any. So each bears, in what is written beside it, a mark
over group, topic, partition, offset and signs, of a key that the broker's login does not bring (journal 12).
"""

from collections.abc import Awaitable, Callable
from typing import Protocol

import msgspec

from libs.journal.log import LogRecord
from libs.journal.mark_keys import POSITIONS
from libs.journal.marks import HEADER, Marking, MayNotWrite
from libs.journal.telling import POSITION_MOVED, Telling
from libs.sealing.key_files import BadKey

NO_MARK = "it has no mark of this house"
BEYOND = "it lies beyond the end"
BACK_MS = 120_000
"""Before the last decided command older ones may be open: void ones, and policies' that were put off (at most a minute,
`libs/journal/again.py`). What lies so much before it is read again, and known."""
DAYS_MS = 72 * 3_600_000
"""So long policies look back: ids are functions of the event, and no service remembers or decides older ones."""


class Position(msgspec.Struct, frozen=True):
    offset: int
    """What comes next; everything below it is answered."""
    at: int = 0
    """When its owner wrote it, milliseconds since the epoch."""
    sign: int | None = None
    """The owner's sign of life (`signs.py`), milliseconds; None: it gives none."""


class Found(msgspec.Struct, frozen=True):
    """What the group says."""

    position: Position | None = None
    """None: there is none, or none that counts."""
    offset: int | None = None
    """As it stands there, true or not."""


class Decided(msgspec.Struct, frozen=True):
    """The highest command of one source that a valid commit names, with its effective time. -1: none is known."""

    offset: int = -1
    time: int = 0


class Moved(msgspec.Struct, frozen=True):
    """A group's offset was not the house's own, and was not believed."""

    group: str
    topic: str
    partition: int
    offset: int
    began: int
    why: str

    def __str__(self) -> str:
        place = f"{self.topic}/{self.partition}"
        return f"{self.group} stood at {self.offset} of {place}: {self.why}; its owner began at {self.began}"

    @property
    def telling(self) -> Telling:
        """For the auditor."""
        return Telling(POSITION_MOVED, (self.topic, self.partition), self.offset, self.group.encode(), str(self))


class Bounded(Protocol):
    """As much of a reader as is asked."""

    async def end(self) -> int: ...
    async def since(self, ms: int) -> int: ...


Otherwise = Callable[[Bounded, int], Awaitable[int]]
"""Where to begin without a true position, given a reader and the log's end."""


def beside(marks: Marking, group: str, topic: str, partition: int, position: Position) -> str:
    """What is written beside the offset. Raises `MayNotWrite`."""
    said = _said(topic, position)
    headers = marks.marked((POSITIONS, partition), group.encode(), said, ())
    mark = headers[-1][1].decode() if headers else ""
    return f"{position.at} {'-' if position.sign is None else position.sign} {mark}"


def check_key(marks: Marking) -> None:
    """Raises `BadKey` where this process could write no position that counts."""
    try:
        beside(marks, "", "", 0, Position(0))
    except MayNotWrite:
        raise BadKey(f"the file of marks has no key of {POSITIONS}: run `croupier marks hand-out`") from None


def found(marks: Marking, group: str, topic: str, partition: int, offset: int | None, text: str) -> Found:
    """`offset`: as the group has it; None: it has none. What bears no true mark counts as none."""
    if offset is None:
        return Found()
    at, _, rest = text.partition(" ")
    sign, _, mark = rest.partition(" ")
    if not (_is_number(at) and (sign == "-" or _is_number(sign)) and mark.isascii()):
        return Found(None, offset)
    position = Position(offset, int(at), None if sign == "-" else int(sign))
    # At offset 0 and time 0 nothing is from before there were marks.
    record = LogRecord(0, group.encode(), _said(topic, position), ((HEADER, mark.encode()),))
    is_true = marks.why_foreign((POSITIONS, partition), record) is None
    return Found(position if is_true else None, offset)


async def begin(reader: Bounded, there: Found, otherwise: Otherwise) -> tuple[int, str | None]:
    """Where to begin, and what is wrong with what the group says; None: nothing."""
    end = await reader.end()
    if there.position is not None and there.position.offset <= end:
        return there.position.offset, None
    began = min(end, await otherwise(reader, end))
    if there.offset is None:
        return began, None
    return began, NO_MARK if there.position is None else BEYOND


def behind(decided: Decided) -> Otherwise:
    """For an owner: behind the last command that the journal knows, and what may have been open before it."""

    async def look(reader: Bounded, end: int) -> int:
        if decided.offset < 0:
            return 0
        return min(decided.offset + 1, await reader.since(decided.time - BACK_MS))

    return look


def back(now: int, lasts_ms: int = 0) -> Otherwise:
    """For policies, of a group that has an offset and no true one. `lasts_ms`: how old an event may be that they still
    answer, where that is longer than ids last (`libs/policies/handler.py`)."""

    async def look(reader: Bounded, end: int) -> int:
        return await reader.since(now - max(DAYS_MS, lasts_ms))

    return look


def _said(topic: str, position: Position) -> bytes:
    return msgspec.msgpack.encode((topic, position.offset, position.at, position.sign))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 19
