"""Follows one journal partition, judges every record, and keeps what it saw with how far it has come.

Position, heads and judged links move together (journal 15, 21).
"""

import time
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from libs.journal.commit import stream_of
from libs.journal.fold import Folded, Head, PartitionFold, Position
from libs.journal.log import Log, LogRecord, LogRewritten
from libs.journal.tail import Tail
from libs.projecting import Connection, Partition, Pool, PositionLost, write_rows
from libs.projecting.row_marks import Marks
from services.audit.foreign import Foreigners
from services.audit.incidents import record
from services.audit.links import last_links, save_links
from services.audit.marked_rows import mark_row, why_not_row
from services.audit.readers import Stored, move, moved, stored
from services.audit.reconciling import READER, Reconciliation
from services.audit.sealed_decks import Inspect
from services.audit.verifying.chain import REMEMBERED, ChainCheck, Recent
from services.audit.verifying.findings import Finding, Kind

HEAD = ("topic", "stream", "partition", "version", "digest", "time", "last_offset")
"""Columns of a head, as its mark covers them."""


async def save_heads(
    connection: Connection,
    topic: str,
    fold: PartitionFold[Any, Any],
    streams: Iterable[str],
    marks: Marks | None = None,
) -> None:
    heads = [(stream, fold.heads[stream]) for stream in streams]
    rows = [(topic, stream, fold.partition, h.version, h.prev, h.time, h.last_offset) for stream, h in heads]
    await write_rows(
        connection,
        f"""insert into journal_heads ({", ".join(HEAD)}, mark) values ($1, $2, $3, $4, $5, $6, $7, $8)
            on conflict (topic, stream) do update set partition = excluded.partition, version = excluded.version,
                digest = excluded.digest, time = excluded.time, last_offset = excluded.last_offset, mark = excluded.mark
            where journal_heads.last_offset < excluded.last_offset""",
        [(*row, mark_row(marks, b"head", row)) for row in rows],
    )


async def load_heads(
    connection: Connection, marks: Marks | None, topic: str, streams: Collection[str], below: int
) -> tuple[dict[str, Head], dict[str, Finding | None]]:
    """Of these streams, each with a valid commit; and those whose row is no head below this offset of the journal, as
    the auditor wrote it, with what is to be said."""
    rows = await connection.fetch(
        f"select {', '.join((*HEAD, 'mark'))} from journal_heads where topic = $1 and stream = any($2)",
        *(topic, list(streams)),
    )
    heads: dict[str, Head] = {}
    others: dict[str, Finding | None] = {}
    for row in rows:
        stream, why = row["stream"], why_not_head(marks, row)
        if why is not None:
            detail = f"the head of {stream} is not as the auditor wrote it, and is made anew from the journal: {why}"
            place = (row["topic"], row["partition"])
            others[stream] = Finding(Kind.EVIDENCE, "audit.journal_heads", detail, None, *place)
        elif row["last_offset"] >= below:
            others[stream] = None
        else:
            heads[stream] = Head.for_judging(row["version"], row["digest"], row["time"], row["last_offset"])
    return heads, others


def why_not_head(marks: Marks | None, row: Any) -> str | None:
    """Why the auditor has not written a head as it is, in a few words; None: it has."""
    return why_not_row(marks, b"head", tuple(row[name] for name in HEAD), row["mark"])


HEADS, _LEAST_HEADS = 100_000, 130
"""At hand in all partitions of a process, some 0.4 kB each,"""
DIGESTS, _LEAST_DIGESTS = 12 * REMEMBERED, 1_000
"""and of records, 0.1 kB each: as many as a start reads."""
_WAIT_MS = 200


class AtHand(NamedTuple):
    """What one partition's reader holds at most."""

    heads: int
    digests: int

    @classmethod
    def of(cls, journals: int) -> "AtHand":
        """Its share where a process follows so many."""
        each = max(1, journals)
        digests = min(REMEMBERED, max(_LEAST_DIGESTS, DIGESTS // each))
        return cls(max(_LEAST_HEADS, HEADS // each), digests)


class JournalAudit:
    """One reader. After an exception, `load` before the next `step`."""

    def __init__(
        self,
        pool: Pool,
        log: Log,
        topic: str,
        partition: int,
        of_house: int,
        journal_name: str,
        on_finding: Callable[[Finding], None] = lambda finding: None,
        inspect: Inspect = lambda commit: iter(()),
        reconciliation: Reconciliation | None = None,
        foreign: Foreigners | None = None,
        marks: Marks | None = None,
        at_hand: AtHand | None = None,
    ) -> None:
        """`of_house`: its partitions.
        `inspect` looks into every valid commit, once the rule has let it count; then it is held against its command.
        What was `foreign` is written before the position moves beyond it. `marks`: the auditor's; None: all is true.
        `at_hand`: its share where others of this process follow as well."""
        self.topic = topic
        self.partition = partition
        self._of_house = of_house
        self._journal_name = journal_name
        self._pool = pool
        self._log = log
        self._on_finding = on_finding
        self._inspect = inspect
        self._reconciliation = reconciliation
        self._foreign = foreign
        self._marks = marks
        self._at_hand = at_hand or AtHand.of(1)
        self._check = self._fresh()
        self._tail: Tail | None = None
        self._stored = Stored()
        self._end_at_load = 0
        self._written = 0
        """Offset up to which everything is judged, and written if there was anything to write."""

    @property
    def _place(self) -> Partition:
        return self.topic, self.partition

    @property
    def caught_up(self) -> bool:
        """Everything that lay in the journal at the last `load` has been judged; an empty read alone proves nothing."""
        return self._check.fold.position.next >= self._end_at_load

    @property
    def behind(self) -> int:
        """Records known to lie above what is written, also while a step is held up."""
        return self._tail.behind(self._written) if self._tail is not None else 0

    @property
    def counts(self) -> Any:
        return self._check.counts

    async def load(self) -> None:
        """Takes up the stored state and looks whether the log is still the one it was folded from (journal 21)."""
        self._check = self._fresh()
        async with self._pool.acquire() as connection:
            async with connection.transaction(isolation="repeatable_read"):
                rows = await stored(connection, self._marks, READER, [self._place])
                links, found = await last_links(connection, self._marks, *self._place, self._at_hand.digests)
            self._stored = rows.get(self._place, Stored())
            position = self._stored.position or Position()
            if links and (last := links[-1])["offset"] >= position.next:
                # Both are written at once. This one goes back to no older state, and on to nothing that was not judged.
                position = Position(last["offset"] + 1, last["offset"], last["digest"])
            if position != self._stored.position:
                found.append(moved(self._place, self._stored.next, f"it goes on from {position.next}"))
            await self._record(connection, found)
        self._check.fold.position = position
        self._check.recall(each["digest"] for each in links)
        if self._tail is None:
            self._tail = await Tail.open(self._log, self.topic, self.partition)
        await self.verify_position()
        self._end_at_load = await self._tail.end()
        self._judged()

    async def verify_position(self) -> None:
        """Raises LogRewritten, and leaves an incident that says so."""
        assert self._tail is not None
        async with self._told_if_rewritten():
            await self._tail.verify(self._check.fold.position)

    async def step(self) -> int:
        """Reads what there is, writes what it means; returns the number of records."""
        assert self._tail is not None
        before = self._check.fold.position
        async with self._told_if_rewritten():
            fetched = await self._tail.read(before.next, _WAIT_MS)
        if not fetched.records:
            self._check.fold.skip_to(fetched.position)
            self._judged()
            return 0
        await self._know(before, fetched.records)
        batch, findings = self._judge(fetched.records)
        times = {each.offset: each.timestamp for each in fetched.records}
        if self._reconciliation is not None:
            findings += await self._reconciliation.commits(self.partition, batch, times)
        if self._foreign is not None:
            await self._foreign.write()
        async with self._pool.acquire() as connection, connection.transaction():
            position = self._check.fold.position
            now_stored = await move(connection, self._marks, READER, self._place, self._stored, position)
            await save_links(connection, self._marks, *self._place, batch, times)
            touched = {f.commit.stream for f in batch if f.commit is not None and f.valid}
            await save_heads(connection, self.topic, self._check.fold, touched, self._marks)
            await self._record(connection, findings)
        self._stored = now_stored
        self._judged()
        return len(batch)

    async def _know(self, at: Position, records: Sequence[LogRecord]) -> None:
        """Takes up the heads of those that come up now: of all that there ever were, few are met in a batch."""
        heads = self._check.fold.heads
        met = {stream for each in records if (stream := stream_of(each.value)) is not None}
        if len(heads) > self._at_hand.heads:
            heads.clear()
        if unknown := met - heads.keys():
            async with self._pool.acquire() as connection:
                async with connection.transaction(isolation="repeatable_read"):
                    rows = await stored(connection, self._marks, READER, [self._place])
                    if rows.get(self._place, Stored())[:2] != self._stored[:2]:  # then these heads are of what is later
                        raise PositionLost(f"{READER} {self.topic}/{self.partition}")
                    known, others = await load_heads(connection, self._marks, self.topic, unknown, at.next)
                await self._record(connection, [each for each in others.values() if each is not None])
            heads |= known
            if others:
                heads |= await self._made_anew(others.keys(), at.next)

    async def _made_anew(self, streams: Collection[str], below: int) -> dict[str, Head]:
        """Heads of these as the journal has them below this offset."""
        assert self._tail is not None
        fold, position = self._fresh().fold, 0
        while position < below:
            fetched = await self._tail.read(position, _WAIT_MS)
            for each in fetched.records:
                if each.offset < below and stream_of(each.value) in streams:
                    fold.fold(each)
            position = fetched.position
        return fold.heads

    def give_up(self) -> None:
        """Nothing waits for what is not read any more."""
        if self._reconciliation is not None:
            self._reconciliation.given_up(self.partition)

    async def close(self) -> None:
        tail, self._tail = self._tail, None
        if tail is not None:
            await tail.close()

    def _judged(self) -> None:
        self._written = self._check.fold.position.next
        if self._reconciliation is not None:
            self._reconciliation.judged(self.partition, self._written)

    @asynccontextmanager
    async def _told_if_rewritten(self) -> AsyncIterator[None]:
        """A log that was cut while it was followed shows when it is read, and one that was changed when looked for."""
        try:
            yield
        except LogRewritten as rewritten:
            finding = Finding(Kind.REWRITTEN, self.topic, str(rewritten), None, self.topic, self.partition)
            async with self._pool.acquire() as connection:
                await self._record(connection, [finding])
            raise

    def _judge(self, records: Any) -> tuple[list[Folded[Any, Any]], list[Finding]]:
        batch: list[Folded[Any, Any]] = []
        findings: list[Finding] = []
        each: LogRecord
        for each in records:
            folded, found = self._check.take(each)
            batch.append(folded)
            findings += found
            if folded.valid and folded.commit is not None:
                place = (self.topic, self.partition, folded.offset)
                findings += [
                    Finding(f.kind, f.stream, f.detail, f.version, *place) for f in self._inspect(folded.commit)
                ]
        return batch, findings

    async def _record(self, connection: Any, findings: list[Finding]) -> None:
        for finding in await record(connection, findings, int(time.time() * 1000), self._marks):
            self._on_finding(finding)

    def _fresh(self) -> ChainCheck:
        return ChainCheck(self.topic, self.partition, self._of_house, self._journal_name, Recent(self._at_hand.digests))
