"""Many seeds over some worker processes, summed up as they come."""

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).resolve().parents[2]


class Outcome(msgspec.Struct):
    """One seed as a worker tells it; see `seed.py`."""

    seed: int
    check: str
    what: str
    fingerprint: str
    commits: int
    void: int
    virtual_s: float = 0.0
    hands: int = 0
    rounds: int = 0
    coups: int = 0
    voided: int = 0
    rounds_voided: int = 0
    commands: int = 0
    ok: int = 0
    fail: int = 0
    unknown: int = 0
    fired: dict[str, int] = {}
    figures: dict[str, int] = {}
    """What else is counted, by its name."""


_SUMMED = (
    "hands", "rounds", "coups", "voided", "rounds_voided", "commits", "void", "commands", "ok", "fail", "unknown",
)  # fmt: skip


@dataclass(slots=True)
class Sum:
    seeds: int = 0
    failing: list[Outcome] = field(default_factory=list)
    virtual_s: float = 0.0
    numbers: Counter[str] = field(default_factory=Counter)
    fired: Counter[str] = field(default_factory=Counter)

    def add(self, outcome: Outcome) -> None:
        self.seeds += 1
        self.virtual_s += outcome.virtual_s
        for name in _SUMMED:
            self.numbers[name] += getattr(outcome, name)
        self.numbers.update(outcome.figures)
        self.fired.update(outcome.fired)
        if outcome.check:
            self.failing.append(outcome)


async def outcomes(
    first: int, seeds: int, jobs: int, bug: str = "", world: str = "house"
) -> AsyncGenerator[Outcome, None]:
    """In no order; `WorkerDied` when a worker ends before its seeds do."""
    queue: asyncio.Queue[Outcome | Exception | None] = asyncio.Queue()
    lines = [asyncio.create_task(_work(queue, first + job, jobs, first + seeds, world, bug)) for job in range(jobs)]
    running = len(lines)
    try:
        while running:
            told = await queue.get()
            if isinstance(told, Exception):
                raise told
            if told is None:
                running -= 1
            else:
                yield told
    finally:
        for line in lines:
            line.cancel()
        await asyncio.wait(lines)


class WorkerDied(RuntimeError):
    """What it wrote to standard error is the text."""


async def _work(queue: "asyncio.Queue[Any]", first: int, step: int, end: int, *which: str) -> None:
    worker = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.simulation.worker", str(first), str(step), str(end), *which,
        cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, limit=2**22,
    )  # fmt: skip
    assert worker.stdout is not None
    assert worker.stderr is not None
    try:
        async for line in worker.stdout:
            await queue.put(msgspec.json.decode(line, type=Outcome))
        complaints = await worker.stderr.read()
        await queue.put(None if await worker.wait() == 0 else WorkerDied(complaints.decode()[-2000:]))
    finally:
        if worker.returncode is None:
            worker.kill()
            await worker.wait()
