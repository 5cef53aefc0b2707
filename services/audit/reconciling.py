"""Every commit has its command, and every answer and every public event its commit.

What has a true mark and still does not fit was written by a service that somebody changed, or with its key.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

import msgspec

from libs.contracts.house import HouseCreated
from libs.contracts.messages import PublicEvent, Reply
from libs.contracts.topics import REPLIES, partition_of, topic
from libs.journal.answers import from_commit
from libs.journal.commit import Commit, Undecodable, decode, time_in
from libs.journal.fold import Folded
from libs.journal.intake import speaks_for
from libs.journal.log import Log, LogRecord, OffsetOutOfRange
from libs.journal.marks import Marking
from libs.journal.publishing import public_events
from libs.journal.tail import end_of
from libs.projecting import Arrived, Pool
from services.audit.links import answer_of, links_of_commands
from services.audit.readers import stored
from services.audit.undecided import Open as Waiting
from services.audit.undecided import Undecided, named
from services.audit.verifying.commands import AGAIN, LATE_MS, REMEMBERED, Commands
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.publication import digest_of

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
        self._journal = prefix + topic(service, "journal").name
        self._commands = Commands(log, marks, service, prefix, house)
        self._of_house = house.partitions
        self._said: OrderedDict[bytes, bytes] = OrderedDict()
        self._decided: OrderedDict[_Cause, Decided] = OrderedDict()
        self._judged: dict[int, int] = {}
        self._given_up: set[int] = set()
        self._false_links: dict[str, Finding] = {}
        replies = [(prefix + REPLIES.name, number) for number in range(REPLIES.partitions(house.partitions))]
        parked = prefix + topic(service, "parked").name
        self.undecided = Undecided(log, service, replies, parked, self._commands.topic, house.at)

    def judged(self, partition: int, position: int) -> None:
        """So far its journal is judged, and written down."""
        self._judged[partition] = position

    def given_up(self, partition: int) -> None:
        """Its journal is another one now: nothing is held against it, so that the other partitions are."""
        self._given_up.add(partition)

    def command(self, partition: int, record: LogRecord) -> None:
        """A true record of its commands topic."""
        asked = self._commands.hear(partition, record)
        if asked is not None and speaks_for("gateway", asked.principal):
            place = (partition, record.offset)
            self.undecided.asked(Waiting(*place, asked.id.bytes, asked.stream, record.timestamp))

    async def commits(
        self, partition: int, batch: Iterable[Folded[Any, Any]], times: Mapping[int, int]
    ) -> list[Finding]:
        """Findings on the valid ones among journal records, each of whose answers is remembered. `times`: by offset,
        when the broker took it in."""
        valid = [each for each in batch if each.commit is not None and each.valid]
        found = await self._again(partition, valid)
        for folded in valid:
            commit = folded.commit
            assert commit is not None
            _keep(self._said, commit.command_id, answer_of(from_commit(commit)))
            self._remember(partition, commit)
            if self._commands.is_source_of(partition, commit):
                self.undecided.committed(partition, commit)
            at = times[folded.offset]
            wrong = await self._commands.check(partition, folded.offset, at, commit, folded.stream_time)
            if wrong is not None:
                found.append(wrong)
        return found

    async def _again(self, partition: int, valid: Sequence[Folded[Any, Any]]) -> list[Finding]:
        """Findings on commits whose command has a valid one in their stream before: a true command is good for one."""
        if not valid:
            return []
        asked = [each.commit.command_id for each in valid if each.commit is not None]
        since = min(map(time_in, asked)) - LATE_MS  # no commit is older than its command, but for clocks that differ
        first: dict[tuple[str, bytes], int] = {}
        for row in await self._links(asked, since):
            if row["partition"] == partition:
                first.setdefault((row["stream"], row["command_id"]), row["offset"])
        found = []
        for folded in valid:
            commit, offset = folded.commit, folded.offset
            assert commit is not None
            before = first.setdefault((commit.stream, commit.command_id), offset)
            if before < offset and not self._commands.was_carried(partition, offset):
                place = (self._journal, partition, offset)
                found.append(Finding(Kind.COMMAND, commit.stream, AGAIN.format(before), commit.version, *place))
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
        """Findings on commands of persons that nothing became of, and on what is not ours among links that were asked
        for. Nothing is said of a command before the journal is judged up to where it ends now."""
        forgotten = [*self.undecided.forgotten(), *self._false_links.values()]
        self._false_links.clear()
        suspects = self.undecided.ripe()
        if not suspects:
            return forgotten
        ends = {number: await end_of(self._log, self._journal, number) for number in {s.partition for s in suspects}}
        left = await self._not_judged(ends)
        suspects = [each for each in suspects if each.partition not in left and each.partition not in self._given_up]
        known = {row["command_id"] for row in await self._links([each.id for each in suspects])}
        self.undecided.settled(each for each in suspects if each.id in known)
        return forgotten + await self.undecided.lost([each for each in suspects if each.id not in known])

    def _streams_of(self, replies: Mapping[int, Reply]) -> set[int]:
        return {partition_of(each.stream, self._of_house) for each in replies.values()}

    async def _not_judged(self, ends: Mapping[int, int]) -> dict[int, int]:
        """Partitions of the journal that are not judged up to these ends, and how far they are: what another auditor
        judges it writes down."""
        others = [number for number in ends if number not in self._judged]
        at = dict.fromkeys(others, 0) | self._judged
        if others:
            async with self._pool.acquire() as connection:
                rows = await stored(connection, self._marks, READER, [(self._journal, number) for number in others])
            at |= {number: row.position.next for (_, number), row in rows.items() if row.position is not None}
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
        return self._undecided(left, await self._recalled(left))

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
        forgotten = [cause for partition, cause in causes if (partition, cause) not in self._decided]
        wanted: dict[int, list[int]] = {}
        for row in await self._links(forgotten):
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

    async def _unanswered(self, replies: Mapping[int, Reply]) -> dict[int, Reply]:
        """Those of the replies that say something else than the commit that we know, or whose commit we don't know."""
        left = {o: r for o, r in replies.items() if self._said.get(r.command_id.bytes) != answer_of(r)}
        if not left:
            return {}
        said = {
            row["command_id"]: row["answer"] for row in await self._links([r.command_id.bytes for r in left.values()])
        }
        return {o: r for o, r in left.items() if said.get(r.command_id.bytes) != answer_of(r)}

    async def _links(self, commands: Sequence[bytes], since: int = 0) -> list[Any]:
        """Of the valid commits of these, as they were judged. `since`: none was taken in before, milliseconds."""
        async with self._pool.acquire() as connection:
            rows, false = await links_of_commands(connection, self._marks, self._journal, commands, since)
        self._false_links |= {each.detail: each for each in false}
        return rows


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
