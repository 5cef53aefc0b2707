"""One seed from start to verdict."""

from dataclasses import dataclass
from hashlib import sha256
from random import Random

from tests.journal.simulation.check import check
from tests.journal.simulation.world import NAMES, PACE, PARTITIONS, Plan, World
from tests.testkit.clock import run


@dataclass(frozen=True)
class Outcome:
    broken: str
    """What broke, or nothing."""
    commits: int
    void: int
    fingerprint: str
    """Of every byte in the journal: the same seed gives the same one."""


def run_seed(seed: int) -> Outcome:
    """Every third seed has a short horizon, so that the age rule works all the time; every fourth a ring soon full.

    Of every fifth the larger streams have no snapshot; of most they go in parts."""
    dice = Random(seed)
    plan = Plan(
        horizon_ms=6_000 if dice.random() < 0.33 else 25_000,
        ring_cap=dice.choice([10, 25]) if seed % 4 == 0 else 200,
        snapshot_bytes=600 if seed % 5 == 0 else PACE.snapshot_bytes,
        part_bytes=Random(f"parts {seed}").choice([PACE.part_bytes, 400, 200]),
    )
    world = World(seed, plan)
    try:
        truth = run(_run(world))
    except Exception as wrong:
        return Outcome(f"{type(wrong).__name__}: {wrong}", 0, 0, _fingerprint(world))
    return Outcome("", len(truth.commits), truth.void, _fingerprint(world))


async def _run(world: World):
    await world.run()
    return await check(world)


def _fingerprint(world: World) -> str:
    held = sha256()
    for partition in range(PARTITIONS):
        for record in world.broker.records(NAMES.journal, partition):
            held.update(record.value or b"")
    return held.hexdigest()[:16]
