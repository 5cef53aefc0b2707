"""What each journal record was judged. A row bears the auditor's mark: what somebody else adds counts for nothing."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from libs.contracts.messages import Reply
from libs.journal.answers import from_commit
from libs.journal.commit import digest
from libs.journal.fold import Folded
from libs.projecting import Connection, make_months, write_rows
from libs.projecting.row_marks import Marks
from services.audit.marked_rows import mark_row, why_not_row
from services.audit.verifying.findings import Finding, Kind

_COVERED = (
    *("topic", "partition", "offset", "stream", "version", "prev", "digest", "judgement", "command_id", "answer"),
    "at",
)
_COLUMNS = ", ".join(f'"{name}"' for name in (*_COVERED, "mark"))


async def save_links(
    connection: Connection,
    marks: Marks | None,
    topic: str,
    partition: int,
    batch: Sequence[Folded[Any, Any]],
    times: Mapping[int, int],
) -> None:
    """`times`: by offset, when the broker took it in."""
    await make_months(connection, "journal_links", times.values())
    rows = [
        (topic, partition, f.offset, f.commit.stream, f.commit.version, f.commit.prev, digest(f.raw), f.judgement)
        + ((f.commit.command_id, answer_of(from_commit(f.commit))) if f.valid else (None, None))
        + (times[f.offset],)
        for f in batch
        if f.commit is not None
    ]
    await write_rows(
        connection,
        f"insert into journal_links ({_COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
        " on conflict do nothing",
        [(*row, mark_row(marks, b"link", row)) for row in rows],
    )


async def last_links(
    connection: Connection, marks: Marks | None, topic: str, partition: int, limit: int
) -> tuple[list[Any], list[Finding]]:
    """Those of ours among the last `limit`, oldest first; and what is to be said of others."""
    rows, found = await _links(
        *(connection, marks, 'topic = $1 and partition = $2 order by "offset" desc limit $3'),
        *(topic, partition, limit),
    )
    return rows[::-1], found


async def links_of_commands(
    connection: Connection, marks: Marks | None, topic: str, commands: Sequence[bytes], since: int = 0
) -> tuple[list[Any], list[Finding]]:
    """Of the valid commits of these ids of commands, in the order of the journal. `since`: none was taken in before,
    milliseconds since the epoch; months that end before are not looked at."""
    wanted = "topic = $1 and judgement = 'valid' and command_id = any($2::bytea[]) and at >= $3 order by 2, 3"
    return await _links(connection, marks, wanted, topic, commands, since)


async def _links(
    connection: Connection, marks: Marks | None, wanted: str, *values: object
) -> tuple[list[Any], list[Finding]]:
    true: list[Any] = []
    false: dict[str, Finding] = {}
    for row in await connection.fetch(f"select {_COLUMNS} from journal_links where {wanted}", *values):
        why = why_not_row(marks, b"link", tuple(row[name] for name in _COVERED), row["mark"])
        if why is None:
            true.append(row)
        else:
            detail = f"a link is not as the auditor wrote it, and counts for nothing: {why}"
            false[why] = Finding(Kind.EVIDENCE, "audit.journal_links", detail, None, row["topic"])
    return true, list(false.values())


def answer_of(reply: Reply) -> bytes:
    """Digest of all that a reply says."""
    return sha256(reply.encoded()).digest()[:16]
