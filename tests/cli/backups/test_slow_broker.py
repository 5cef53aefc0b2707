"""A backup that goes on from the one before, on a broker that takes its time."""

from typing import cast

import pytest

from libs.journal.log import Fetched, LogRecord, Reader
from libs.stack import StackError
from services.cli.backups import log
from services.cli.backups.files import Part, alone

LAST = LogRecord(7, b"alice", b"{}")
PART = Part("croupier.table.events.v1", 3, "f", 0, 8, last=(7, alone(LAST)))


class Late:
    """Says nothing, as many times as it is told, and then what lies there."""

    def __init__(self, times: int, then: LogRecord) -> None:
        self._left, self._then = times, then

    async def read(self, position: int, most: int, wait_ms: int) -> Fetched:
        self._left -= 1
        return Fetched((), position) if self._left >= 0 else Fetched((self._then,), self._then.offset + 1)


@pytest.mark.parametrize(
    ("then", "same"), [(LAST, True), (LogRecord(7, b"alice", b"other"), False), (LogRecord(8, b"", b""), False)]
)
async def test_no_answer_is_none_and_is_waited_for(then: LogRecord, same: bool) -> None:
    """`casa-backup` called a log another one, on a machine so busy that the broker took more than a second."""
    assert await log._is_same(cast(Reader, Late(3, then)), PART, 0) is same


async def test_a_broker_that_never_answers_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "_ANSWERS_S", 0.0)
    with pytest.raises(StackError, match="does not say what lies at 7"):
        await log._is_same(cast(Reader, Late(1_000_000, LAST)), PART, 0)
