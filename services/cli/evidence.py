"""A walk over all journals from offset 0: each record judged by the one rule, and what the valid ones told."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from libs.journal.log import Log, LogRecord
from libs.journal.machine import journal_name
from libs.journal.tail import end_of
from services.audit.verifying.chain import ChainCheck
from services.audit.verifying.findings import Finding, Kind
from services.cli.journals import Book, Told, Unreadable, records


@dataclass(frozen=True, slots=True)
class Met:
    """One journal record and what it comes to; `told` is empty for void ones and rejections."""

    book: Book
    check: ChainCheck
    record: LogRecord
    valid: bool
    findings: Sequence[Finding]
    told: Sequence[Told] = field(repr=False)


async def walk(log: Log, books: Sequence[Book], prefix: str = "") -> AsyncIterator[Met]:
    """Service by service, partition by partition; all of them up to where they ended when the walk began."""
    # First of all, so that on a house at play one journal is not read up to much later than another.
    ends = {place: await end_of(log, *place) for book in books for place in book.journal(prefix)}
    for book in books:
        for topic, partition in book.journal(prefix):
            check = ChainCheck(topic, partition, journal_name(book.service))
            async for record in records(log, topic, partition, ends[topic, partition]):
                yield met(book, check, record)


def met(book: Book, check: ChainCheck, record: LogRecord) -> Met:
    """Judges one record and lets the service tell what it says."""
    folded, findings = check.take(record)
    told: Sequence[Told] = ()
    if folded.valid and folded.commit is not None:
        try:
            told = book.tell(folded.commit)
        except Unreadable as wrong:
            place = (folded.commit.base, check.topic, check.fold.partition, folded.offset)
            detail = f"a valid commit that can't be read: {wrong}"
            findings = [*findings, Finding(Kind.DECK_UNREADABLE, folded.commit.stream, detail, *place)]
    return Met(book, check, record, folded.valid, findings, told)
