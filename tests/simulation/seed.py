"""One seed from start to verdict."""

import gc
import logging
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import structlog

from libs.telemetry.logs import redact
from tests.simulation.ending import check
from tests.simulation.violations import Broken
from tests.simulation.world import World
from tests.testkit.clock import run
from tests.testkit.entropy import seeded_entropy


@dataclass(slots=True)
class Outcome:
    seed: int
    check: str = ""
    """The check that failed first; nothing for a green seed."""
    what: str = ""
    virtual_s: float = 0.0
    hands: int = 0
    rounds: int = 0
    coups: int = 0
    voided: int = 0
    """Hands; rounds and coups beside."""
    rounds_voided: int = 0
    commits: int = 0
    void: int = 0
    commands: int = 0
    ok: int = 0
    fail: int = 0
    unknown: int = 0
    fired: dict[str, int] = field(default_factory=dict)
    fingerprint: str = ""
    """Of every byte in the journals: the same seed gives the same one."""


class LogBook(logging.Handler):
    """What the services wrote into their logs: anybody with a shell may read it."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[bytes] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.getMessage()} {record.__dict__}".encode())

    def structured(self, _: Any, __: str, event: Any) -> Any:
        self.lines.append(repr(event).encode())
        raise structlog.DropEvent


def run_seed(seed: int) -> Outcome:
    outcome, book = Outcome(seed), LogBook()
    root = logging.getLogger()
    level = root.level
    root.handlers.append(book)
    root.setLevel(logging.INFO)
    structlog.configure(processors=[redact, book.structured], cache_logger_on_first_use=False)
    world: World | None = None
    gc.freeze()  # modules are there for good
    gc.disable()  # a world is small and short; what it leaves is swept up behind it, once nobody holds it any more
    try:
        with seeded_entropy(seed):
            world = World(seed)
            run(_run(world, book))
    except Broken as broken:
        outcome.check, outcome.what = broken.check, str(broken)
    except Exception as wrong:
        outcome.check, outcome.what = "no_process_dies", f"{type(wrong).__name__}: {wrong}"
    finally:
        root.handlers.remove(book)
        root.setLevel(level)
    if world is not None:
        _measure(world, outcome)
    gc.enable()
    return outcome


async def _run(world: World, book: LogBook) -> None:
    await world.run()
    await check(world, book.lines)


def _measure(world: World, outcome: Outcome) -> None:
    truth, figures = world.witness.truth, world.witness.figures
    outcome.virtual_s = world.virtual_s
    outcome.hands, outcome.voided = figures.played["hands"], figures.voided["hands"]
    outcome.rounds, outcome.coups = figures.played["rounds"], figures.played["coups"]
    outcome.rounds_voided = figures.voided["rounds"] + figures.voided["coups"]
    outcome.commits, outcome.void = len(truth.entries), truth.void
    outcome.commands = len(world.history.operations)
    for operation in world.history.operations:
        if operation.outcome == "ok":
            outcome.ok += 1
        elif operation.outcome == "fail":
            outcome.fail += 1
        else:
            outcome.unknown += 1
    outcome.fired = dict(world.sky.fired)
    held = sha256()
    for entry in truth.entries:
        held.update(entry.raw)
    outcome.fingerprint = held.hexdigest()[:16]
