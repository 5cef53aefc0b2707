"""Whether a log is this house's at all: with the wrong keys every record of it is foreign, and it seems to be empty."""

from collections.abc import Iterable

from libs.journal.log import Log, OffsetOutOfRange
from libs.journal.marks import Place
from libs.sealing.key_files import BadKey

_PAGE = 100
_WAIT_MS = 500


class NotOurs(BadKey):
    """No record of a log has a mark that is true under our keys."""


async def check_ours(log: Log, places: Iterable[Place]) -> None:
    """Raises `NotOurs` where records lie and none of the first ones is true. One true one anywhere will do: somebody
    else's first record in a partition that is still empty stops nobody."""
    foreign = []
    for place in places:
        lies, true = await _look(log, place)
        if true:
            return
        if lies:
            foreign.append(f"{place[0]}/{place[1]}")
    if foreign:
        raise NotOurs(
            f"no record of {', '.join(foreign)} has a mark that we know: another house's CROUPIER_MARKS_FILE?"
        )


async def _look(log: Log, place: Place) -> tuple[bool, bool]:
    """Whether anything lies there, and whether any of the first records is true."""
    reader = await log.reader(*place)
    try:
        position, end = 0, await reader.end()
        while position < min(end, _PAGE):
            fetched = await reader.read(position, _PAGE, _WAIT_MS)
            if fetched.records:
                return True, True
            position = fetched.position
        return end > 0, False
    except OffsetOutOfRange:
        return True, True  # what was first has gone: not a log that seems empty
    finally:
        await reader.close()
