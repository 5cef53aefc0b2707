"""Planted bugs, each a rule taken away: a simulation that finds none of them would prove nothing."""

from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from hashlib import sha256
from typing import Any
from unittest.mock import patch

from msgspec import structs

from libs.decider import Decided
from libs.journal import fold, parts, restore
from libs.journal.again import Again
from libs.journal.append_line import AppendLine
from libs.journal.deciding import Deciding, NotDecided, Repeated
from libs.journal.follower import Follower
from libs.journal.lane import Lane
from libs.journal.log import LogUnavailable
from libs.journal.marks import Marks
from libs.journal.out_line import OutLine
from libs.journal.parts import Cutter
from libs.journal.ring import Answer, Ring
from libs.journal.runner import PartitionRunner
from libs.journal.seals import Seals
from libs.journal.tasks import together
from tests.journal.bank import Bank

Bug = Callable[[], AbstractContextManager[Any]]


def _base_only() -> AbstractContextManager[Any]:
    """Journal 3: the version is compared, the chain is not."""

    def judge(head: Any, commit: Any, partition: int, partitions: int) -> str:
        return "valid" if commit.base == head.version else "void_base"

    return patch.object(fold, "judge", judge)


def _marks_not_looked_at() -> AbstractContextManager[Any]:
    """Journal 22: whoever reaches the broker is believed."""
    return patch.object(Marks, "why_foreign", lambda *_: None)


def _contiguous_is_valid() -> AbstractContextManager[Any]:
    """H1: no record lies between, so the own one is believed without the rule."""
    settle = PartitionRunner._settle

    async def learn(self: Any, shipment: Any) -> None:
        base = await self._line.landed(shipment)
        self.believes = base is not None and base == self.position.next
        await true_learn(self, shipment)

    def believe(self: Any, flight: Any, folded: Any) -> None:
        settle(self, flight, structs.replace(folded, judgement="valid") if self.believes else folded)

    true_learn = PartitionRunner._learn
    return patch.multiple(PartitionRunner, _learn=learn, _settle=believe)


def _valid_despite_gap() -> AbstractContextManager[Any]:
    """Journal 7: acknowledged is taken for valid, foreign records or not."""
    settle = PartitionRunner._settle

    def believe(self: Any, flight: Any, folded: Any) -> None:
        settle(self, flight, structs.replace(folded, judgement="valid"))

    return patch.object(PartitionRunner, "_settle", believe)


def _answer_before_verdict() -> AbstractContextManager[Any]:
    """Journal 10: the decision is answered, not the folded commit."""
    advance = PartitionRunner._advance

    def hasty(self: Any, lane: Any) -> None:
        before = len(lane.flying)
        advance(self, lane)
        for flight in list(lane.flying.values())[before:]:
            self._answer_from_commit(flight)
            self._open[flight.open.offset] = flight.open

    return patch.object(PartitionRunner, "_advance", hasty)


def _rejections_not_journalled() -> AbstractContextManager[Any]:
    """H2: a rejection is answered and leaves no record."""
    weigh = Deciding.weigh

    def silent(self: Any, lane: Any, command: Any) -> Any:
        outcome = weigh(self, lane, command)
        commit = getattr(outcome, "commit", None)
        if commit is None or commit.verdict == "accepted":
            return outcome
        return Repeated(Answer("rejected", commit.version, commit.reason, commit.rule, commit.detail))

    return patch.object(Deciding, "weigh", silent)


def _counted_ring() -> AbstractContextManager[Any]:
    """H3: the ring keeps the last six ids, whatever their age, and nothing expires."""

    def evict(self: Any, now: int, horizon_ms: int) -> None:
        while len(self._answers) > 6:
            del self._answers[next(iter(self._answers))]

    ring = patch.object(Ring, "evict", evict)
    return _both(ring, patch("libs.journal.deciding.is_expired", lambda *args: False))


def _no_duplicate_check() -> AbstractContextManager[Any]:
    """Journal 13: every command is decided, known or not."""

    def weigh(self: Any, lane: Any, command: Any) -> Any:
        tip = lane.tip(self.fold, self.source)
        return self.decide(lane, command, tip, max(command.time, tip.time))

    return patch.object(Deciding, "weigh", weigh)


def _nothing_expires() -> AbstractContextManager[Any]:
    """Journal 13: ids are forgotten by age, but old commands are decided all the same."""
    return patch("libs.journal.deciding.is_expired", lambda *args: False)


def _answers_from_optimistic_state() -> AbstractContextManager[Any]:
    """H8: a repeated command is answered from a commit that is still in flight."""
    weigh = Deciding.weigh

    def hasty(self: Any, lane: Any, command: Any) -> Any:
        for flight in lane.flying.values():
            if flight.open.id == command.id:
                said = flight.commit
                return Repeated(Answer(said.verdict, said.version, said.reason, said.rule, said.detail))
        return weigh(self, lane, command)

    return patch.object(Deciding, "weigh", hasty)


def _wrong_order() -> AbstractContextManager[Any]:
    """H7: void commands are decided again behind the newer ones."""

    def put_back(self: Any, commands: Any) -> None:
        self.waiting = deque([*self.waiting, *commands])

    return patch.object(Lane, "put_back", put_back)


def _offsets_before_verdict() -> AbstractContextManager[Any]:
    """Journal 12: the offset of what was read is committed, decided or not."""
    return patch.object(PartitionRunner, "_lowest_open", lambda self: self._read_to)


def _state_kept_after_unknown() -> AbstractContextManager[Any]:
    """Journal 11: after an unknown outcome it goes on from optimistic state, with what was not sent before."""

    async def go_on(self: Any) -> None:
        self._paused = True
        for lane in self._lanes.values():
            for flight in lane.flying.values():
                self._fold.states[lane.stream] = flight.state
                head = self._fold.heads.setdefault(lane.stream, self._fold.head(lane.stream))
                fold.advance(head, flight.digest, flight.commit, -1, self.machine.horizon_ms)
                self._answer_from_commit(flight)
            lane.flying.clear()
        self._by_digest.clear()
        await self._line.renew()
        self._paused = False
        self._ripe.update(dict.fromkeys(self._lanes))

    return patch.object(PartitionRunner, "_start_over", go_on)


def _publisher_without_rule() -> AbstractContextManager[Any]:
    """Journal 18: every commit that is folded is handed over, void ones as well."""
    note = PartitionRunner._note

    def publish_all(self: Any, record: Any, *known: Any) -> None:
        true_fold = self._fold.fold

        def folded(*args: Any) -> Any:
            done = true_fold(*args)
            if done.commit is not None and not done.valid:
                self._follower.take(done.commit, fold.Folded(done.offset, done.raw, done.commit, "valid"))
            return done

        with patch.object(self._fold, "fold", folded):
            note(self, record, *known)

    return patch.object(PartitionRunner, "_note", publish_all)


def _published_before_verdict() -> AbstractContextManager[Any]:
    """Journal 18: what is decided is public at once, whatever the log will say of it."""
    put = AppendLine.put

    def hasty(self: Any, flight: Any) -> None:
        self.follower._line.put(*self.follower.publish(flight.commit, flight.steps))
        put(self, flight)

    working = PartitionRunner._working

    async def introduced(self: Any) -> None:
        self._line.follower = self._follower
        await working(self)

    return _both(patch.object(AppendLine, "put", hasty), patch.object(PartitionRunner, "_working", introduced))


def _foreign_unpublished() -> AbstractContextManager[Any]:
    """Journal 18: only own commits are handed over; of what others wrote in between nobody hears here."""
    take = Follower.take

    def own_only(self: Any, commit: Any, folded: Any) -> None:
        if commit.writer == self.owner.writer:
            take(self, commit, folded)

    restored = PartitionRunner._restore

    async def introduced(self: Any) -> None:
        await restored(self)
        self._follower.owner = self

    return _both(patch.object(Follower, "take", own_only), patch.object(PartitionRunner, "_restore", introduced))


def _snapshot_of_optimistic_state() -> AbstractContextManager[Any]:
    """H9, journal 16: a snapshot holds the state that the last commit in flight leaves."""
    restored = PartitionRunner._restore

    async def optimistic(self: Any) -> None:
        await restored(self)
        encode = self.machine.encode_state

        def encode_tip(stream: str, state: Any) -> bytes:
            lane = self._lanes.get(stream)
            return encode(stream, lane.tip(self._fold, "").state if lane else state)

        self._fold.machine = replace(self.machine, encode_state=encode_tip)

    return patch.object(PartitionRunner, "_restore", optimistic)


def _snapshot_before_acknowledgement() -> AbstractContextManager[Any]:
    """H6, journal 18: snapshots go out beside the public events and do not wait for them."""
    write = Follower._write_snapshots

    async def write_beside(self: Any) -> None:
        events, self._line = self._line, self.beside
        await write(self)
        self._line = events

    run = Follower.run

    async def with_another_line(self: Any) -> None:
        self.beside = OutLine(self._line._log, self._line._patience_s)
        await together(run(self), self.beside.run())

    return patch.multiple(Follower, _write_snapshots=write_beside, run=with_another_line)


def _sent_on_behind_a_failure() -> AbstractContextManager[Any]:
    """Journal 19: a batch that failed is not sent again."""
    send = OutLine._send

    async def careless(self: Any, batch: Any) -> None:
        try:
            await send(self, batch)
        except LogUnavailable:
            await self.abandon()

    return patch.object(OutLine, "_send", careless)


def _other_state_than_bytes() -> AbstractContextManager[Any]:
    """Journal 7: what was folded while deciding is not what the bytes say."""
    decide = Bank.decide

    def forgetful(self: Any, state: Any, command: Any, given: Any) -> Any:
        outcome = decide(self, state, command, given)
        if isinstance(outcome, Decided) and outcome.states and given.now % 7 == 0:
            return Decided(outcome.events, [*outcome.states[:-1], replace(outcome.states[-1], moves=0)])
        return outcome

    return patch.object(Bank, "decide", forgetful)


def _seals_not_looked_at() -> AbstractContextManager[Any]:
    """Journal 24: a true mark is enough for a start to go on from."""
    return patch.object(Seals, "why_not", lambda *_: None)


def _seal_without_value() -> AbstractContextManager[Any]:
    """Journal 24: the seal of an older snapshot of the stream counts for another one, too."""
    sealed, why_not = Seals.sealed, Seals.why_not

    def seal(self: Any, record: Any) -> Any:
        return structs.replace(record, headers=sealed(self, structs.replace(record, value=b"")).headers)

    def known(self: Any, place: Any, record: Any) -> Any:
        return why_not(self, place, structs.replace(record, value=b""))

    return patch.multiple(Seals, sealed=seal, why_not=known)


def _seal_without_place() -> AbstractContextManager[Any]:
    """Journal 24: the seal of another partition's manifest counts, too."""
    sealed, why_not = Seals.sealed, Seals.why_not

    def seal(self: Any, record: Any) -> Any:
        return structs.replace(record, headers=sealed(self, structs.replace(record, partition=0)).headers)

    def known(self: Any, place: Any, record: Any) -> Any:
        return why_not(self, (place[0], 0), record)

    return patch.multiple(Seals, sealed=seal, why_not=known)


def _start_at_manifest() -> AbstractContextManager[Any]:
    """H5, journal 17: a reader starts at `low`, however old a snapshot is."""

    async def at_low(manifest: Any, marks: Any, shelf: Any) -> int:
        return manifest.low if manifest else 0

    return patch.object(restore, "start_of", at_low)


def _nothing_taken_back() -> AbstractContextManager[Any]:
    """Journal 8: a void command is forgotten once its commit is void."""

    def freeze(self: Any, lane: Any, flight: Any) -> None:
        self._answer_without_commit(lane.stream, flight.open, NotDecided("busy", "lost_the_race"))

    return patch.object(PartitionRunner, "_freeze", freeze)


def _never_ships_again() -> AbstractContextManager[Any]:
    """Liveness: after the first batch nothing is sent until somebody asks."""
    return patch.object(AppendLine, "_landed", lambda self, *landed: None)


def _policies_turned_away() -> AbstractContextManager[Any]:
    """Journal 13: busy is the end of what a policy asks."""
    return patch.object(Again, "takes", lambda self, by: False)


def _put_off_passed() -> AbstractContextManager[Any]:
    """Journal 12, 13: the offset of what waits for room is committed before it lies at the log's end again."""
    keep = Again.keep

    def kept(self: Any, command: Any) -> Any:
        return keep(self, command) or command  # whoever keeps it closes what it gets back

    return patch.object(Again, "keep", kept)


def _parts_mixed() -> AbstractContextManager[Any]:
    """Journal 16, 17: all of a stream's snapshots in parts have one name, and whatever lies under it is joined."""
    cut = Cutter.cut

    def of_one_name(self: Any, stream: str, *rest: Any) -> Any:
        self._run, self._sets = "set", 0
        return cut(self, stream, *rest)

    one_digest = patch.object(parts, "sha256", lambda whole: sha256())
    return _both(patch.object(Cutter, "cut", of_one_name), one_digest)


class _both(AbstractContextManager[Any]):  # noqa: N801
    def __init__(self, first: Any, second: Any) -> None:
        self._parts = (first, second)

    def __enter__(self) -> None:
        for part in self._parts:
            part.__enter__()

    def __exit__(self, *wrong: Any) -> None:
        for part in reversed(self._parts):
            part.__exit__(*wrong)


BUGS: dict[str, Bug] = {
    "marks-not-looked-at": _marks_not_looked_at,
    "base-only": _base_only,
    "contiguous-is-valid": _contiguous_is_valid,
    "valid-despite-gap": _valid_despite_gap,
    "answer-before-verdict": _answer_before_verdict,
    "rejections-not-journalled": _rejections_not_journalled,
    "counted-ring": _counted_ring,
    "no-duplicate-check": _no_duplicate_check,
    "nothing-expires": _nothing_expires,
    "answers-from-optimistic-state": _answers_from_optimistic_state,
    "wrong-order": _wrong_order,
    "offsets-before-verdict": _offsets_before_verdict,
    "state-kept-after-unknown": _state_kept_after_unknown,
    "publisher-without-rule": _publisher_without_rule,
    "published-before-verdict": _published_before_verdict,
    "foreign-unpublished": _foreign_unpublished,
    "sent-on-behind-a-failure": _sent_on_behind_a_failure,
    "other-state-than-bytes": _other_state_than_bytes,
    "snapshot-of-optimistic-state": _snapshot_of_optimistic_state,
    "snapshot-before-acknowledgement": _snapshot_before_acknowledgement,
    "seals-not-looked-at": _seals_not_looked_at,
    "seal-without-value": _seal_without_value,
    "seal-without-place": _seal_without_place,
    "parts-mixed": _parts_mixed,
    "start-at-manifest": _start_at_manifest,
    "nothing-taken-back": _nothing_taken_back,
    "never-ships-again": _never_ships_again,
    "policies-turned-away": _policies_turned_away,
    "put-off-passed": _put_off_passed,
}
