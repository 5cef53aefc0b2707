"""The players of a bench: processes of their own, each with its share of the tables."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from services.cli.house import House
from tests.bench.house.house import Code, Script

BOTS = Path(__file__).resolve().parent / "bots.py"


@dataclass(slots=True)
class Crowd:
    scripts: list[Script]

    @classmethod
    async def come(cls, code: Code, house: House, processes: int = 1) -> Self:
        scripts = [Script(await code.run(str(BOTS))) for _ in range(processes)]
        for number, each in enumerate(scripts):
            each.tell({"url": house.gateway_url, "token": house.operator_token, "tables": f"bench-{number}"})
        return cls(scripts)

    @property
    def pids(self) -> list[int]:
        return [each.pid for each in self.scripts]

    async def stage(self, tables: int, pace: str) -> None:
        """Returns when every seat of so many tables is taken and plays; never fewer than before."""
        for script, (share, own) in zip(self.scripts, shares(tables, pace, len(self.scripts)), strict=True):
            script.tell({"tables": share, "pace": own})
        for each in self.scripts:
            await each.hear()

    async def said(self) -> dict[str, Any]:
        """What all of them tell since they were asked last."""
        for each in self.scripts:
            each.tell({})
        return merged([json.loads(await each.hear()) for each in self.scripts])

    async def end(self) -> None:
        for each in self.scripts:
            await each.end()


def shares(tables: int, pace: str, processes: int) -> list[tuple[int, str]]:
    """Tables and pace of each process; acts a second are shared as tables are."""
    counts = [tables // processes + (number < tables % processes) for number in range(processes)]
    if pace in ("human", "none"):
        return [(each, pace) for each in counts]
    return [(each, str(float(pace) * each / tables)) for each in counts]


def merged(reports: list[dict[str, Any]]) -> dict[str, Any]:
    """Lists one behind the other, counts added up."""
    found: dict[str, Any] = {}
    for report in reports:
        for name, value in report.items():
            found[name] = found[name] + value if name in found else value
    return found
