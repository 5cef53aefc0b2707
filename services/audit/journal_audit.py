"""Follows one journal partition, judges every record, and keeps what it saw with how far it has come."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from libs.journal.fold import Folded
from libs.journal.log import Log, LogRecord, LogRewritten
from libs.journal.tail import Tail
from libs.projecting import Pool
from services.audit import journal_store as store
from services.audit.incidents import record
from services.audit.sealed_decks import Inspect
from services.audit.verifying.chain import ChainCheck
from services.audit.verifying.findings import Finding, Kind

REMEMBERED = 50_000
"""Digests kept per partition: a writer that comes back chained on something older than that is reported."""
_WAIT_MS = 200


class JournalAudit:
    """One reader. After an exception, `load` before the next `step`."""

    def __init__(
        self,
        pool: Pool,
        log: Log,
        topic: str,
        partition: int,
        journal_name: str,
        on_finding: Callable[[Finding], None] = lambda finding: None,
        inspect: Inspect = lambda commit: iter(()),
    ) -> None:
        """`inspect` looks into every valid commit, once the rule has let it count."""
        self.topic = topic
        self.partition = partition
        self._journal_name = journal_name
        self._pool = pool
        self._log = log
        self._on_finding = on_finding
        self._inspect = inspect
        self._check = self._fresh()
        self._tail: Tail | None = None
        self._end_at_load = 0
        self.behind = 0

    @property
    def caught_up(self) -> bool:
        """Everything that lay in the journal at the last `load` has been judged; an empty read alone proves nothing."""
        return self._check.fold.position.next >= self._end_at_load

    @property
    def counts(self) -> Any:
        return self._check.counts

    async def load(self) -> None:
        """Takes up the stored state and looks whether the log is still the one it was folded from (journal 21)."""
        self._check = self._fresh()
        async with self._pool.acquire() as connection, connection.transaction(isolation="repeatable_read"):
            self._check.fold.position = await store.load_position(connection, self.topic, self.partition)
            self._check.fold.heads = await store.load_heads(connection, self.topic, self.partition)
            self._check.recall(await store.recent_digests(connection, self.topic, self.partition, REMEMBERED))
        if self._tail is None:
            self._tail = await Tail.open(self._log, self.topic, self.partition)
        await self.verify_position()
        self._end_at_load = await self._tail.end()

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
            self.behind = self._tail.behind(self._check.fold.position.next)
            return 0
        batch, findings = self._judge(fetched.records)
        async with self._pool.acquire() as connection, connection.transaction():
            await store.move(connection, self.topic, self.partition, before, self._check.fold.position)
            await store.save_links(connection, self.topic, self.partition, batch)
            touched = {f.commit.stream for f in batch if f.commit is not None and f.valid}
            await store.save_heads(connection, self.topic, self._check.fold, touched)
            await self._record(connection, findings)
        self.behind = self._tail.behind(self._check.fold.position.next)
        return len(batch)

    async def close(self) -> None:
        tail, self._tail = self._tail, None
        if tail is not None:
            await tail.close()

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
        for finding in await record(connection, findings, int(time.time() * 1000)):
            self._on_finding(finding)

    def _fresh(self) -> ChainCheck:
        return ChainCheck(self.topic, self.partition, self._journal_name, REMEMBERED)
