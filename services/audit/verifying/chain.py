"""The chain: every record of a journal judged by the one shared rule, and of every void one, why it is void."""

import os
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from libs.journal.commit import Commit, digest, genesis
from libs.journal.fold import Folded, PartitionFold
from libs.journal.log import LogRecord
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.kept import Known


class Counts(msgspec.Struct):
    records: int = 0
    valid: int = 0
    void: int = 0
    undecodable: int = 0
    rejections: int = 0
    events: int = 0


REMEMBERED = 20_000
"""Digests of a partition that are kept, live and between two walks: a late writer chains on what stood there moments
before, and one that comes back chained on something older is reported."""


class Recent:
    """The newest digests of a partition's records, void ones included; of each 64 bits under a key of this process.
    Another one is taken for it once in 10^15."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._numbers: set[int] = set()
        self._order: deque[int] = deque()
        self._again: Counter[int] = Counter()
        """Those that came more than once, and how often."""

    def __contains__(self, digest: bytes) -> bool:
        return _number(digest) in self._numbers

    def __len__(self) -> int:
        return len(self._order)

    def add(self, digest: bytes) -> None:
        number = _number(digest)
        if number in self._numbers:
            self._again[number] += 1
        self._numbers.add(number)
        self._order.append(number)
        if len(self._order) > self._limit:
            self._forget(self._order.popleft())

    def _forget(self, number: int) -> None:
        if number not in self._again:
            self._numbers.discard(number)
        elif self._again[number] == 1:
            del self._again[number]
        else:
            self._again[number] -= 1


_SALT = os.urandom(16)


def _number(digest: bytes) -> int:
    return hash(_SALT + digest)


class ChainCheck:
    """One journal partition. A void record is no finding: late writers leave them (journal 3, 8).

    What its `prev` names, however, must be a record that stands before it in the log, or the stream's genesis. If it is
    not, then a record was changed, taken out, put in or moved after somebody had chained upon it.
    """

    def __init__(
        self, topic: str, partition: int, partitions: int, journal_name: str, seen: Known[bytes] | None = None
    ) -> None:
        """`partitions`: of the house. `seen`: where digests of records are kept; without it all of them, in memory."""
        self.topic = topic
        self.fold: PartitionFold[Any, Any] = PartitionFold(partition, partitions, journal_name, None)
        self.counts = Counts()
        self.seen: Known[bytes] = set() if seen is None else seen

    def recall(self, digests: Iterable[bytes]) -> None:
        """Digests of records folded by an earlier process."""
        for each in digests:
            self.seen.add(each)

    def take(self, record: LogRecord) -> tuple[Folded[Any, Any], list[Finding]]:
        """Folds the next record."""
        folded = self.fold.fold(record)
        findings = list(self._complaints(record, folded))
        self._count(folded)
        self.seen.add(digest(folded.raw))
        if isinstance(self.seen, Recent) and folded.valid and folded.commit is not None:
            self._also_recall(folded.commit, self.seen)
        return folded, findings

    @staticmethod
    def _also_recall(commit: Commit, recent: Recent) -> None:
        """Two may have decided on a stream that had rested for long: the second one follows what the first did."""
        if commit.base and commit.prev not in recent:
            recent.add(commit.prev)

    def _complaints(self, record: LogRecord, folded: Folded[Any, Any]) -> Iterator[Finding]:
        commit = folded.commit
        if commit is None:
            stream = (record.key or b"").decode(errors="replace")[:128]
            yield self._finding(Kind.UNDECODABLE, stream, f"a record that is no commit: {folded.problem}", folded)
            return
        if record.key != commit.stream.encode():
            yield self._finding(Kind.WRONG_PARTITION, commit.stream, "the record's key is not its stream", folded)
        if folded.judgement == "void_partition":
            yield self._finding(Kind.WRONG_PARTITION, commit.stream, "its stream belongs to another partition", folded)
        if folded.judgement == "void_base":
            detail = f"its digest matches and its version {commit.base} does not"
            yield self._finding(Kind.VERSION_BROKEN, commit.stream, detail, folded)
        if folded.judgement == "void_prev" and not self._follows_something(commit):
            detail = "it follows a record that is not in the log before it: changed, taken out or moved"
            yield self._finding(Kind.CHAIN_BROKEN, commit.stream, detail, folded)

    def _follows_something(self, commit: Commit) -> bool:
        if commit.prev in self.seen:
            return True
        return commit.prev == genesis(self.fold.journal_name, commit.stream)

    def _finding(self, kind: Kind, stream: str, detail: str, folded: Folded[Any, Any]) -> Finding:
        version = folded.commit.base if folded.commit else None
        return Finding(kind, stream, detail, version, self.topic, self.fold.partition, folded.offset)

    def _count(self, folded: Folded[Any, Any]) -> None:
        self.counts.records += 1
        if folded.commit is None:
            self.counts.undecodable += 1
        elif not folded.valid:
            self.counts.void += 1
        else:
            self.counts.valid += 1
            self.counts.events += len(folded.commit.events)
            self.counts.rejections += folded.commit.verdict == "rejected"
