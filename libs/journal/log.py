"""The port to a partitioned log. Two adapters keep it, Kafka and simulated; one contract suite holds both to it."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from libs.journal.positions import Decided, Moved

Headers = tuple[tuple[str, bytes], ...]


class LogUnavailable(Exception):
    """The log could not be reached or answered in time; nothing is known about why."""


class AppendUnknown(LogUnavailable):
    """The batch may have landed, may land later, or never. The appender is dead (journal 11)."""


class OffsetOutOfRange(Exception):
    """The log does not hold the offset that was asked for."""


class LogRewritten(Exception):
    """The log is not the one that was folded: truncated, or other bytes stand where ours stood (journal 21)."""


# Made for every record, so structs: a frozen dataclass takes eight times as long to make.


class LogRecord(msgspec.Struct, frozen=True):
    offset: int
    key: bytes | None
    value: bytes | None
    headers: Headers = ()
    timestamp: int = 0
    """Milliseconds since the epoch; the broker's, on topics with LogAppendTime."""


class Fetched(msgspec.Struct, frozen=True):
    records: Sequence[LogRecord]
    position: int
    """Offset to read next. It may lie beyond the last record: offsets have holes."""


class OutRecord(msgspec.Struct, frozen=True):
    topic: str
    key: bytes
    value: bytes | None
    headers: Headers = ()
    partition: int | None = None
    """None: the partition of the key, by `partition_of`."""


class Appender(Protocol):
    """A producer for one journal partition. Calls take effect in the order in which they were made.

    A batch may land twice, the second time behind later ones.
    """

    def append(self, records: Sequence[tuple[bytes, bytes]]) -> "asyncio.Future[int | None]":
        """Appends (key, value) pairs as one batch; base offset, or None: accepted, place unknown (journal 7).

        Ends with `AppendUnknown` else, and so does every other call of this appender from then on.
        """
        ...

    async def abandon(self) -> None:
        """Lets go without waiting for anything; safe to call twice."""
        ...


class Publisher(Protocol):
    """A producer for any topic; records of one topic partition land in the order of the calls.

    Some may land again, behind later ones, but not in topics that keep the last record of a key.
    """

    async def send(self, records: Sequence[OutRecord]) -> "asyncio.Future[None]":
        """Hands the records over; the future ends when all are acknowledged, or with `LogUnavailable`."""
        ...

    async def abandon(self) -> None: ...


class Reader(Protocol):
    """Reads one partition, uncommitted records included, from any offset."""

    async def read(self, offset: int, max_records: int, wait_ms: int) -> Fetched:
        """Records from `offset` on; waits up to `wait_ms`. Raises `OffsetOutOfRange` or `LogUnavailable`."""
        ...

    async def end(self) -> int:
        """Offset that the next record will get."""
        ...

    async def beginning(self) -> int:
        """Offset from which on records are still held; above 0 somebody, or retention, has deleted what was below."""
        ...

    async def since(self, ms: int) -> int:
        """Of the first record that the broker took in at this time or later; the end, where there is none yet."""
        ...

    def known_end(self) -> int:
        """End as of the last fetch, without asking; 0 if none is known."""
        ...

    def rest(self) -> None:
        """No read is expected soon: stop fetching ahead."""
        ...

    async def close(self) -> None: ...


class CommandSource(Protocol):
    """The commands of one partition, from the group's committed offset on, if that is the house's own (journal 12)."""

    async def learn(self) -> None:
        """Asks how far the group has come; before the journal's end is learnt (journal 12)."""
        ...

    async def begin(self, decided: "Decided") -> "Moved | None":
        """Where `read` begins: given what the journal, read to its end, has decided of this source. Tells of an offset
        that is not the house's own."""
        ...

    async def read(self, max_records: int, wait_ms: int) -> Fetched: ...

    sign: int | None
    """Once `learn` is over: the sign of life that was committed last, milliseconds; None: none is known."""

    async def commit(self, offset: int, sign: int | None = None) -> None:
        """Commits the group offset, everything below it has a known verdict, and a sign of life (journal 12)."""
        ...


class Log(Protocol):
    async def appender(self, topic: str, partition: int) -> Appender: ...

    async def publisher(self) -> Publisher: ...

    async def reader(self, topic: str, partition: int) -> Reader: ...

    async def identity(self, topic: str) -> bytes:
        """No other topic, earlier or later, has it, of the same name or another."""
        ...
