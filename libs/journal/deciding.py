"""What to do with the command at the head of a lane: answer it, let it wait, or decide it into a commit."""

import logging
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal

from libs.contracts.commands import AnyReason
from libs.decider import Given, Rejected, Standstill
from libs.journal.commit import Commit, digest, encode
from libs.journal.fold import PartitionFold, Step, is_expired
from libs.journal.lane import Flight, Lane, Open, Tip
from libs.journal.machine import CommandT, EventT, FreshT, Machine, StateT
from libs.journal.quotas import has_room_for_anybody, mark_of, why_no_room
from libs.journal.ring import Answer, Ring

_log = logging.getLogger(__name__)
_DETAIL = 500
"""Characters of a rejection's text that go into a commit."""


@dataclass(frozen=True, slots=True)
class Wait:
    """The answer must come from confirmed state: wait until nothing of the stream is in flight (journal 9)."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """Decided before; this is what its commit says."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class NotDecided:
    """Nothing was decided and nothing is recorded; not final (journal 4)."""

    verdict: Literal["expired", "busy"]
    reason: str


class Deciding(Generic[StateT, CommandT, EventT, FreshT]):
    """Weighs commands of one partition for one writer."""

    def __init__(
        self,
        machine: Machine[StateT, CommandT, EventT, FreshT],
        fold: PartitionFold[StateT, EventT],
        writer: str,
        generation: int,
        stood: Callable[[str], Standstill | None] = lambda stream: None,
        incarnation: int = 1,
    ) -> None:
        """`stood`: what the house knows of a stream's last standstill. `incarnation`: of the house."""
        self.machine = machine
        self.fold = fold
        self.writer = writer
        self.generation = generation
        self.stood = stood
        self.source = machine.source_name(fold.partition, incarnation)

    def weigh(
        self, lane: Lane[StateT, CommandT, EventT], command: Open[CommandT]
    ) -> Wait | Repeated | NotDecided | Flight[StateT, CommandT, EventT]:
        ring = self.fold.head(lane.stream).ring
        tip = lane.tip(self.fold, self.source)
        now = max(command.time, tip.time)  # journal 13: effective time
        confirmed = not lane.flying
        if command.id in ring or command.id in lane.flying:
            answer = ring.get(command.id)
            return Repeated(answer) if confirmed and answer else Wait()
        if lane.stream in self.fold.aside:
            return NotDecided("busy", AnyReason.INTERNAL_ERROR) if confirmed else Wait()
        if is_expired(command.id, now, self.machine.horizon_ms):
            return NotDecided("expired", "expired") if confirmed else Wait()
        if command.offset <= tip.high_water:  # journal 14
            return NotDecided("busy", "passed_over") if confirmed else Wait()
        if (no_room := self._no_room(ring, lane, command, tip, now)) is not None:
            return NotDecided("busy", no_room) if confirmed else Wait()
        return self.decide(lane, command, tip, now)

    def _no_room(
        self, ring: Ring, lane: Lane[StateT, CommandT, EventT], command: Open[CommandT], tip: Tip[StateT], now: int
    ) -> AnyReason | None:
        """Journal 13. What is in flight counts as if it were in the ring; what has come of age since does not."""
        remembered, cap = len(ring) + len(lane.flying), self.machine.ring_cap
        if has_room_for_anybody(remembered, cap):
            return None
        by = command.message.principal
        name, standing = str(by), self.machine.standing(tip.state, by)
        own = ring.held_by(mark_of(name))
        if why_no_room(own + len(lane.flying), remembered, standing, cap) is None:
            return None
        overdue = ring.overdue(now, self.machine.horizon_ms)
        own += sum(flight.commit.principal == name for flight in lane.flying.values())
        own -= sum(answer.by == mark_of(name) for answer in overdue)
        return why_no_room(own, remembered - len(overdue), standing, cap)

    def decide(
        self, lane: Lane[StateT, CommandT, EventT], command: Open[CommandT], tip: Tip[StateT], now: int
    ) -> Flight[StateT, CommandT, EventT]:
        flight = self._decided(lane.stream, command, tip, now)
        if len(flight.raw) > self.machine.max_commit_bytes:  # journal 4
            return self._rejected(lane.stream, command, tip, now, Rejected(AnyReason.TOO_LARGE), flight.drew)
        return flight

    def _decided(
        self, stream: str, command: Open[CommandT], tip: Tip[StateT], now: int
    ) -> Flight[StateT, CommandT, EventT]:
        drew = False
        try:
            fresh = self.machine.fresh(tip.state, command.command)
            given = Given(now, fresh, command.message.principal, self.stood(stream))
            outcome = self.machine.decider.decide(tip.state, command.command, given)
            drew = self.machine.drew(fresh)
            if isinstance(outcome, Rejected):
                return self._rejected(stream, command, tip, now, outcome, drew)
            events = tuple(map(self.machine.encode_event, outcome.events))
            for kind, data in events:  # what is appended has to be read by everybody, for ever
                self.machine.decode_event(kind, data)
            sealed = self.machine.seal(stream, tip.version, outcome.secret) if outcome.secret is not None else b""
            commit = self._commit(stream, command, tip, now, self.machine.refusal(outcome.events), events, sealed)
            # What was folded while deciding counts; that the bytes replay to the same is asserted elsewhere.
            steps = [
                Step(tip.version + number, kind, event, state)
                for number, ((kind, _), event, state) in enumerate(
                    zip(events, outcome.events, outcome.states, strict=True), start=1
                )
            ]
            raw = encode(commit)
            return Flight(command, commit, raw, digest(raw), steps, steps[-1].state if steps else tip.state, drew)
        except Exception as wrong:  # journal 4: a command that makes `decide` raise is rejected on the record
            _log.error("decide raised", extra={"at": _where(wrong)})
            return self._rejected(stream, command, tip, now, Rejected(AnyReason.INTERNAL_ERROR), drew)

    def _rejected(
        self, stream: str, command: Open[CommandT], tip: Tip[StateT], now: int, why: Rejected, drew: bool
    ) -> Flight[StateT, CommandT, EventT]:
        commit = self._commit(stream, command, tip, now, why, ())
        raw = encode(commit)
        return Flight(command, commit, raw, digest(raw), (), tip.state, drew)

    def _commit(
        self,
        stream: str,
        command: Open[Any],
        tip: Tip[StateT],
        now: int,
        why: Rejected | str | None,
        events: tuple[tuple[str, bytes], ...],
        sealed: bytes = b"",
    ) -> Commit:
        message = command.message
        no = why if isinstance(why, Rejected) else None
        return Commit(
            stream=stream,
            base=tip.version,
            prev=tip.prev,
            command_id=command.id,
            source=self.source,
            command_offset=command.offset,
            command_time=now,
            verdict="rejected" if no else "accepted",
            reason=no.reason if no else why if isinstance(why, str) else None,
            rule=no.rule if no else None,
            detail=no.detail[:_DETAIL] if no else "",
            events=events,
            writer=self.writer,
            generation=self.generation,
            sealed=sealed,
            correlation=message.correlation,
            traceparent=command.traceparent,
            principal=str(message.principal),
        )


def _where(wrong: Exception) -> str:
    """Type and place of an exception. Its text is left out: it may quote a state that holds secrets."""
    frames = traceback.extract_tb(wrong.__traceback__)
    place = f"{frames[-1].filename.rsplit('/', 1)[-1]}:{frames[-1].lineno}" if frames else "?"
    return f"{type(wrong).__name__} at {place}"
