"""How much a runner has under way, how long it waits, and who is told of its folds."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from libs.contracts.topics import MAX_SNAPSHOT_BYTES, PART_BYTES
from libs.journal.commit import Commit
from libs.journal.machine import StateT


@dataclass(frozen=True, slots=True)
class Pace:
    """How much a runner has under way at once, and how long it waits."""

    open_commands: int = 2000
    page: int = 64
    """Commands decided in one go, while nothing else runs on the event loop."""
    depth: int = 3
    """Appends under way at once."""
    batch_bytes: int = 950_000
    patience_s: float = 5.0
    """Own timeout of an append (its outcome is unknown then), a gap read, a reply."""
    offsets_every_s: float = 1.0
    """What was read since is read again after a crash, and known by its ids."""
    read_wait_ms: int = 5_000
    first_pause_s: float = 0.05
    longest_pause_s: float = 2.0
    replay_every: int = 100
    """Of so many own commits one is replayed from its bytes and held against what was folded while deciding."""
    snapshot_commits: int = 1000
    snapshot_s: float = 10.0
    """Snapshots are written when either is reached, of the streams that changed,"""
    snapshot_streams: int = 64
    """and of no more than these, the ones that have waited longest: with many tables one for sixteen commits, and what
    a start folds again is bounded by sixteen commits of each stream that lives."""
    manifest_streams: int = 256
    """Named in a piece of a manifest, or in its head, which each round writes: so many, and not all there ever were."""
    snapshot_bytes: int = MAX_SNAPSHOT_BYTES
    """A larger one is not written."""
    part_bytes: int = PART_BYTES
    """Of a snapshot in one record; what is larger goes in parts of so many."""
    slice_streams: int = 8
    """Snapshots taken in one go, while nothing else runs on the event loop."""
    idle_s: float = 600.0
    """What nobody has asked for during all of this, and at most for twice as long, leaves memory."""
    behind: int = 10_000
    """Public records without an acknowledgement; beyond that the partition reads no more until some are."""


@dataclass(frozen=True, slots=True)
class Hooks(Generic[StateT]):
    """Called on the event loop with confirmed state only."""

    on_state: Callable[[str, StateT, int], None] = lambda stream, state, version: None
    """(stream, state, version): for every stream in memory once restored, for each that is loaded from disk later, then
    after each valid commit."""
    on_fold: Callable[[str, StateT, Commit], None] = lambda stream, state, commit: None
    """(stream, state after, commit): for each valid commit that is folded while running."""
    on_put_by: Callable[[str], None] = lambda stream: None
    """It rests and has left memory: `on_state` tells of it again before anything else happens to it."""
