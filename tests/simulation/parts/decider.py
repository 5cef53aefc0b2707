"""A deciding service's post: the runner of one partition, again and again, as `DeciderService` runs it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from libs.journal.follower import Publish
from libs.journal.kept import MakeShelf, nameless
from libs.journal.log import LogUnavailable
from libs.journal.machine import AnyMachine
from libs.journal.names import Names
from libs.journal.runner import Hooks, Pace, PartitionRunner, Superseded
from tests.testkit.process import Process
from tests.testkit.simulated import PostLost, SimulatedSource

PACE = Pace(
    snapshot_commits=5, snapshot_s=0.6, snapshot_streams=2, manifest_streams=2, idle_s=3.0, slice_streams=1, behind=40,
    open_commands=50, page=10, depth=3, patience_s=2.0, offsets_every_s=1.0, read_wait_ms=10_000, longest_pause_s=0.5,
    replay_every=1,
)  # fmt: skip
REJOIN_S = 4.0


@dataclass(frozen=True, slots=True)
class Post:
    """What one owner works on."""

    machine: AnyMachine
    publish: Publish[Any, Any]
    names: Names
    partition: int
    writer: str
    generation: int
    hooks: Callable[[], Hooks[Any]]
    """Fresh ones for each runner: what one of them heard is no concern of the next."""
    now: Callable[[], int] | None = None
    """The clock of its signs of life; None: it gives none."""
    part_bytes: int = PACE.part_bytes
    shelf: Callable[[], MakeShelf] = lambda: nameless
    """On which disk each runner finds what is kept."""


async def work(process: Process, post: Post) -> None:
    """Runs until cancelled. A fault of the log itself, or of the machine's decoding, ends it loudly."""
    names, partition = post.names, post.partition
    while True:
        runner: PartitionRunner[Any, Any, Any, Any] = PartitionRunner(
            post.machine,
            process.log,
            SimulatedSource(process.log, f"{post.machine.service}-decider", names.commands, partition),
            names,
            partition,
            post.publish,
            writer=post.writer,
            generation=post.generation,
            hooks=post.hooks(),
            pace=replace(PACE, part_bytes=post.part_bytes),
            now=post.now,
            shelf=post.shelf(),
        )
        try:
            await runner.run()
        except (LogUnavailable, PostLost):
            await asyncio.sleep(PACE.first_pause_s)
        except Superseded:
            await asyncio.sleep(REJOIN_S)
