"""Every reader, zombies included, sees the same: which commits count, what they make of a stream, and which deck."""

from collections.abc import Callable
from typing import Any

from libs.journal.commit import Commit, digest, encode
from libs.journal.fold import PartitionFold
from libs.journal.kept import nameless
from libs.journal.names import Names
from libs.journal.restore import restore
from services.table.domain.table.state import Table
from services.table.domain.table.waking import moved_at, next_wake
from tests.simulation.checks.canaries import Canaries
from tests.simulation.truth import Truth
from tests.simulation.violations import ensure
from tests.testkit.disks import Disks
from tests.testkit.manifests import left_out
from tests.testkit.marks import INSPECTOR, Remembered
from tests.testkit.parts import lost, too_many
from tests.testkit.simulated import SimulatedBroker, SimulatedLog


def one_writer_per_version(truth: Truth) -> Callable[[str, Any, Commit], None]:
    """For one runner: what it takes for valid is a piece of each stream's truth without a gap."""
    last: dict[str, int] = {}

    def heard(stream: str, state: Any, commit: Commit) -> None:
        entry = truth.by_digest.get(digest(encode(commit)))
        if entry is None:
            truth.violations.note("one_writer_per_version", f"a runner took a void commit of {stream} for valid")
            return
        due = last.get(stream, entry.nth - 1) + 1
        truth.violations.ensure(entry.nth == due, "one_writer_per_version", f"a runner missed a commit of {stream}")
        last[stream] = entry.nth
        if truth.version(stream) == commit.version:
            same = state == truth.states[stream]
            truth.violations.ensure(same, "every_reader_agrees", f"a runner holds another state of {stream}")

    return heard


def same_deck(truth: Truth, canaries: Canaries) -> Callable[[str, Any, int], None]:
    """After every recovery the hand, round or shoe goes on with the cards that it started with."""

    def told(stream: str, state: Any, version: int) -> None:
        for name in ("hand", "round", "shoe"):
            playing = getattr(state, name, None)
            if playing is None or getattr(playing, "phase", "") in ("betting", "closed"):
                continue  # nothing is dealt yet
            same = playing.deck == canaries.decks.get((stream, playing.number))
            truth.violations.ensure(same, "same_deck", f"{stream} {name} {playing.number} goes on with other cards")

    return told


async def restores_agree(truth: Truth, service: str, names: Names, broker: SimulatedBroker, partition: int,
                         checkpoints: list[list[Any]], disks: Disks) -> None:  # fmt: skip
    """Restored from the last snapshots and from those of random moments, a reader is where a full fold is."""
    machine = truth.machines[service]
    journal, true = broker.partition(names.journal, partition), broker.records(names.journal, partition)
    whole: PartitionFold[Any, Any] = PartitionFold(partition, broker.partitions, machine.journal_name, machine)
    commits = [(each.offset, done.commit.stream) for each in true if (done := whole.fold(each)).valid and done.commit]
    forged = broker.partition(names.snapshots, partition).forged
    valid = {stream: truth.version(stream) for stream in whole.heads}
    folded = {stream: head.version for stream, head in whole.heads.items()}
    ensure(folded == valid, "chain_intact", "the fold is not the chain")
    marks = Remembered(INSPECTOR)
    last = broker.partition(names.snapshots, partition).slots
    moments = [(last, make) for make in (nameless, *disks.copies())] + [(slots, nameless) for slots in checkpoints]
    for slots, make in moments:
        beside = SimulatedBroker(broker.partitions)
        beside.partition(names.journal, partition).slots = journal.slots
        beside.partition(names.snapshots, partition).slots = slots
        said = left_out((each for each in slots if each and each.offset not in forged), machine.journal_name, commits)
        ensure(not said, "restores_agree", f"a manifest does not speak of {said}")
        fold, shelf, *_ = await restore(SimulatedLog(beside, marks=marks), machine, names, partition, make=make)
        there = [each for each in slots if each and each.offset not in forged]
        gone = lost(there, machine.journal_name, shelf, broker.partition(names.snapshots, partition).forged_keys)
        ensure(not gone, "whole_snapshots_stay", f"no snapshot of {gone} can be had any more")
        stay = too_many(there)
        ensure(not stay, "parts_are_taken_away", f"parts of snapshots are not taken away: {stay}")
        for record in true:
            if record.offset >= fold.position.next:
                fold.fold(record)
        due = {stream for stream, state in whole.states.items() if isinstance(state, Table) and _falls_due(state)}
        ensure(due <= fold.heads.keys(), "restores_agree", f"a restored {service} does not know what falls due")
        for stream in whole.heads:
            fold.head(stream)  # those that nothing falls due for lie on the shelf
        shelf.close()
        ensure(_content(fold) == _content(whole), "restores_agree", f"a restored {service} is not where a fold is")


def _falls_due(state: Table) -> bool:
    return next_wake(state) is not None or moved_at(state) is not None


def _content(fold: PartitionFold[Any, Any]) -> dict[str, tuple[object, ...]]:
    return {
        stream: (
            head.version, head.prev, head.time, head.last_offset, tuple(head.ring.items()), head.high_water,
            fold.states[stream],
        )
        for stream, head in fold.heads.items()
    }  # fmt: skip
