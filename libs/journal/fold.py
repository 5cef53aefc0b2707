"""The one rule: which commits count, and what they make of a stream. Every reader folds with this and nothing else.

Rule, eviction and `evolve` are frozen per journal incarnation (journal 3): changing one is a format change, no deploy.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol

import msgspec

from libs.contracts.topics import partition_of
from libs.journal.commit import Commit, Undecodable, decode, digest, genesis, time_in
from libs.journal.log import LogRecord
from libs.journal.machine import EventT, Machine, StateT
from libs.journal.positions import Decided
from libs.journal.ring import Answer, Ring

Judgement = Literal["valid", "void_prev", "void_base", "void_partition", "undecodable", "covered"]
"""`covered`: below the stream's snapshot, so not judged again (journal 17)."""


@dataclass(slots=True)
class Head:
    """What a reader knows of one stream (journal 15), its state apart."""

    version: int
    prev: bytes
    time: int = 0
    """Stream time: the latest `command_time` of its valid commits."""
    last_offset: int = -1
    ring: Ring = field(default_factory=Ring)
    high_water: dict[str, int] = field(default_factory=dict)

    @classmethod
    def for_judging(cls, version: int, prev: bytes, time: int = 0, last_offset: int = -1) -> "Head":
        """Of a reader that answers no command: it remembers none, and an empty ring for each stream is 1 kB."""
        return cls(version, prev, time, last_offset, _NO_RING, _NO_SOURCES)


_NO_RING, _NO_SOURCES = Ring(), dict[str, int]()
"""Never written to."""


# Made for every record by every reader, so structs: a frozen dataclass takes eight times as long to make.


class Step(msgspec.Struct, Generic[StateT, EventT], frozen=True, gc=False):
    """One event with the state that it leaves."""

    version: int
    type: str
    event: EventT
    state: StateT


class Folded(msgspec.Struct, Generic[StateT, EventT], frozen=True, gc=False):
    """One journal record after the rule. `steps` are set for valid commits only."""

    offset: int
    raw: bytes
    commit: Commit | None
    judgement: Judgement
    steps: Sequence[Step[StateT, EventT]] = ()
    problem: str = ""
    """What is wrong with it; of a valid one: why its stream is set aside from here on (journal 25)."""
    stream_time: int = 0
    """Of a valid one: its stream's before it (journal 13), milliseconds since the epoch; 0: it is the first."""

    @property
    def valid(self) -> bool:
        return self.judgement == "valid"


class Known(Protocol[StateT, EventT]):
    """What the writer of a commit knows of its bytes: their digest, what they say, what they make of the state."""

    @property
    def digest(self) -> bytes: ...
    @property
    def commit(self) -> Commit: ...
    @property
    def steps(self) -> Sequence[Step[StateT, EventT]]: ...


class Woken(msgspec.Struct, Generic[StateT], frozen=True):
    """A stream that lay on disk."""

    head: Head
    state: StateT
    upto: int
    aside: str = ""


class CannotFold(Exception):
    """A commit that the rule lets count, and whose events make no state of the one before. The text says what raised,
    and quotes no state."""


class ReplayDiffers(Exception):
    """The bytes of a commit do not give the state that was folded while deciding: decider or codec is at fault."""


class Position(msgspec.Struct, frozen=True, gc=False):
    """How far a reader has come, with the digest that proves it was this log (journal 21)."""

    next: int = 0
    last: int = -1
    """Offset of the last record folded; -1 before the first."""
    digest: bytes = b""


def judge(head: Head, commit: Commit, partition: int, partitions: int) -> Judgement:
    """Journal 3. Pure; depends on nothing but the records before this one."""
    if head.last_offset < 0 and partition_of(commit.stream, partitions) != partition:  # journal 1
        return "void_partition"  # a stream that has a valid commit here belongs here
    if commit.prev != head.prev:
        return "void_prev"
    if commit.base != head.version:  # implied by `prev`; kept as an assertion that holds in every reader alike
        return "void_base"
    return "valid"


def follow(head: Head, raw_digest: bytes, commit: Commit, offset: int) -> None:
    """Moves a head over a valid commit, as far as it takes to judge the next one."""
    head.version = commit.version
    head.prev = raw_digest
    if commit.command_time > head.time:
        head.time = commit.command_time
    head.last_offset = offset


def advance(head: Head, raw_digest: bytes, commit: Commit, offset: int, horizon_ms: int) -> None:
    """Moves a head over a valid commit, and remembers its command."""
    follow(head, raw_digest, commit, offset)
    head.ring.add(commit.command_id, Answer.of(commit))
    head.ring.evict(head.time, horizon_ms)
    if commit.command_offset > head.high_water.get(commit.source, -1):
        head.high_water[commit.source] = commit.command_offset


def is_expired(command_id: bytes, effective_time: int, horizon_ms: int) -> bool:
    """Journal 13: too old to be told from a repetition, so it is not decided."""
    return effective_time > time_in(command_id) + horizon_ms


class PartitionFold(Generic[StateT, EventT]):
    """The fold of one journal partition: heads and states of its streams, and how far it has come."""

    def __init__(
        self,
        partition: int,
        partitions: int,
        journal_name: str,
        machine: Machine[StateT, Any, EventT, Any] | None,
    ) -> None:
        """Without a machine it judges and keeps heads, but no states and no ids (audit)."""
        self.partition = partition
        self.partitions = partitions
        self.journal_name = journal_name
        self.machine = machine
        self.heads: dict[str, Head] = {}
        self.states: dict[str, StateT] = {}
        self.covered: dict[str, int] = {}
        """Stream to the offset that its snapshot covers (journal 17)."""
        self.aside: dict[str, str] = {}
        """Streams that nothing can be decided on, and why: their heads go on by the rule, their states do not."""
        self.position = Position()
        self.source = ""
        """Whose commands are numbered: the partition's own (journal 14)."""
        self.decided = Decided()
        """The highest of them, as far as is known (journal 12)."""
        self.replay_every = 0
        """Of so many commits whose writer says what they make of the state one is replayed; 0: none."""
        self._adopted = 0
        self.asleep: Callable[[str], Woken[StateT] | None] | None = None
        """Finds a stream that is not in memory."""
        self.on_wake: Callable[[str], None] = lambda stream: None
        self._used: set[str] = set()
        """Streams that somebody asked for since `unused`."""

    def head(self, stream: str) -> Head:
        """The stream's head; for a stream without a valid commit, a fresh one that is not kept."""
        self._wake(stream)
        known = self.heads.get(stream)
        if known is not None:
            return known
        first = genesis(self.journal_name, stream)
        return Head(0, first) if self.machine is not None else Head.for_judging(0, first)

    def state(self, stream: str) -> StateT:
        self._wake(stream)
        if stream in self.states:
            return self.states[stream]
        assert self.machine is not None
        return self.machine.decider.initial(stream)

    def _wake(self, stream: str) -> None:
        if self.asleep is None:
            return
        self._used.add(stream)
        if stream not in self.heads and (found := self.asleep(stream)) is not None:
            self.take_up(stream, found)
            self.on_wake(stream)

    def take_up(self, stream: str, found: Woken[StateT]) -> None:
        """What a snapshot holds of it."""
        self.heads[stream], self.states[stream], self.covered[stream] = found.head, found.state, found.upto
        if found.aside:
            self.aside[stream] = found.aside

    def unused(self) -> list[str]:
        """Streams in memory that nobody has asked for since the last time."""
        used, self._used = self._used, set()
        return [stream for stream in self.heads if stream not in used]

    def put_by(self, stream: str) -> None:
        """Lets go of what `asleep` finds again."""
        del self.heads[stream], self.states[stream]
        self.covered.pop(stream, None)
        self.aside.pop(stream, None)

    def fold(self, record: LogRecord, known: "Known[StateT, EventT] | None" = None) -> Folded[StateT, EventT]:
        """Takes the next record. `known` spares doing again what its writer did with these very bytes.

        Raises what the machine's decoding raises, and `ReplayDiffers`. A stream whose events make no state is set
        aside: `Folded.problem` says so once.
        """
        raw = record.value or b""
        raw_digest = digest(raw) if known is None else known.digest
        assert record.offset >= self.position.next, "records are folded in order, each once"
        self.position = Position(record.offset + 1, record.offset, raw_digest)
        try:
            commit = decode(raw) if known is None else known.commit
        except Undecodable as wrong:
            return Folded(record.offset, raw, None, "undecodable", problem=str(wrong))
        head = self.head(commit.stream)
        if self.covered and record.offset < self.covered.get(commit.stream, 0):
            return Folded(record.offset, raw, commit, "covered")
        judgement = judge(head, commit, self.partition, self.partitions)
        if judgement != "valid":
            return Folded(record.offset, raw, commit, judgement)
        return self._apply(record.offset, raw, raw_digest, commit, head, known)

    def skip_to(self, position: int) -> None:
        """Moves over offsets that hold no record (markers); the fetch position says so, not a count (journal 4d)."""
        if position > self.position.next:
            self.position = Position(position, self.position.last, self.position.digest)

    def _apply(
        self,
        offset: int,
        raw: bytes,
        raw_digest: bytes,
        commit: Commit,
        head: Head,
        known: "Known[StateT, EventT] | None",
    ) -> Folded[StateT, EventT]:
        stream_time = head.time
        if self.machine is None:
            self.heads[commit.stream] = head
            self._advance(head, raw_digest, commit, offset)
            return Folded(offset, raw, commit, "valid", stream_time=stream_time)
        before, problem = self.state(commit.stream), ""
        steps: Sequence[Step[StateT, EventT]] = ()
        if commit.stream not in self.aside:
            try:
                steps = evolved(self.machine, before, commit) if known is None else self._adopt(before, raw, known)
            except CannotFold as wrong:
                problem = self.aside[commit.stream] = str(wrong)
                before = self.machine.decider.initial(commit.stream)  # nothing falls due in it
        self.heads[commit.stream] = head
        self.states[commit.stream] = steps[-1].state if steps else before
        self._advance(head, raw_digest, commit, offset)
        return Folded(offset, raw, commit, "valid", steps, problem, stream_time)

    def _advance(self, head: Head, raw_digest: bytes, commit: Commit, offset: int) -> None:
        if self.machine is None:
            follow(head, raw_digest, commit, offset)
        else:
            advance(head, raw_digest, commit, offset, self.machine.horizon_ms)
        if commit.command_offset > self.decided.offset and commit.source == self.source:
            self.decided = Decided(commit.command_offset, commit.command_time)

    def _adopt(self, before: StateT, raw: bytes, known: "Known[StateT, EventT]") -> Sequence[Step[StateT, EventT]]:
        """Journal 7: the chain says that it was decided on this very state, so what was folded then counts."""
        self._adopted += 1
        if self.replay_every and self._adopted % self.replay_every == 0:
            assert self.machine is not None
            where = f"{known.commit.stream} after version {known.commit.base}"
            try:
                same = evolved(self.machine, before, decode(raw)) == list(known.steps)
            except CannotFold as wrong:
                raise ReplayDiffers(f"{where}: {wrong}") from wrong
            if not same:
                raise ReplayDiffers(f"{where}: the bytes replay to something else than was decided")
        return known.steps


def evolved(machine: Machine[StateT, Any, EventT, Any], before: StateT, commit: Commit) -> list[Step[StateT, EventT]]:
    """The commit's events, decoded from its bytes, with the state after each. Raises `CannotFold`, and what decoding
    raises."""
    steps: list[Step[StateT, EventT]] = []
    state, version = before, commit.base
    decode_event, evolve = machine.decode_event, machine.decider.evolve
    secret = machine.unseal(commit.stream, commit.base, commit.sealed) if commit.sealed else None
    for kind, payload in commit.events:
        version += 1
        event = decode_event(kind, payload)
        try:
            state = evolve(state, event)
            if secret is not None:
                state = machine.receive(state, event, secret)
        except Exception as wrong:
            raise CannotFold(f"{type(wrong).__name__} from {kind}, version {version}") from wrong
        steps.append(Step(version, kind, event, state))
    return steps


AnyFold = PartitionFold[Any, Any]
