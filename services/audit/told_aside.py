"""What deciding services tell of themselves on their parked topics becomes incidents here."""

from collections.abc import Iterable, Mapping

from libs.contracts.texts import is_clean
from libs.journal.log import LogRecord
from libs.journal.parts import KEY as PART
from libs.journal.parts import stream_in
from libs.journal.snapshots import STREAM_PREFIX
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
_DIGITS = 19


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
        place = said.get("parked-topic", ""), _number(said.get("parked-partition")), _number(said.get("parked-offset"))
        why = said.get("parked-detail", "")
        detail = detail.format(why if is_clean(why) else "?")
        found.append(Finding(kind, stream if is_clean(stream) else "?", detail, None, *place))
    return found


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < _DIGITS else None
