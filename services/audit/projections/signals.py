"""What was reported of accounts: devices, addresses, means of payment, programs (pt-811-2015 11.c, 11.f)."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import yaml

from libs.contracts.people import person_of
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
MOST_A_DAY = 20
"""Reports of one person in a UTC day. Platforms report by the thousand, by themselves; a person types."""
_OF_PEOPLE = """select by, count(*) as reports from account_signals
                 where by like 'staff:%' and at >= $1 and at < $1 + 86400000 group by by"""


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
        """Who accuses many buries a true case under false ones: told, and no report is refused for it."""
        day, person = now // DAY_MS, person_of(by)
        if (person, day) in self._told:
            return
        rows = await connection.fetch(_OF_PEOPLE, day * DAY_MS)
        if sum(row["reports"] for row in rows if person_of(row["by"]) == person) > MOST_A_DAY:
            self._told = {each for each in self._told if each[1] >= day} | {(person, day)}
            on = datetime.fromtimestamp(day * DAY_MS / 1000, UTC).date()
            detail = f"on {on} {by} reported more than {MOST_A_DAY} devices, addresses, means of payment or programs"
            await self._tell(connection, Finding(Kind.MANY_SIGNALS, f"signals-{person}-{on}", detail), now)

    async def _tell(self, connection: Connection, finding: Finding, now: int) -> None:
        for new in await record(connection, [finding], now, self._marks):
            self._on_finding(new)
