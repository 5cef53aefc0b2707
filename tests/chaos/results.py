"""What a chaos run writes down: a line for each round as soon as it is over, and one for each house when it is left.

A round counts once its house was gone through to the end without a finding. `Book` adds up, and knows what is missing.
"""

import json
import os
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(slots=True)
class Round:
    """One fault, fired once. Seconds are from the fault, or from its mending where `counted_from` says so."""

    fault: str
    house: str
    counted_from: str = "fault"
    fired: bool = False
    next_act: float | None = None
    """To the next act accepted anywhere."""
    every_table: float | None = None
    """To an act accepted at the last of the tables."""
    next_deposit: float | None = None
    """To a deposit accepted in the last of the wallet's partitions."""
    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    voided: int = 0
    ledger_sum: int = 0
    void_records: int = 0
    hands: int = 0
    seconds: float = 0.0
    """All of it: fault, the way back, and the look afterwards."""
    problems: list[str] = field(default_factory=list)

    @property
    def held(self) -> bool:
        return self.fired and not (self.lost or self.doubled or self.voided or self.ledger_sum or self.problems)


@dataclass(slots=True)
class Gone:
    """A house that was left: what `croupier rebuild --compare`, `verify` and `scan` said at the end."""

    house: str
    faults: dict[str, int]
    """Rounds of each."""
    checks: dict[str, str] = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)
    """What a drill counted."""
    problems: list[str] = field(default_factory=list)
    met_in: str | None = None
    """The fault in whose round the problem was met."""
    seconds: float = 0.0


Kept = Round | Gone


class Book:
    """The lines of a run, in memory and, line by line, in a file."""

    def __init__(self, file: Path | None = None, commit: str = "", *, go_on: bool = False) -> None:
        self._file = file
        self._commit = commit
        self.lines: list[dict[str, Any]] = []
        if file is not None and go_on and file.exists():
            self.lines = read(file)

    def keep(self, what: Kept) -> None:
        about = {"at": int(time.time() * 1000), "load": round(os.getloadavg()[0], 1), "commit": self._commit}
        line = {"kind": type(what).__name__.lower(), **asdict(what), **about}
        self.lines.append(line)
        if self._file is not None:
            with self._file.open("a") as file:
                file.write(json.dumps(line) + "\n")

    def through(self) -> Counter[str]:
        """By fault, the rounds that held, in houses in which nothing was found at the end."""
        return through(self.lines)


def read(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def through(lines: Iterable[dict[str, Any]]) -> Counter[str]:
    lines = list(lines)
    good = {line["house"] for line in lines if line["kind"] == "gone" and not line["problems"]}
    return Counter(line["fault"] for line in lines if line["kind"] == "round" and line["house"] in good)
