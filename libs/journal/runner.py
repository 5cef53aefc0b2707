"""One command partition: read, decide, append, learn the verdict from the log, answer, publish, commit the offset."""

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence
from typing import Any, Generic

from libs.contracts.messages import Reply
from libs.decider import Standstill
from libs.journal import answers
from libs.journal.again import FIRST_PAUSE_S, Again
from libs.journal.append_line import AppendLine, Shipment
from libs.journal.commit import Commit, digest
from libs.journal.deciding import Deciding, NotDecided, Repeated, Wait
from libs.journal.fold import Folded, PartitionFold, Position
from libs.journal.follower import Follower, Publish
from libs.journal.intake import Parked, answered, deciding, parked_record, take_in
from libs.journal.kept import MakeShelf, nameless
from libs.journal.lane import Flight, Lane, Open
from libs.journal.log import CommandSource, Fetched, Log, LogRecord, LogRewritten, LogUnavailable, OutRecord
from libs.journal.machine import CommandT, EventT, FreshT, Machine, StateT
from libs.journal.names import Names
from libs.journal.observer import Observer
from libs.journal.offsets import Offsets
from libs.journal.out_line import OutLine
from libs.journal.pace import Hooks, Pace
from libs.journal.published import check_published, published
from libs.journal.quotas import standing_of
from libs.journal.restore import restore
from libs.journal.shelf import Shelf
from libs.journal.signs import Signs
from libs.journal.tail import Tail
from libs.journal.tasks import together
from libs.journal.telling import STREAM_SET_ASIDE, Telling

__all__ = ["Hooks", "Pace", "PartitionRunner", "Superseded"]

_log = logging.getLogger(__name__)
_TOLD = 100
"""Who writes snapshots that are none of ours may write any number of them."""


class Superseded(Exception):
    """A newer owner writes to this partition; this one gives way (journal 4e). A hint, no part of the rule."""


class PartitionRunner(Generic[StateT, CommandT, EventT, FreshT]):
    """The writer of one partition, for as long as `run` runs. Any number of them may run at once, safely."""

    def __init__(
        self,
        machine: Machine[StateT, CommandT, EventT, FreshT],
        log: Log,
        source: CommandSource,
        names: Names,
        partition: int,
        publish: Publish[StateT, EventT],
        *,
        writer: str,
        generation: int = 0,
        hooks: Hooks[StateT] | None = None,
        observer: Observer | None = None,
        pace: Pace | None = None,
        now: Callable[[], int] | None = None,
        aside: Collection[str] = (),
        shelf: MakeShelf = nameless,
    ) -> None:
        """`now`, milliseconds since the epoch: where a standstill of the house matters, it gives signs of life.

        `aside`: streams whose snapshots can't be read, as an earlier runner has found.
        """
        self.machine = machine
        self.log = log
        self.source = source
        self.names = names
        self.partition = partition
        self.publish = publish
        self.writer = writer
        self.generation = generation
        self.hooks: Hooks[StateT] = hooks or Hooks()
        self.observer: Observer = observer or Observer()
        self.pace = pace or Pace()
        self.ready = asyncio.Event()
        """Set once restored and read to the end."""
        self._lanes: dict[str, Lane[StateT, CommandT, EventT]] = {}
        self._open: dict[int, Open[CommandT]] = {}
        self._by_digest: dict[bytes, Flight[StateT, CommandT, EventT]] = {}
        self._ripe: dict[str, None] = {}
        self._read_to: int | None = None
        self._paused = True
        self._superseded = False
        self._room = asyncio.Event()
        self._line = AppendLine(log, names.journal, partition, self.pace)
        self._out = OutLine(log, self.pace.patience_s)
        """Answers, public events and snapshots: what one turn of the loop makes shares one send."""
        self._tail: Tail
        self._fold: PartitionFold[StateT, EventT]
        self._shelf: Shelf
        self._follower: Follower[StateT, EventT]
        self._deciding: Deciding[StateT, CommandT, EventT, FreshT]
        self._again: Again[CommandT] = Again(machine.service, asyncio.get_running_loop().time)
        self._born = 0
        self._aside = aside
        self._make_shelf = shelf
        self._signs = Signs(now, asyncio.get_running_loop().time) if now is not None else None
        self._offsets = Offsets(*(source, partition, self._out, self.pace, self._signs, self._lowest_open, self._hear))

    @property
    def position(self) -> Position:
        """How far the confirmed fold has come."""
        return self._fold.position

    def why_stands(self) -> str | None:
        """Why nothing of it goes out, or is known to have gone out; None: it is."""
        return self._offsets.why_stands() or self._out.why_stands()

    def renew_generation(self, generation: int) -> None:
        """The group gave the partition to us again."""
        self.generation = generation
        if hasattr(self, "_deciding"):
            self._deciding.generation = generation

    async def run(self) -> None:
        """Runs until cancelled, once. Raises `LogRewritten`, `ReplayDiffers`, `Superseded`, `LogUnavailable` while
        starting, or what the machine's decoding raises."""
        assert not hasattr(self, "_fold"), "a runner runs once"
        try:
            await self._restore()
            await together(self._working(), self._out.run(), self._follower.run())
        except LogRewritten as wrong:
            self.observer.happened("chain_failures", self.partition)
            _log.critical("the journal is not the one that was folded: %s", wrong, extra={"partition": self.partition})
            raise
        finally:
            await self._stop()

    # Start and stop

    async def _restore(self) -> None:
        left: list[Telling] = []
        self._fold, self._shelf, manifests, parts = await restore(
            *(self.log, self.machine, self.names, self.partition, self._aside),
            self.machine.source_name(self.partition, self.names.incarnation),
            left.append,
            self._make_shelf,
        )
        self.observer.happened("snapshots_aside", self.partition, len(left))
        self._tell_aside(left)
        self._fold.replay_every = self.pace.replay_every
        self._deciding = Deciding(
            *(self.machine, self._fold, self.writer, self.generation, self._stood, self.names.incarnation)
        )
        self._tail = await Tail.open(self.log, self.names.journal, self.partition)
        self._follower = Follower(
            self._out,
            self.names.snapshots,
            self._fold,
            self._tail,
            self.publish,
            self.observer,
            self.pace,
            self._shelf,
            manifests,
            parts,
        )

    def _tell_aside(self, left: Sequence[Telling]) -> None:
        """In the log, the figures and, by the parked topic, to the auditor; of one start no more than `_TOLD`."""
        for each in left[:_TOLD]:
            at = {"topic": each.place[0], "partition": each.place[1], "offset": each.offset}
            _log.critical("%s, %s: %s", each.reason, each.key.decode(errors="replace"), each.why, extra=at)
            self._out.put(each.record(self.names.parked))

    async def _working(self) -> None:
        # The group's offset is learnt before the end: what lands behind the end is of a command that is read here, too.
        await self.source.learn()
        await self._tail.verify(self.position)
        # So is what was published: what another owner publishes from now on may be of commits behind the end.
        versions = await published(self.log, self.names.events, self.partition)
        self._born = await self._tail.end()
        await self._fold_to(self._born)
        check_published(versions, self._fold)
        moved = await self.source.begin(self._fold.decided)
        first = await self.source.read(self.pace.page, 0)
        if self._signs is not None:
            self._signs.begin(self.source.sign, self._fold.heads)
        for stream, state in self._fold.states.items():
            self.hooks.on_state(stream, state, self._fold.heads[stream].version)
        self._fold.on_wake = self._woken
        await self._line.renew()
        self._paused = False
        if moved is not None:
            self._out.put(moved.telling.record(self.names.parked))
        self.ready.set()
        self._take_page(first)
        await together(self._reading(), self._settling(), self._offsets.run(), self._asking_again(), self._resting())

    def _woken(self, stream: str) -> None:
        head = self._fold.heads[stream]
        if self._signs is not None:
            self._signs.found(stream, head)
        self.hooks.on_state(stream, self._fold.states[stream], head.version)

    async def _resting(self) -> None:
        """What is idle leaves memory: it lies on the shelf, and is decided from there as it would be from here."""
        while True:
            await asyncio.sleep(self.pace.idle_s)
            for number, stream in enumerate(self._fold.unused()):
                if stream not in self._lanes and self._follower.has_put_by(stream):
                    self._fold.put_by(stream)
                    self.hooks.on_put_by(stream)
                if number % self.pace.page == 0:
                    await asyncio.sleep(0)

    async def _fold_to(self, target: int) -> None:
        """Reads the journal up to here, no faster than what it says is published."""
        while self.position.next < target:
            await self._tail.page(self._fold, self._note)
            await self._follower.room()
        self._tail.rest()

    async def _stop(self) -> None:
        self._paused = True
        if hasattr(self, "_shelf"):
            self._shelf.close()  # at once: where it is kept, who comes next may be waiting for it
        await self._line.abandon()
        await self._out.abandon()
        if hasattr(self, "_follower"):
            await self._tail.close()

    # Commands in

    async def _reading(self) -> None:
        while True:
            while len(self._open) - len(self._again) >= self.pace.open_commands:
                self._room.clear()
                await self._room.wait()
            await self._follower.room()
            try:
                fetched = await self.source.read(self.pace.page, self.pace.read_wait_ms)
            except LogUnavailable:
                await asyncio.sleep(self.pace.first_pause_s)
                continue
            self._take_page(fetched)

    def _stood(self, stream: str) -> Standstill | None:
        return self._signs.stood(stream) if self._signs is not None else None

    def _hear(self) -> None:
        if self._signs is not None:
            self._signs.heard(self._fold.heads)

    def _take_page(self, fetched: Fetched) -> None:
        self._hear()
        now = asyncio.get_running_loop().time()
        for record in fetched.records:
            self._take(record, now)
        if fetched.position != self._read_to:
            self._read_to = fetched.position
            self._offsets.moved.set()
        self._line.ship()
        self.observer.stands("commands_open", self.partition, len(self._open))

    def _take(self, record: LogRecord, now: float) -> None:
        taken: Open[CommandT] | Parked = take_in(record, self.machine, self.partition, self.names.partitions, now)
        if isinstance(taken, Parked):
            # The offset is committed only after everything put out before is acknowledged.
            self._out.put(parked_record(record, taken, self.names.parked, self.names.commands, self.partition))
            self.observer.happened("parked", self.partition)
            return
        self._open[taken.offset] = taken
        stream = taken.message.stream
        lane = self._lanes.get(stream)
        if lane is None:
            lane = self._lanes[stream] = Lane(stream)
        lane.waiting.append(taken)
        self._advance(lane)

    def _advance(self, lane: Lane[StateT, CommandT, EventT]) -> None:
        """Decides as many of the lane's commands as may be decided now, in order."""
        while lane.waiting and not lane.frozen and not self._paused:
            command = lane.waiting[0]
            if self._again.stands_behind(command):
                self._close(self._again.keep(lane.waiting.popleft()))
                continue
            with deciding(command):
                outcome = self._deciding.weigh(lane, command)
            if isinstance(outcome, Wait):
                return
            lane.waiting.popleft()
            if isinstance(outcome, NotDecided) and outcome.verdict == "busy" and self._takes_again(command, outcome):
                continue
            self._close(self._again.decided(command))
            if isinstance(outcome, Flight):
                lane.flying[outcome.commit.command_id] = outcome
                self._by_digest[outcome.digest] = outcome
                self._line.put(outcome)
                continue
            self._answer_without_commit(lane.stream, command, outcome)
        if lane.idle:
            self._lanes.pop(lane.stream, None)

    def _takes_again(self, command: Open[CommandT], outcome: NotDecided) -> bool:
        if not self._again.takes(command.message.principal):
            return False
        at = {"stream": command.message.stream, "type": command.message.type, "reason": outcome.reason}
        _log.warning("a policy's command waits for room", extra=at)
        self.observer.happened("put_off", self.partition)
        self._close(self._again.keep(command))
        return True

    async def _asking_again(self) -> None:
        while True:
            await asyncio.sleep(FIRST_PAUSE_S)
            for command in self._again.due():
                # As a record that is put out it is safe before the offset of the one that was read is committed.
                headers = (("traceparent", command.traceparent.encode()),) if command.traceparent else ()
                stream, value = command.message.stream.encode(), command.message.encoded()
                self._out.put(OutRecord(self.names.commands, stream, value, headers, self.partition))
                self._close(command)

    # Verdicts

    async def _settling(self) -> None:
        while True:
            shipment = await self._line.next()
            try:
                await self._learn(shipment)
            except LogUnavailable:
                await self._start_over()
            self._advance_ripe()
            if self._superseded:
                raise Superseded(f"partition {self.partition} has a newer owner")

    async def _learn(self, shipment: Shipment) -> None:
        """Journal 7: folds everything up to the batch's own records, by the rule, own ones included."""
        base = await self._line.landed(shipment)
        if all(flight.settled for flight in shipment.flights):
            return  # noted while a gap was read for an earlier batch
        if base is not None and base == self.position.next:
            # No foreign record lies between: that spares the read, never the rule.
            for index, flight in enumerate(shipment.flights):
                self._note(LogRecord(base + index, None, flight.raw), flight.digest)
            return
        self.observer.happened("journal_gaps_read", self.partition)
        try:
            async with asyncio.timeout(self.pace.patience_s):
                await self._read_gap(shipment, base)
        except TimeoutError:
            raise LogUnavailable("the own records could not be read in time") from None

    async def _read_gap(self, shipment: Shipment, base: int | None) -> None:
        await self._tail.verify(self.position)  # journal 21
        if base is not None:
            await self._fold_to(base + len(shipment.flights))
            if not all(flight.settled for flight in shipment.flights):
                raise LogRewritten("the log acknowledged records that it does not hold")
            return
        while not all(flight.settled for flight in shipment.flights):
            # Accepted, place unknown: the end that a new leader reports may lag behind its log.
            await self._fold_to(await self._tail.end())
            await asyncio.sleep(0.002)

    async def _start_over(self) -> None:
        """Journal 11: unknown outcome. Everything optimistic goes, the log says what is true."""
        self.observer.happened("appends_unknown", self.partition)
        self._paused = True
        self._by_digest.clear()
        for lane in self._lanes.values():
            lane.put_back([*lane.void, *(flight.open for flight in lane.flying.values())])
            lane.void.clear()
            lane.flying.clear()
            lane.frozen = False
        pause = self.pace.first_pause_s
        while True:
            try:
                async with asyncio.timeout(self.pace.patience_s):
                    await self._line.renew()
                await self._tail.verify(self.position)
                await self._fold_to(await self._tail.end())
                break
            except (LogUnavailable, TimeoutError):
                await asyncio.sleep(pause)
                pause = min(2 * pause, self.pace.longest_pause_s)
        self._paused = False
        self._ripe.update(dict.fromkeys(self._lanes))

    def _note(self, record: LogRecord, raw_digest: bytes | None = None) -> None:
        """Folds one record and notes the verdict if it is an own one."""
        flight = self._by_digest.get(raw_digest or digest(record.value or b""))
        folded = self._fold.fold(record, flight)
        if folded.commit is None:
            where = {"partition": self.partition, "offset": folded.offset}
            _log.error("a journal record that is no commit: %s", folded.problem, extra=where)
            self.observer.happened("journal_undecodable", self.partition)
            return
        if folded.valid and folded.problem:
            self.observer.happened("streams_aside", self.partition)
            place, key = (self.names.journal, self.partition), folded.commit.stream.encode()
            self._tell_aside([Telling(STREAM_SET_ASIDE, place, folded.offset, key, folded.problem)])
        if folded.valid and self.ready.is_set():
            self._tell(folded.commit)
        if flight is not None:
            self._settle(flight, folded)
        elif folded.offset >= self._born and self._is_newer(folded.commit):
            self._superseded = True
        if folded.valid:
            self._follower.take(folded.commit, folded)  # journal 18

    def _is_newer(self, commit: Commit) -> bool:
        return commit.generation > self.generation and commit.writer != self.writer

    def _tell(self, commit: Commit) -> None:
        state = self._fold.states[commit.stream]
        self.hooks.on_state(commit.stream, state, commit.version)
        self.hooks.on_fold(commit.stream, state, commit)

    def _settle(self, flight: Flight[StateT, CommandT, EventT], folded: Folded[Any, Any]) -> None:
        lane = self._lanes[flight.commit.stream]
        self._forget(lane, flight)
        if folded.valid:
            self._answer_from_commit(flight)
        else:
            self._freeze(lane, flight)
        if not lane.flying:
            lane.put_back(lane.void)  # journal 8: in command order, new ones behind them
            lane.void.clear()
            lane.frozen = False
            self._ripe[lane.stream] = None

    def _freeze(self, lane: Lane[StateT, CommandT, EventT], flight: Flight[StateT, CommandT, EventT]) -> None:
        """Journal 8. What was sent behind the void commit gets a verdict of its own; what was not is taken back."""
        self.observer.happened("commits_void", self.partition)
        lane.frozen = True
        for lost in (flight, *self._line.withdraw(lane.stream)):
            if lost is not flight:
                self._forget(lane, lost)
            if lost.drew:
                self.observer.happened("draws_discarded", self.partition)
            lane.void.append(lost.open)

    def _forget(self, lane: Lane[StateT, CommandT, EventT], flight: Flight[StateT, CommandT, EventT]) -> None:
        flight.settled = True
        self._by_digest.pop(flight.digest, None)
        del lane.flying[flight.commit.command_id]

    def _advance_ripe(self) -> None:
        ripe, self._ripe = self._ripe, {}
        for stream in ripe:
            lane = self._lanes.get(stream)
            if lane is not None:
                self._advance(lane)
        self._line.ship()

    # Answers

    def _answer_from_commit(self, flight: Flight[StateT, CommandT, EventT]) -> None:
        self._answer(flight.open, answers.from_commit(flight.commit))
        self.observer.commit_seconds(asyncio.get_running_loop().time() - flight.open.arrived)

    def _answer_without_commit(self, stream: str, command: Open[CommandT], outcome: Repeated | NotDecided) -> None:
        if isinstance(outcome, NotDecided) and standing_of(command.message.principal) in ("policy", "house"):
            # Nobody waits for this answer: what the command was to tell is lost.
            at = {"stream": stream, "type": command.message.type, "reason": outcome.reason}
            _log.error("a command of the house itself was not decided", extra=at)
        version = self._fold.head(stream).version
        self._answer(command, answers.without_commit(command.message.id, stream, version, outcome))

    def _answer(self, command: Open[CommandT], reply: Reply) -> None:
        self._out.put(answers.record(self.names.replies, reply, command.traceparent, command.reply_to))
        self.observer.command_answered(reply.verdict, reply.reason)
        self._close(command, reply.verdict)

    def _close(self, command: Open[CommandT] | None, verdict: str = "busy") -> None:
        """Its offset may be passed. None: there is nothing to close."""
        if command is None:
            return
        answered(command, verdict)
        self._open.pop(command.offset, None)
        self._room.set()
        self._offsets.moved.set()

    def _lowest_open(self) -> int | None:
        """Journal 12: below it, every command has its verdict."""
        return next(iter(self._open), self._read_to)
