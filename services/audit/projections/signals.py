"""What was reported of accounts: devices, addresses, means of payment, programs (pt-811-2015 11.c, 11.f)."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import yaml

from libs.contracts.people import person_behind
from libs.contracts.wallet_commands import is_of_staff
from libs.contracts.wallet_events import SignalReported
from libs.projecting import Connection, Told
from libs.projecting.row_marks import Marks
from services.audit.incidents import record
from services.audit.marked_rows import Evidence
from services.audit.verifying.findings import Finding, Kind

OURS = Path(__file__).with_name("forbidden_programs.yaml")


class ForbiddenPrograms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The list in force; `version` goes into every incident, so that one knows later which one it was."""

    version: str
    programs: tuple[str, ...]

    def names(self, program: str) -> bool:
        return _plain(program) in {_plain(each) for each in self.programs}


def read_forbidden(path: Path = OURS) -> ForbiddenPrograms:
    """ValidationError for a file that is no list."""
    return msgspec.convert(yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader), ForbiddenPrograms)


def _plain(name: str) -> str:
    return re.sub(r"[\s._-]+", "", name).casefold()


WORDS = Evidence("account_signals", ("account", "report", "player", "kind", "value", "at", "by"), came_later="by")
_INSERT = """insert into account_signals (account, report, player, kind, value, at, by, mark)
             values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing"""


DAY_MS = 86_400_000
WEEK_MS = 7 * DAY_MS
MOST_A_DAY = 20
"""Reports of one person in any 24 hours. Platforms report by the thousand, by themselves; a person types."""
MOST_A_WEEK = 50
"""In any seven days: who types somewhat less each day buries as much."""
_AROUND = "from account_signals where by like 'staff:%' and at > $1 and at < $2"
_OF_PEOPLE = f"select by, count(*) as reports {_AROUND} group by by"
_TIMES = f"select at {_AROUND} and by = any($3) order by at"


def _so_many(times: Sequence[int], now: int, most: int, within_ms: int) -> bool:
    """Whether of `times`, in order, more than `most` are within some such time that has `now` in it."""
    ends = zip(times, times[most:], strict=False)
    return any(first <= now <= last and last - first < within_ms for first, last in ends)


class Signals:
    """The projection; a program on the list in force is an incident at once, and a person who reports very much."""

    name = "signals"

    def __init__(
        self,
        forbidden: ForbiddenPrograms | None = None,
        on_finding: Callable[[Finding], None] = lambda finding: None,
        marks: Marks | None = None,
    ) -> None:
        self._forbidden = forbidden or read_forbidden()
        self._on_finding = on_finding
        self._marks = marks
        self._told: set[tuple[str, int]] = set()
        """Persons and days of which nothing is counted any more."""

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        for event, body in facts:
            if not isinstance(body, SignalReported):
                continue
            row = (body.account, body.report, body.player, body.kind, body.value, event.time, body.by)
            await connection.execute(_INSERT, *row, WORDS.mark(self._marks, *row))
            if body.kind == "program" and self._forbidden.names(body.value):
                ran = f"{body.by} reports that {body.player} ran {body.value}"
                detail = f"{ran}, forbidden by list {self._forbidden.version} (11.f)"
                finding = Finding(Kind.FORBIDDEN_PROGRAM, event.stream, detail, event.version)
                await self._tell(connection, finding, event.time)
            if is_of_staff(body.by):
                await self._count(connection, body.by, event.time)

    async def _count(self, connection: Connection, by: str, now: int) -> None:
        """Who accuses many buries a true case under false ones: told once a day, and no report is refused for it.

        Also by what came before it out of order: each account's reports come by themselves.
        """
        day, person = now // DAY_MS, person_behind(by)
        if (person, day) in self._told:
            return
        around = now - WEEK_MS, now + WEEK_MS
        reports = {row["by"]: row["reports"] for row in await connection.fetch(_OF_PEOPLE, *around)}
        theirs = [each for each in reports if person_behind(each) == person]
        if sum(reports[each] for each in theirs) <= MOST_A_DAY:
            return
        times = [row["at"] for row in await connection.fetch(_TIMES, *around, theirs)]
        if _so_many(times, now, MOST_A_DAY, DAY_MS):
            how = f"more than {MOST_A_DAY} devices, addresses, means of payment or programs within 24 hours"
        elif _so_many(times, now, MOST_A_WEEK, WEEK_MS):
            how = f"more than {MOST_A_WEEK} devices, addresses, means of payment or programs within seven days"
        else:
            return
        self._told = {each for each in self._told if each[1] >= day - 7} | {(person, day)}
        on = datetime.fromtimestamp(day * DAY_MS / 1000, UTC).date()
        finding = Finding(Kind.MANY_SIGNALS, f"signals-{person}-{on}", f"on {on} {by} had reported {how}")
        await self._tell(connection, finding, now)

    async def _tell(self, connection: Connection, finding: Finding, now: int) -> None:
        for new in await record(connection, [finding], now, self._marks):
            self._on_finding(new)
