"""Marks of a house whose root key everybody knows, and of one that has none."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from libs.journal.log import Headers, LogRecord
from libs.journal.mark_keys import Plan, hand_out, keys_of
from libs.journal.marks import Marking, Marks, Place
from libs.journal.seal_keys import hand_out_seals

ROOT = bytes(range(32, 64))


class Unmarked:
    """A log on which everybody is believed: for tests of what lies below the marks."""

    def marked(self, place: Place, key: bytes | None, value: bytes | None, headers: Headers) -> Headers:
        return headers

    def why_foreign(self, place: Place, record: LogRecord) -> str | None:
        return None

    def why_not_asked(self, place: Place, record: LogRecord) -> str | None:
        return None


UNMARKED = Unmarked()


class Remembered:
    """Another's marks, which judge each record once, however many readers in this process come to it."""

    def __init__(self, marks: Marking) -> None:
        self._marks = marks
        self._judged: dict[int, tuple[LogRecord, Place, str | None]] = {}
        """By identity of the record, which is held, so that no other one takes it."""

    def marked(self, place: Place, key: bytes | None, value: bytes | None, headers: Headers) -> Headers:
        return self._marks.marked(place, key, value, headers)

    def why_foreign(self, place: Place, record: LogRecord) -> str | None:
        judged = self._judged.get(id(record))
        if judged is None or judged[1] != place:
            judged = self._judged[id(record)] = record, place, self._marks.why_foreign(place, record)
        return judged[2]

    def why_not_asked(self, place: Place, record: LogRecord) -> str | None:
        return self._marks.why_not_asked(place, record)


_EVERYBODYS = tuple(key for each in ("inspector", "gateway", "audit") for key in keys_of(each, ROOT, Plan()))
INSPECTOR, GATEWAY, TABLE, WALLET, TOURNAMENT, AUDIT, HOUSE = (
    Marks(each, _EVERYBODYS) for each in ("inspector", "gateway", "table", "wallet", "tournament", "audit", "house")
)
"""Each writes what that process may, and reads everything."""


def mark_file(folder: Path, process: str) -> Path:
    return hand_out(folder / "marks", ROOT, Plan())[process]


def seal_file(folder: Path, process: str) -> Path:
    return hand_out_seals(folder / "seals", ROOT, Plan(), None)[process]


def written_by(
    marks: Marking, topic: str, partition: int, key: bytes | None, value: bytes | None, headers: Headers = ()
) -> dict[str, Any]:
    """A record for aiokafka's `send` and `send_and_wait`."""
    marked: Sequence[tuple[str, bytes]] = list(marks.marked((topic, partition), key, value, headers))
    return {"topic": topic, "partition": partition, "key": key, "value": value, "headers": marked}
