"""What an attack tried, how it was refused, and what it did: a row of the table."""

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from rich.table import Table

MOST_TOLD = 12
"""Of what went wrong under one attack."""


@dataclass(slots=True)
class Row:
    """`broken` is what should not be: an effect, a silence, a process that died. Texts name places, never secrets."""

    attack: str
    tried: int = 0
    said: Counter[str] = field(default_factory=Counter)
    """Answers by what they were: a status with its problem, a verdict with its reason."""
    found_by: str = "the answer itself"
    slowest_s: float = 0.0
    """The longest wait for an answer."""
    seconds: float = 0.0
    broken: list[str] = field(default_factory=list)
    _began: float = field(default_factory=time.monotonic, repr=False)

    def heard(self, what: str, seconds: float = 0.0) -> None:
        """One attempt and its answer."""
        self.tried += 1
        self.said[what] += 1
        self.slowest_s = max(self.slowest_s, seconds)

    def wrong(self, what: str) -> None:
        if len(self.broken) < MOST_TOLD:
            self.broken.append(what)

    def expect(self, true: bool, what: str) -> None:
        if not true:
            self.wrong(what)

    def done(self) -> "Row":
        self.seconds = time.monotonic() - self._began
        return self

    @property
    def refused(self) -> str:
        """The most frequent answers first."""
        told = [f"{what} ×{count}" if count > 1 else what for what, count in self.said.most_common(6)]
        return ", ".join(told) + (f", {len(self.said) - 6} more" if len(self.said) > 6 else "")

    @property
    def effect(self) -> str:
        return "none" if not self.broken else "; ".join(self.broken)

    @property
    def cells(self) -> tuple[str, ...]:
        after = f"{self.slowest_s:.2f} s" if self.slowest_s else ""
        return self.attack, f"{self.tried:,}", self.refused, self.effect, self.found_by, after


HEADINGS = ("attack", "tried", "answers", "effect", "found by", "slowest answer")


def shown(rows: Iterable[Row]) -> Table:
    """For a terminal."""
    table = Table(*HEADINGS, show_lines=True)
    for row in rows:
        table.add_row(*row.cells, style="red" if row.broken else None)
    return table


def page(rows: Iterable[Row], commit: str) -> str:
    """`docs/attacks.md`."""
    lines = ["| " + " | ".join(cell.replace("|", "/") for cell in each.cells) + " |" for each in rows]
    head = f"| {' | '.join(HEADINGS)} |\n|{'---|' * len(HEADINGS)}"
    return _PAGE.format(table="\n".join([head, *lines]), commit=commit)


_PAGE = """# Attacks

Written by `make attack WRITE=1`; do not edit. One running house of its own, every service a process, the real broker
and database under their logins, bots at a table all the time. After each attack a further hand is played, every process
is the one that was started and is ready, no log has a traceback and nothing is set aside; at the end `croupier verify`
and `croupier rebuild --compare` find nothing. *Answers* counts what was said, *effect* is what changed that should not
have, *slowest answer* how long anybody waited. A short form is part of `make test` (`tests/e2e/test_attack.py`).

Last written at {commit}.

{table}
"""
