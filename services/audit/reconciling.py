"""Every commit has its command, and every answer and every public event its commit.

What has a true mark and still does not fit was written by a service that somebody changed, or with its key.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

import msgspec

from libs.contracts.house import HouseCreated
from libs.contracts.messages import Principal, PublicEvent, Reply
from libs.contracts.reading import read
from libs.contracts.texts import is_clean
from libs.contracts.topics import REPLIES, partition_of, topic
from libs.journal.answers import from_commit
from libs.journal.commit import Commit, Undecodable, decode
from libs.journal.fold import Folded
from libs.journal.intake import speaks_for
from libs.journal.log import Log, LogRecord, OffsetOutOfRange
from libs.journal.marks import Marking
from libs.journal.publishing import public_events
from libs.journal.tail import end_of
from libs.projecting import Arrived, Pool
from services.audit.undecided import Open as Waiting
from services.audit.undecided import Undecided, named
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.publication import digest_of

REMEMBERED = 20_000
"""Commands, answers and commits of one service that need not be asked for; what is older is read again."""
_PAGE = 200
_WAIT_MS = 500
_LOOK_S = 0.1
_USUAL_S = 0.5
"""So long after its event a commit is often judged: both are read once a second. Then the log is asked for its end."""
QUIET_S = 60.0
READER = "audit"
"""Of the positions up to which journals are judged."""
KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")


class Asked(msgspec.Struct, frozen=True):
    """As much of a command as its commit repeats."""

    id: UUID
    stream: str
    principal: Principal
    correlation: str = ""


_ASKED = msgspec.json.Decoder(Asked)


class _Quiet:
    """Whether nobody else judges any more: behind the last commit foreign records may lie, which no position passes
    that is written down. Where an auditor ended, its partitions are another one's long before."""

    def __init__(self) -> None:
        self._seen: Mapping[int, int] = {}
        self._since = time.monotonic()

    def for_long(self, left: Mapping[int, int]) -> bool:
        if left != self._seen:
            self._seen, self._since = left, time.monotonic()
        return time.monotonic() - self._since > QUIET_S


class Decided(NamedTuple):
    """What a commit lets be published: a digest for each version above `base`."""

    stream: str
    base: int
    digests: tuple[bytes, ...]

    def says(self, event: PublicEvent) -> bool:
        at = event.version - self.base - 1
        return event.stream == self.stream and 0 <= at < len(self.digests) and self.digests[at] == digest_of(event)


_Cause = tuple[int, bytes]
"""Partition and id of a command, which the events of its commit name."""


class Reconciliation:
    """Of one service's commands, commits, answers and public events."""

    def __init__(self, log: Log, marks: Marking, pool: Pool, service: str, prefix: str, house: HouseCreated) -> None:
        self.service = service
        self._marks = marks
        self._log = log
        self._pool = pool
        self._commands = prefix + topic(service, "commands").name
        self._journal = prefix + topic(service, "journal").name
        self._source = f"{service}-commands.{house.incarnation}"
        self._of_house = house.partitions
        self._carried = house.carried.get(service, ())
        self._asked: OrderedDict[tuple[int, int], Asked | None] = OrderedDict()
        self._said: OrderedDict[bytes, bytes] = OrderedDict()
        self._decided: OrderedDict[_Cause, Decided] = OrderedDict()
        self._judged: dict[int, int] = {}
        self._given_up: set[int] = set()
        replies = [(prefix + REPLIES.name, number) for number in range(REPLIES.partitions(house.partitions))]
        parked = prefix + topic(service, "parked").name
        self.undecided = Undecided(log, service, replies, parked, self._commands, house.at)

    def judged(self, partition: int, position: int) -> None:
        """So far its journal is judged, and written down."""
        self._judged[partition] = position

    def given_up(self, partition: int) -> None:
        """Its journal is another one now: nothing is held against it, so that the other partitions are."""
        self._given_up.add(partition)

    def command(self, partition: int, record: LogRecord) -> None:
        """A true record of its commands topic.

        The service checks the gateway's marks there, and so could make them: in the name of people nothing counts that
        has not the second mark, which the gateway makes for us alone.
        """
        asked = self._hear(partition, record)
        if asked is not None and speaks_for("gateway", asked.principal):
            place = (partition, record.offset)
            self.undecided.asked(Waiting(*place, asked.id.bytes, asked.stream, record.timestamp))

    def _hear(self, partition: int, record: LogRecord) -> Asked | None:
        try:
            asked: Asked | None = read(_ASKED, record.value or b"")
        except msgspec.MsgspecError:
            asked = None
        persons = asked is not None and speaks_for("gateway", asked.principal)
        if persons and self._marks.why_not_asked((self._commands, partition), record) is not None:
            asked = None
        _keep(self._asked, (partition, record.offset), asked)
        return asked

    async def commits(self, partition: int, batch: Iterable[Folded[Any, Any]]) -> list[Finding]:
        """Findings on the valid ones among journal records, each of whose answers is remembered."""
        found = []
        for folded in batch:
            commit = folded.commit
            if commit is None or not folded.valid:
                continue
            _keep(self._said, commit.command_id, answer_of(from_commit(commit)))
            self._remember(partition, commit)
            if commit.source == f"{self._source}/{partition}":
                self.undecided.committed(partition, commit)
            # What was carried here was held against its command in the house before; its record tells where that ends.
            is_carried = partition < len(self._carried) and folded.offset < self._carried[partition]
            wrong = None if is_carried else await self._wrong_command(partition, commit)
            if wrong:
                place = (commit.version, self._journal, partition, folded.offset)
                found.append(Finding(Kind.COMMAND, commit.stream, wrong, *place))
        return found

    async def replies(self, topic: str, partition: int, records: Iterable[LogRecord]) -> list[Finding]:
        """Findings on true records of the replies topic that this service has written."""
        waiting: dict[int, Reply] = {}
        for record in records:
            reply = _reply(record)
            if reply is not None:
                self.undecided.answered(reply)
            if reply is not None and reply.verdict in ("accepted", "rejected"):
                waiting[record.offset] = reply
        waiting = await self._unanswered(waiting)
        if waiting:
            # An answer comes after its commit: it is there once the journal is judged up to where it ends now.
            # A gateway hears its answers in a partition of its own choice; the commit lies in its stream's.
            ends = {number: await end_of(self._log, self._journal, number) for number in self._streams_of(waiting)}
            quiet = _Quiet()
            while waiting and (left := await self._not_judged(ends)):
                if left.keys().isdisjoint(self._judged) and quiet.for_long(left):
                    break
                await asyncio.sleep(_LOOK_S)
                waiting = await self._unanswered(waiting)
            waiting = await self._unanswered(waiting)
        detail = f"{self.service} has given an answer that no commit says"
        return [Finding(Kind.ANSWER, named(r.stream), detail, None, topic, partition, o) for o, r in waiting.items()]

    async def passed_over(self) -> list[Finding]:
        """Findings on commands of persons that nothing became of. Nothing is said before the journal is judged up to
        where it ends now."""
        forgotten = self.undecided.forgotten()
        suspects = self.undecided.ripe()
        if not suspects:
            return forgotten
        ends = {number: await end_of(self._log, self._journal, number) for number in {s.partition for s in suspects}}
        left = await self._not_judged(ends)
        suspects = [each for each in suspects if each.partition not in left and each.partition not in self._given_up]
        rows = await self._pool.fetch(
            """select command_id from journal_links
               where topic = $1 and judgement = 'valid' and command_id = any($2::bytea[])""",
            *(self._journal, [each.id for each in suspects]),
        )
        known = {row["command_id"] for row in rows}
        self.undecided.settled(each for each in suspects if each.id in known)
        return forgotten + await self.undecided.lost([each for each in suspects if each.id not in known])

    def _streams_of(self, replies: Mapping[int, Reply]) -> set[int]:
        return {partition_of(each.stream, self._of_house) for each in replies.values()}

    async def _not_judged(self, ends: Mapping[int, int]) -> dict[int, int]:
        """Partitions of the journal that are not judged up to these ends, and how far they are: what another auditor
        judges it writes down."""
        others = [number for number in ends if number not in self._judged]
        rows = await self._pool.fetch(
            "select partition, next from readers where reader = $1 and topic = $2 and partition = any($3::int[])",
            *(READER, self._journal, others),
        ) if others else []  # fmt: skip
        at = dict.fromkeys(others, 0) | self._judged | {row["partition"]: row["next"] for row in rows}
        return {number: at[number] for number, end in ends.items() if at[number] < end}

    async def events(self, arrived: Iterable[Arrived]) -> list[Finding]:
        """Findings on true records of this service's public topic, one for each stream.

        An event is published after its commit: it is known, or will be once the journal is judged up to where it ends
        now. Until then nothing that comes behind is looked at.
        """
        left = self._undecided(arrived)
        if left:
            left = self._undecided(left, await self._recalled(left))
        if left:
            left = await self._settled(left)
        first: dict[tuple[int, str], list[Arrived]] = {}
        for each in left:
            assert each.event is not None
            first.setdefault((each.partition, each.event.stream), []).append(each)
        return [_not_decided(each) for each in first.values()]

    async def _settled(self, left: list[Arrived]) -> list[Arrived]:
        for _ in range(round(_USUAL_S / _LOOK_S)):
            if not (left := self._undecided(left)):
                return []
            await asyncio.sleep(_LOOK_S)
        ends = {each: await end_of(self._log, self._journal, each) for each in {each.partition for each in left}}
        while left and any(self._judged.get(each, 0) < end for each, end in ends.items() if each not in self._given_up):
            await asyncio.sleep(_LOOK_S)
            left = self._undecided(left)
        left = self._undecided(left, await self._recalled(left))
        old = await self._before_answers({each.event.stream for each in left if each.event is not None})
        oldest: dict[str, int] = {}
        for stream, version in old:
            oldest[stream] = max(version, oldest.get(stream, 0))
        return [each for each in left if each.event and each.event.version > oldest.get(each.event.stream, 0)]

    def _undecided(self, arrived: Iterable[Arrived], recalled: Mapping[_Cause, Decided] = {}) -> list[Arrived]:
        """Events that no commit says that we know. What is no event at all is parked, and told so."""
        found = []
        for each in arrived:
            event = each.event
            if event is None or each.partition in self._given_up:
                continue
            cause = each.partition, _cause(event)
            decided = self._decided.get(cause) or recalled.get(cause)
            if decided is None or not decided.says(event):
                found.append(each)
        return found

    def _remember(self, partition: int, commit: Commit) -> None:
        if commit.events:
            _keep(self._decided, (partition, commit.command_id), _decided(commit))

    async def _recalled(self, arrived: Sequence[Arrived]) -> dict[_Cause, Decided]:
        """Commits of these events that were judged, and forgotten since: read again."""
        causes = {(each.partition, _cause(each.event)) for each in arrived if each.event is not None}
        rows = await self._pool.fetch(
            """select partition, "offset", command_id from journal_links
               where topic = $1 and judgement = 'valid' and command_id = any($2::bytea[]) order by 1, 2""",
            *(self._journal, [cause for partition, cause in causes if (partition, cause) not in self._decided]),
        )
        wanted: dict[int, list[int]] = {}
        for row in rows:
            if (row["partition"], row["command_id"]) in causes:
                wanted.setdefault(row["partition"], []).append(row["offset"])
        found: dict[_Cause, Decided] = {}
        for partition, offsets in wanted.items():
            for commit in await self._commits_at(partition, offsets):
                found[partition, commit.command_id] = _decided(commit)
        return found

    async def _commits_at(self, partition: int, offsets: Sequence[int]) -> list[Commit]:
        """`offsets` in order; where another log lies there now than was judged, who follows it tells."""
        found: list[Commit] = []
        reader = await self._log.reader(self._journal, partition)
        try:
            position = 0
            for offset in offsets:
                while position <= offset:
                    fetched = await reader.read(offset, _PAGE, _WAIT_MS)
                    wanted = (each for each in fetched.records if each.offset in offsets)
                    found += [decode(each.value or b"") for each in wanted]
                    position = fetched.position
        except (OffsetOutOfRange, Undecodable):
            pass
        finally:
            await reader.close()
        return found

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
                    self._hear(partition, record)
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
        unknown = await self._before_answers({reply.stream for reply in left.values()})
        return {o: r for o, r in left.items() if (r.stream, r.version) not in unknown}

    async def _before_answers(self, streams: Iterable[str]) -> set[tuple[str, int]]:
        """Streams and versions judged before the auditor kept answers and causes: nothing can be said."""
        if not (clean := [each for each in streams if is_clean(each)]):
            return set()
        rows = await self._pool.fetch(
            """select distinct stream, version from journal_links
               where topic = $1 and judgement = 'valid' and command_id is null and stream = any($2::text[])""",
            *(self._journal, clean),
        )
        return {(row["stream"], row["version"]) for row in rows}


def answer_of(reply: Reply) -> bytes:
    """Digest of all that a reply says."""
    return sha256(reply.encoded()).digest()[:16]


def _decided(commit: Commit) -> Decided:
    return Decided(commit.stream, commit.base, tuple(digest_of(each) for each in public_events(commit)))


def _cause(event: PublicEvent) -> bytes:
    """Id of the command; what is none is nobody's."""
    try:
        return UUID(event.causation).bytes
    except ValueError:
        return b""


def _not_decided(events: Sequence[Arrived]) -> Finding:
    """Of one stream; the first stands for those behind it."""
    first, last = events[0], events[-1]
    assert first.event is not None
    more = f"; {len(events)} of them up to offset {last.offset}" if len(events) > 1 else ""
    detail = f"no commit says what was published as version {first.event.version}{more}"
    place = (first.topic, first.partition, first.offset)
    return Finding(Kind.PUBLICATION, first.event.stream, detail, first.event.version, *place)


def _reply(record: LogRecord) -> Reply | None:
    try:
        return Reply.decoded(record.value or b"")
    except msgspec.MsgspecError:
        return None


def _keep(held: OrderedDict[KeyT, ValueT], key: KeyT, value: ValueT) -> None:
    held[key] = value
    if len(held) > REMEMBERED:
        held.popitem(last=False)
