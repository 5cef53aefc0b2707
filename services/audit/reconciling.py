"""Every commit has its command, and every answer its commit.

What has a true mark and still does not fit was written by a service that somebody changed, or with its key.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, TypeVar
from uuid import UUID

import msgspec

from libs.contracts.messages import Principal, Reply
from libs.contracts.reading import read
from libs.contracts.texts import is_clean
from libs.contracts.topics import topic
from libs.journal.answers import from_commit
from libs.journal.commit import Commit
from libs.journal.fold import Folded
from libs.journal.intake import speaks_for
from libs.journal.log import Log, LogRecord, OffsetOutOfRange
from libs.journal.marks import Marking
from libs.journal.tail import end_of
from libs.projecting import Pool
from services.audit.verifying.findings import Finding, Kind

REMEMBERED = 20_000
"""Commands and answers of one service that need not be asked for; what is older is read again."""
_PAGE = 200
_WAIT_MS = 500
_LOOK_S = 0.1
KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")


class Asked(msgspec.Struct, frozen=True):
    """As much of a command as its commit repeats."""

    id: UUID
    stream: str
    principal: Principal
    correlation: str = ""


_ASKED = msgspec.json.Decoder(Asked)


class Reconciliation:
    """Of one service's commands, commits and answers."""

    def __init__(self, log: Log, marks: Marking, pool: Pool, service: str, prefix: str, incarnation: int = 1) -> None:
        self.service = service
        self._marks = marks
        self._log = log
        self._pool = pool
        self._commands = prefix + topic(service, "commands").name
        self._journal = prefix + topic(service, "journal").name
        self._source = f"{service}-commands.{incarnation}"
        self._asked: OrderedDict[tuple[int, int], Asked | None] = OrderedDict()
        self._said: OrderedDict[bytes, bytes] = OrderedDict()
        self._judged: dict[int, int] = {}

    def judged(self, partition: int, position: int) -> None:
        """So far its journal is judged, and written down."""
        self._judged[partition] = position

    def command(self, partition: int, record: LogRecord) -> None:
        """A true record of its commands topic.

        The service checks the gateway's marks there, and so could make them: in the name of people nothing counts that
        has not the second mark, which the gateway makes for us alone.
        """
        try:
            asked: Asked | None = read(_ASKED, record.value or b"")
        except msgspec.MsgspecError:
            asked = None
        persons = asked is not None and speaks_for("gateway", asked.principal)
        if persons and self._marks.why_not_asked((self._commands, partition), record) is not None:
            asked = None
        _keep(self._asked, (partition, record.offset), asked)

    async def commits(self, partition: int, batch: Iterable[Folded[Any, Any]]) -> list[Finding]:
        """Findings on the valid ones among journal records, each of whose answers is remembered."""
        found = []
        for folded in batch:
            commit = folded.commit
            if commit is None or not folded.valid:
                continue
            _keep(self._said, commit.command_id, answer_of(from_commit(commit)))
            wrong = await self._wrong_command(partition, commit)
            if wrong:
                place = (commit.version, self._journal, partition, folded.offset)
                found.append(Finding(Kind.COMMAND, commit.stream, wrong, *place))
        return found

    async def replies(self, topic: str, partition: int, records: Iterable[LogRecord]) -> list[Finding]:
        """Findings on true records of the replies topic that this service has written."""
        waiting: dict[int, Reply] = {}
        for record in records:
            reply = _reply(record)
            if reply is not None and reply.verdict in ("accepted", "rejected"):
                waiting[record.offset] = reply
        waiting = await self._unanswered(waiting)
        if waiting:
            # An answer comes after its commit: it is there once the journal is judged up to where it ends now.
            end = await end_of(self._log, self._journal, partition)
            while waiting and self._judged.get(partition, 0) < end:
                await asyncio.sleep(_LOOK_S)
                waiting = await self._unanswered(waiting)
            waiting = await self._unanswered(waiting)
        detail = f"{self.service} has given an answer that no commit says"
        return [Finding(Kind.ANSWER, _name(r.stream), detail, None, topic, partition, o) for o, r in waiting.items()]

    async def _wrong_command(self, partition: int, commit: Commit) -> str | None:
        if commit.source != f"{self._source}/{partition}":
            return "the commit names no commands of its service"
        place = (partition, commit.command_offset)
        if place not in self._asked and not await self._read(*place):
            return None  # so old that the broker has it no more
        asked = self._asked.get(place)
        if asked is None:
            return "no command that this house was asked stands where the commit says it was read"
        said = (asked.id.bytes, asked.stream, str(asked.principal), asked.correlation)
        if said != (commit.command_id, commit.stream, commit.principal, commit.correlation):
            return "another command stands where the commit says it was read"
        return None

    async def _read(self, partition: int, offset: int) -> bool:
        """Remembers what lies there, and behind it. False for what retention took."""
        reader = await self._log.reader(self._commands, partition)
        try:
            position, end = offset, await reader.end()
            while position <= offset < end:
                fetched = await reader.read(position, _PAGE, _WAIT_MS)
                for record in fetched.records:
                    self.command(partition, record)
                position = fetched.position
        except OffsetOutOfRange:
            return False
        finally:
            await reader.close()
        return True

    async def _unanswered(self, replies: Mapping[int, Reply]) -> dict[int, Reply]:
        """Those of the replies that say something else than the commit that we know, or whose commit we don't know."""
        left = {o: r for o, r in replies.items() if self._said.get(r.command_id.bytes) != answer_of(r)}
        if not left:
            return {}
        async with self._pool.acquire() as connection:
            rows = await connection.fetch(
                """select command_id, answer from journal_links
                   where topic = $1 and judgement = 'valid' and command_id = any($2::bytea[])""",
                self._journal,
                [reply.command_id.bytes for reply in left.values()],
            )
            said = {row["command_id"]: row["answer"] for row in rows}
            left = {o: r for o, r in left.items() if said.get(r.command_id.bytes) != answer_of(r)}
            # Judged before the auditor kept answers: nothing can be said.
            old = await connection.fetch(
                """select distinct stream, version from journal_links
                   where topic = $1 and judgement = 'valid' and command_id is null and stream = any($2::text[])""",
                self._journal,
                [reply.stream for reply in left.values() if is_clean(reply.stream)],
            )
        unknown = {(row["stream"], row["version"]) for row in old}
        return {o: r for o, r in left.items() if (r.stream, r.version) not in unknown}


def answer_of(reply: Reply) -> bytes:
    """Digest of all that a reply says."""
    return sha256(reply.encoded()).digest()[:16]


def _reply(record: LogRecord) -> Reply | None:
    try:
        return Reply.decoded(record.value or b"")
    except msgspec.MsgspecError:
        return None


def _name(stream: str) -> str:
    return stream if is_clean(stream) else "?"


def _keep(held: OrderedDict[KeyT, ValueT], key: KeyT, value: ValueT) -> None:
    held[key] = value
    if len(held) > REMEMBERED:
        held.popitem(last=False)
