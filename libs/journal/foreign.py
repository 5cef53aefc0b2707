"""Records that nobody of this house wrote: counted, told, and passed by."""

import logging
import time
from collections.abc import Callable, Sequence

import msgspec

from libs.contracts.topics import WRITERS
from libs.journal.log import LogRecord
from libs.journal.marks import Marking, Place, writer_of
from libs.telemetry.figures import counter

_log = logging.getLogger(__name__)
_COUNTED = counter("croupier_foreign_records")
_QUIET_S = 1.0
_quiet_until: dict[Place, float] = {}


class Foreign(msgspec.Struct, frozen=True):
    """One record, or a whole batch that can't be read."""

    topic: str
    partition: int
    offset: int
    why: str
    writer: str = ""
    """Who of this house it says has written it; empty: it names nobody that we know."""
    time: int = 0
    """The broker's, milliseconds since the epoch."""
    count: int = 1


Tell = Callable[[Foreign], None]


def noticed(foreign: Foreign) -> None:
    """Counts each, and logs one a second of a partition: a flood of them must not become a flood of lines."""
    _COUNTED.labels(foreign.topic, foreign.writer).inc(foreign.count)
    now, place = time.monotonic(), (foreign.topic, foreign.partition)
    if now < _quiet_until.get(place, 0.0):
        return
    _quiet_until[place] = now + _QUIET_S
    fields = {name: getattr(foreign, name) for name in ("topic", "partition", "offset", "why", "writer", "count")}
    _log.critical("a foreign record is passed by", extra={**fields, "written_at": foreign.time})


class Judge:
    """What of one partition is ours."""

    __slots__ = ("_marks", "_place", "_tell", "_told")

    def __init__(self, marks: Marking, place: Place, tell: Tell = noticed) -> None:
        self._marks = marks
        self._place = place
        self._tell = tell
        self._told = -1

    def true(self, records: Sequence[LogRecord]) -> list[LogRecord]:
        """Those with a valid mark; the others are told of, each once however often it is read."""
        found = []
        for record in records:
            why = self._marks.why_foreign(self._place, record)
            if why is None:
                found.append(record)
            else:
                self.foreign(record.offset, why, writer_of(record.headers), record.timestamp)
        return found

    def foreign(self, offset: int, why: str, writer: str = "", at: int = 0, count: int = 1) -> None:
        if offset > self._told:
            self._told = offset + count - 1
            self._tell(Foreign(*self._place, offset, why, writer if writer in WRITERS else "", at, count))
