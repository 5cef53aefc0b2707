"""Whether a log is this house's at all: with the wrong keys every record of it is foreign, and it seems to be empty."""

import logging
from collections.abc import Iterable

from libs.contracts.topics import HOUSES
from libs.journal.log import Log, OffsetOutOfRange
from libs.journal.marks import Place, writer_of
from libs.sealing.key_files import BadKey

_PAGE = 100
_WAIT_MS = 500
_log = logging.getLogger(__name__)


class NotOurs(BadKey):
    """No record of a log has a mark that is true under our keys, nor has the house's first one."""


async def check_ours(log: Log, places: Iterable[Place], prefix: str = "") -> None:
    """Raises `NotOurs` where records lie, none of the first ones is true, and the house's own first record is not ours
    either; `LogUnavailable`. One true one anywhere will do.

    Whoever has a service's broker login writes what it likes into a journal that is still empty, so what is foreign
    there says nothing of whose house it is. The house's first record does: no service's login may write it, and all
    keys of a process come of one root. `prefix`: of the house's topics.
    """
    foreign = []
    for place in places:
        lies, true = await _look(log, place)
        if true:
            return
        if lies:
            foreign.append(f"{place[0]}/{place[1]}")
    if not foreign:
        return
    if not await _is_our_house(log, (prefix + HOUSES.name, 0)):
        raise NotOurs(
            f"no record of {', '.join(foreign)} has a mark that we know: another house's CROUPIER_MARKS_FILE?"
        )
    _log.critical(
        "the first records of journals are all foreign; that of the house is ours, so we go on without them",
        extra={"places": foreign},
    )


async def _is_our_house(log: Log, place: Place) -> bool:
    """Whether the very first record there has a mark, and a true one.

    Not any later one: where the keys were lost, `croupier topics --create` writes a house of new keys behind the old.
    """
    reader = await log.reader(*place)
    try:
        position, end = 0, await reader.end()
        while not position and end:
            fetched = await reader.read(0, 1, _WAIT_MS)
            for first in fetched.records:
                return first.offset == 0 and bool(writer_of(first.headers))
            position = fetched.position
        return False
    except OffsetOutOfRange:
        return False  # what says whose house it is has gone
    finally:
        await reader.close()


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
