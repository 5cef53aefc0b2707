"""What was reported of accounts: devices, addresses, means of payment, programs (pt-811-2015 11.c, 11.f)."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import yaml

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


class Signals:
    """The projection; a program on the list in force is an incident at once."""

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
                for new in await record(connection, [finding], event.time, self._marks):
                    self._on_finding(new)
