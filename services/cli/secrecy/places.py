"""Everything a house writes, as texts to be searched: raw topic records, database rows, log lines.

Each is read once, in the order of time, as far as somebody asks for: a text of a later time waits where it lies.
"""

import re
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from libs.contracts.topics import TOPICS, VIEWS
from libs.journal.log import Log, LogRecord, OffsetOutOfRange, Reader
from services.gateway.kafka.keeps_views import Kept

_PAGE = 1000
_WAIT_MS = 50
"""What is read lies there: nobody has to wait for it, nor follow it."""
_LONGEST_LINE = 1 << 20
_DATE_WITHIN = 4_096
_DATE = re.compile(rb"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,6})\d*)? ?(Z|UTC|[+-]\d\d:?\d\d)")
DATED_BY = ("event_time", "at", "started_at", "taken_at", "opened_at", "first_seen", "time", "command_id")
"""Columns that tell when a row was written, milliseconds since the epoch; an id of a command holds its time."""


@dataclass(frozen=True, slots=True)
class Text:
    """One searchable thing and where it stands: `croupier.replies.v1/0@17`, `wallet.transfers`, `table.jsonl:3`."""

    place: str
    content: bytes = field(repr=False)


class Partition:
    """What the broker still holds of one, as of the moment in which it is first asked."""

    def __init__(self, log: Log, name: str, partition: int, prefix: str, since: int) -> None:
        self._log, self._place, self._since = log, (prefix + name, partition), since
        self.name, self.partition = name, partition
        self._reader: Reader | None = None
        self._position, self._end = -1, 0
        self._next_at = 0
        """Not below it is the time of the record at the position."""

    async def open(self) -> int:
        """Offsets that are to be read; `close` comes after it."""
        self._reader = reader = await self._log.reader(*self._place)
        self._end = await reader.end()
        self._position = await (reader.since(self._since) if self._since else reader.beginning())
        return self._end - self._position

    async def close(self) -> None:
        if self._reader is not None:
            await self._reader.close()

    async def below(self, until: int) -> AsyncIterator[LogRecord]:
        """Those that the broker took in before that time."""
        reader = self._reader
        if reader is None or self._next_at >= until or self._position >= self._end:
            return
        while self._position < self._end:
            for record in await self._page(reader):
                if record.timestamp >= until:
                    self._position, self._next_at = record.offset, record.timestamp
                    reader.rest()  # what was read ahead is not kept, in so many partitions
                    return
                yield record
        reader.rest()

    async def _page(self, reader: Reader) -> Sequence[LogRecord]:
        try:
            fetched = await reader.read(self._position, _PAGE, _WAIT_MS)
        except OffsetOutOfRange:
            self._position = await reader.beginning()  # old records are gone by retention
            return ()
        self._position = fetched.position
        return [each for each in fetched.records if each.offset < self._end]


def partitions(log: Log, of_house: int, prefix: str, since: int) -> list[Partition]:
    """Of every topic, in a house of so many."""
    return [Partition(log, t.name, n, prefix, since) for t in TOPICS for n in range(t.partitions(of_house))]


def record_texts(topic: str, partition: int, record: LogRecord) -> Iterator[Text]:
    """Key, value and headers one behind the other, bytes as they are; a kept view also part by part, in words."""
    key, value = record.key or b"", record.value or b""
    headers = b"\n".join(name.encode() + b": " + value for name, value in record.headers)
    place = f"{topic}/{partition}@{record.offset}"
    parts = _in_words(value) if topic.endswith(VIEWS.name) else (value,)
    yield from (Text(place, b"\n".join((key, part, headers))) for part in parts)


def _in_words(value: bytes) -> Iterator[bytes]:
    """A kept view is MessagePack, in which no hand is named as the search knows names; as JSON it is, in every part.

    It recalls many hands of one table, each a text of its own: two cards that stay hidden in one hand of hold'em lay
    side by side on another's board too often.
    """
    try:
        kept = msgspec.msgpack.decode(value, type=Kept)
        state = msgspec.msgpack.decode(kept.state)
    except msgspec.MsgspecError:
        yield value
        return
    for part in state if isinstance(state, list) else (state,):
        for each in part if isinstance(part, list) else (part,):
            yield kept.stream.encode() + b" " + msgspec.json.encode(each)


class _Table:
    """One whose rows tell when they were written, in the order of their times.

    It is asked for once there may be one, and let go after the last: of what lies by month a month or two are sorted,
    and wait in memory, at once.
    """

    def __init__(self, name: str, at: str, since: int) -> None:
        """`at`: SQL of the time of a row `t`."""
        self.name = name
        self._rows, self._at = f"from {name} as t where {at} >= {since}", at
        self._first: int | None = None
        """No row is older; None: that was not asked yet."""
        self._cursor = f"scan_{sha256(name.encode()).hexdigest()[:20]}"
        self._declared = False
        self._page: deque[Any] = deque()
        self._over = False

    async def below(self, connection: Any, until: int) -> AsyncIterator[Text]:
        if not await self._begun(connection, until):
            return
        while True:
            if not self._page:
                self._page.extend(await connection.fetch(f"fetch {_PAGE} from {self._cursor}"))
            if not self._page:
                self._over = True
                await connection.execute(f"close {self._cursor}")
            if self._over or self._page[0]["at"] >= until:
                return
            yield Text(self.name, self._page.popleft()["row"].encode())

    async def _begun(self, connection: Any, until: int) -> bool:
        if self._over:
            return False
        if not self._declared:
            if self._first is None:
                self._first = await connection.fetchval(f"select min({self._at}) {self._rows}")
                self._over = self._first is None
            if self._first is None or self._first >= until:
                return False
            ordered = f"select {self._at} as at, row_to_json(t)::text as row {self._rows} order by 1"
            await connection.execute(f"declare {self._cursor} no scroll cursor for {ordered}")
            self._declared = True
        return True


class Rows:
    """Every row of every table outside PostgreSQL's own schemas, as JSON; `bytea` comes as hex."""

    def __init__(self, connection: Any, since: int) -> None:
        """`connection`: in a transaction, which stays open as long as rows are asked for."""
        self._connection, self._since = connection, since
        self._dated: list[_Table] = []
        self._undated: dict[str, str] = {}
        """Names of tables to what is asked of them."""

    async def find(self) -> None:
        """Which tables there are, and what tells of their rows when they were written."""
        columns: dict[str, dict[str, str]] = {}
        for row in await self._connection.fetch(
            """select quote_ident(n.nspname) || '.' || quote_ident(c.relname) as name, a.attname as column,
                      a.atttypid::regtype::text as type
               from pg_class c join pg_namespace n on n.oid = c.relnamespace
                    left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
               where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema') order by 1, 2"""
        ):
            columns.setdefault(row["name"], {})[row["column"]] = row["type"]
        for name, types in columns.items():
            at = _time_of(types)
            if at is not None:
                self._dated.append(_Table(name, at, self._since))
            self._undated[name] = f"select row_to_json(t)::text as row from {name} as t" + (
                f" where {at} is null" if at else ""
            )

    async def below(self, until: int) -> AsyncIterator[Text]:
        """Those that were written before that time and have not come yet."""
        for table in self._dated:
            async for text in table.below(self._connection, until):
                yield text

    async def undated(self) -> AsyncIterator[Text]:
        """All others."""
        for name, query in self._undated.items():
            async for row in self._connection.cursor(query, prefetch=_PAGE):
                yield Text(name, row["row"].encode())


def _time_of(columns: Mapping[str, str]) -> str | None:
    """SQL of the time of a row, milliseconds since the epoch; None where none of its columns tells."""
    name = next((each for each in DATED_BY if columns.get(each) in ("bigint", "bytea", "uuid")), None)
    if name is None or columns[name] == "bigint":
        return name and f't."{name}"'
    raw = f't."{name}"' if columns[name] == "bytea" else f'uuid_send(t."{name}")'
    return f"('x' || encode(substring({raw} from 1 for 6), 'hex'))::bit(48)::bigint"


class Lines:
    """Every line of a file, each of the time that it says, or of the one before it that says any.

    Raw bytes of a secret that hold a line feed fall into two lines, and are then not found in a file.
    """

    def __init__(self, file: Path, since: int) -> None:
        self._file, self._since = file, since
        self._reached, self._number = 0, 0
        self._at: int | None = None
        for _, at, offset in self._from(0):
            if at is not None:
                break
            self._reached, self._number = offset, self._number + 1
        self._undated = self._reached
        """So far no line has told its time."""

    def below(self, until: int) -> Iterator[Text]:
        """Lines of before that time that have not come yet."""
        for line, at, offset in self._from(self._reached):
            self._at = at if at is not None else self._at
            if self._at is not None and self._at >= until:
                return
            self._reached, self._number = offset, self._number + 1
            if self._at is None or self._at >= self._since:
                yield Text(f"{self._file.name}:{self._number}", line)

    def undated(self) -> Iterator[Text]:
        """Those before the first that tells its time."""
        for number, (line, _, offset) in enumerate(self._from(0), start=1):
            if offset > self._undated:
                return
            yield Text(f"{self._file.name}:{number}", line)

    def _from(self, offset: int) -> Iterator[tuple[bytes, int | None, int]]:
        """Line, its own time and where the next one begins."""
        with self._file.open("rb") as lines:
            lines.seek(offset)
            while line := lines.readline(_LONGEST_LINE):
                offset += len(line)
                yield line, _date_in(line), offset


def _date_in(line: bytes) -> int | None:
    """Milliseconds since the epoch of the first time that is said with its zone."""
    found = _DATE.search(line, 0, _DATE_WITHIN)
    if found is None:
        return None
    day, hour, part, zone = (each.decode() for each in (*found.groups(b"0"),))
    zone = "+00:00" if zone in ("Z", "UTC") else zone
    try:
        at = datetime.fromisoformat(f"{day}T{hour}{zone}")
    except ValueError:
        return None
    return int(at.timestamp() * 1000) + int(part.ljust(6, "0")) // 1000


def files(paths: Sequence[Path]) -> list[Path]:
    """The files, and those in the folders."""
    found = set[Path]()
    for path in paths:
        if path.is_dir():
            found |= {file for file in path.rglob("*") if file.is_file()}
        elif path.exists():
            found.add(path)
    return sorted(found)
