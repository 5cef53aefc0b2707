"""What deciding services tell of themselves on their parked topics becomes incidents here."""

from collections.abc import Iterable, Mapping

from libs.contracts.texts import is_clean
from libs.journal.log import LogRecord
from libs.journal.parts import KEY as PART
from libs.journal.parts import stream_in
from libs.journal.shelf import STREAM_PREFIX
from libs.journal.telling import POSITION_MOVED, SNAPSHOT_DIFFERS, STREAM_SET_ASIDE
from services.audit.verifying.findings import Finding, Kind

_SAYS: Mapping[str, tuple[Kind, str]] = {
    SNAPSHOT_DIFFERS: (
        Kind.SNAPSHOT,
        "a snapshot or manifest has the mark of its service and is none of its own ({}): it was left aside",
    ),
    STREAM_SET_ASIDE: (Kind.SET_ASIDE, "its service can't go on with it, the others of its partition go on: {}"),
    POSITION_MOVED: (Kind.GROUP_OFFSET, "{}"),
}
_MOST_INT, _MOST = 2**31 - 1, 2**63 - 1


def told_aside(records: Iterable[LogRecord]) -> list[Finding]:
    """Findings of the true records of a parked topic that a service has written in its own name; each for the place
    that it tells of, so that a start that meets it again tells nothing new."""
    found = []
    for record in records:
        said = {name: (value or b"").decode(errors="replace") for name, value in record.headers}
        says = _SAYS.get(said.get("parked-reason", ""))
        if says is None:
            continue
        kind, detail = says
        key = record.key or b""
        stream = stream_in(key) if key.startswith(PART) else key.removeprefix(STREAM_PREFIX).decode(errors="replace")
        topic, partition = said.get("parked-topic", ""), _number(said.get("parked-partition"), _MOST_INT)
        place = topic, partition, _number(said.get("parked-offset"), _MOST)
        why = said.get("parked-detail", "")
        detail = detail.format(why if why and is_clean(why) else "?")
        if None in place or not topic:
            detail += f" (no such place; told at offset {record.offset} of its parked topic)"
        found.append(Finding(kind, stream if is_clean(stream) else "?", detail, None, *place))
    return found


def _number(text: str | None, most: int) -> int | None:
    """None for what no broker would say."""
    number = int(text) if text and text.isascii() and text.isdecimal() and len(text) <= len(str(most)) else None
    return number if number is not None and number <= most else None
