"""Journals for the auditor's tests: honest chains of commits, as records of one partition."""

from uuid import uuid4

from msgspec.structs import replace

from libs.journal.commit import Commit, digest, encode, genesis
from libs.journal.log import LogRecord
from libs.journal.machine import journal_name
from tests.testkit.partitions import partition_of

JOURNAL = journal_name("wallet")
TOPIC = "croupier.wallet.journal.v1"
STREAMS = [name for name in (f"account-{i}-EUR" for i in range(40)) if partition_of(name) == 0][:3]


def commit(stream: str, base: int, prev: bytes, *, events: int = 1, writer: str = "w") -> Commit:
    return Commit(
        stream=stream,
        base=base,
        prev=prev,
        command_id=uuid4().bytes,
        source="wallet-commands.1/0",
        command_offset=base,
        command_time=1_700_000_000_000,
        verdict="accepted" if events else "rejected",
        reason=None if events else "insufficient_funds",
        rule=None,
        detail="",
        events=tuple(("Something.1", b"\x80") for _ in range(events)),
        writer=writer,
        generation=1,
    )


def record(offset: int, made: Commit) -> LogRecord:
    return LogRecord(offset, made.stream.encode(), encode(made))


def journal(length: int = 5) -> list[LogRecord]:
    """Three streams taking turns, each chained on its own last commit; every fourth is a rejection."""
    heads = {stream: (0, genesis(JOURNAL, stream)) for stream in STREAMS}
    records: list[LogRecord] = []
    for _ in range(length):
        for stream in STREAMS:
            base, prev = heads[stream]
            made = commit(stream, base, prev, events=0 if len(records) % 4 == 3 else 1)
            records.append(record(len(records), made))
            heads[stream] = (made.version, digest(records[-1].value or b""))
    return records


def renumbered(records: list[LogRecord]) -> list[LogRecord]:
    return [replace(each, offset=offset) for offset, each in enumerate(records)]
