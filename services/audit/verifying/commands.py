"""Every commit has its command, which this house was asked, once: what has a true mark and none was forged; and what it
tells is what was asked.

As far as the commands are still there: the broker keeps them for a week, and no younger commit names one that is gone.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple
from uuid import UUID

import msgspec

from libs.contracts.commands import Command
from libs.contracts.house import HouseCreated
from libs.contracts.messages import Principal
from libs.contracts.reading import read
from libs.contracts.topics import topic
from libs.journal.commit import Commit
from libs.journal.intake import speaks_for
from libs.journal.log import Log, LogRecord, OffsetOutOfRange
from libs.journal.marks import Marking
from services.audit.verifying.acted_for import CLOCKS_APART_MS, ActedFor
from services.audit.verifying.asked_for import told_otherwise, wish_in
from services.audit.verifying.by_itself import ByItself
from services.audit.verifying.findings import Finding, Kind

REMEMBERED = 20_000
"""Commands of one service that need not be asked for; what is older is read again."""
LATE_MS = 2 * 86_400_000
"""Where the house stood a command may be decided so long after it was asked."""
AGAIN = "its command was decided before, by the commit at offset {}"
_PAGE = 200
_WAIT_MS = 500


class _Envelope(msgspec.Struct, frozen=True):
    id: UUID
    stream: str
    principal: Principal
    correlation: str = ""
    type: str = ""
    body: msgspec.Raw = msgspec.Raw(b"{}")


class Asked(NamedTuple):
    """As much of a command as its commit repeats, or is held against."""

    id: UUID
    stream: str
    principal: Principal
    correlation: str
    at: int
    """When the broker took it in, milliseconds since the epoch: as who decides it reads it, whichever broker it was."""
    wish: Command | None = None
    """Where its kind is one of those; also None where it can't be read, of which nothing comes."""


_ENVELOPE = msgspec.json.Decoder(_Envelope)


class Commands:
    """Of one service, by partition and offset."""

    def __init__(
        self, log: Log, marks: Marking, service: str, prefix: str, house: HouseCreated, page: int = _PAGE,
        clock: Callable[[], float] = time.time,
    ) -> None:  # fmt: skip
        """`marks`: of who knows what gateways ask. `page`: how many are read for one that is looked for. `clock`:
        seconds since the epoch."""
        self._service = service
        kept = topic(service, "commands")
        self.topic = prefix + kept.name
        self._kept_ms = int(kept.config["retention.ms"])
        self._clock = clock
        self._journal = prefix + topic(service, "journal").name
        self._log = log
        self._marks = marks
        self._source = f"{service}-commands.{house.incarnation}"
        self._carried = house.carried.get(service, ())
        self._house_at = house.at
        self._page = page
        self._acted_for = ActedFor()
        self._by_itself = ByItself()
        self._asked: OrderedDict[tuple[int, int], Asked | None] = OrderedDict()
        self._beginning: dict[int, int] = {}
        """Below that retention has taken what there was."""

    def hear(self, partition: int, record: LogRecord) -> Asked | None:
        """A record of the topic with a true mark; None: nobody was asked by it.

        The service checks the gateway's marks there, and so could make them: in the name of people nothing counts that
        has not the second mark, which the gateway makes for others.
        """
        asked = _asked(record.value or b"", record.timestamp)
        persons = asked is not None and speaks_for("gateway", asked.principal)
        if persons and self._marks.why_not_asked((self.topic, partition), record) is not None:
            asked = None
        self._asked[partition, record.offset] = asked
        if len(self._asked) > REMEMBERED:
            self._asked.popitem(last=False)
        return asked

    def is_source_of(self, partition: int, commit: Commit) -> bool:
        return commit.source == f"{self._source}/{partition}"

    def was_carried(self, partition: int, offset: int) -> bool:
        """Whether the journal's record came here from the house before, which held it against its command; its record
        tells where that ends."""
        return partition < len(self._carried) and offset < self._carried[partition]

    async def check(self, partition: int, offset: int, at: int, commit: Commit, stream_time: int = 0) -> Finding | None:
        """Of a valid commit at `offset` of the journal's partition, which the broker took in `at` (ms). `stream_time`:
        its stream's before it, likewise."""
        carried = self.was_carried(partition, offset)
        wrong = None if carried else await self._wrong(partition, at, commit)
        asked = None if carried or wrong else self._asked.get((partition, commit.command_offset))
        if not (carried or wrong):
            wrong = self._time(asked, at, commit, stream_time)
        wish, by = (asked.wish, asked.principal) if asked is not None and not wrong else (None, None)
        if self._service == "table":
            wrong = self._acted_for.judge(commit, wish, by, at, partition) or wrong
        elif self._service == "tournament":
            wrong = self._by_itself.judge(commit, wish, known=by is not None) or wrong
        place = (self._journal, partition, offset)
        return Finding(Kind.COMMAND, commit.stream, wrong, commit.version, *place) if wrong else None

    async def _wrong(self, partition: int, at: int, commit: Commit) -> str | None:
        if not self.is_source_of(partition, commit):
            return "the commit names no commands of its service"
        place = (partition, commit.command_offset)
        if place not in self._asked and not await self._read(*place):
            if at < self._clock() * 1000 - self._kept_ms + LATE_MS:
                return None
            return "the command that the commit names was gone before it was decided"
        asked = self._asked.get(place)
        if asked is None:
            return "no command that this house was asked stands where the commit says it was read"
        said = (asked.id.bytes, asked.stream, str(asked.principal), asked.correlation)
        if said != (commit.command_id, commit.stream, commit.principal, commit.correlation):
            return "another command stands where the commit says it was read"
        return told_otherwise(self._service, asked.wish, asked.principal, commit.events)

    def _time(self, asked: Asked | None, at: int, commit: Commit, stream_time: int) -> str | None:
        """Journal 13: the broker's time of the command, or the stream's own where that is later. It goes by what both
        readers of the command see, so clocks that differ make no difference; where the command is gone it is later than
        its commit by no more than they do.

        Of a log that was copied without its times the broker tells when it was copied, which is after the house was
        created: what was decided before that is held against the stream alone. No younger stream can be brought there.
        """
        told = commit.command_time
        if told < stream_time:
            return "it was decided for a time before what its stream had decided"
        if told > max(stream_time, asked.at if asked is not None else at + CLOCKS_APART_MS):
            return "it was decided for a time that had not come"
        if asked is not None and self._house_at <= told < asked.at:
            return "it was decided for a time at which nobody had asked"
        return None

    async def _read(self, partition: int, offset: int) -> bool:
        """Remembers what lies there, and behind it. False for what retention took."""
        if 0 <= offset < self._beginning.get(partition, 0):
            return False
        reader = await self._log.reader(self.topic, partition)
        try:
            position, end = offset, await reader.end()
            while position <= offset < end:
                fetched = await reader.read(position, self._page, _WAIT_MS)
                for record in fetched.records:
                    self.hear(partition, record)
                position = fetched.position
        except OffsetOutOfRange:
            self._beginning[partition] = await reader.beginning()
            return False
        finally:
            await reader.close()
        return True


def _asked(value: bytes, at: int) -> Asked | None:
    try:
        said = read(_ENVELOPE, value)
    except msgspec.MsgspecError:
        return None
    try:
        wish = wish_in(said.type, said.body)
    except msgspec.MsgspecError:
        wish = None
    return Asked(said.id, said.stream, said.principal, said.correlation, at, wish)
