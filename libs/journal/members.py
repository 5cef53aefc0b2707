"""Whether a member of a group is one of the house: at each join it says so under a mark of its service.

Who has a service's login may join its groups, and read what their members say. So the mark covers group, instance and
the time of the join: said again by another member, or later, it proves nothing (`services/audit/strangers.py`).
"""

from collections.abc import Callable, Iterable
from time import time_ns
from typing import NamedTuple

import msgspec
from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from aiokafka.coordinator.protocol import ConsumerProtocolMemberMetadata

from libs.journal.log import LogRecord
from libs.journal.mark_keys import MEMBERS
from libs.journal.marks import HEADER, MAC_DIGITS, RETIRED, Marking, MayNotWrite, writer_of
from libs.sealing.key_files import BadKey

PROTOCOL = RoundRobinPartitionAssignor.name
"""How partitions are shared out in every group of the house."""
_PLACE = (MEMBERS, 0)
_DIGITS = 19


class Said(NamedTuple):
    """What a true member says of itself."""

    at: int
    """When it joined, milliseconds since the epoch."""
    is_retired: bool
    """Its key counts no more: it joined before that was said."""


class Joining(RoundRobinPartitionAssignor):  # type: ignore[misc]
    """The assignor of one member, which says anew at each join who it is."""

    def __init__(
        self, marks: Marking, group: str, instance: str, clock: Callable[[], int] = lambda: time_ns() // 1_000_000
    ) -> None:
        """`clock`: milliseconds since the epoch. Raises `BadKey` where this process could say nothing that counts."""
        self._marks = marks
        self._place = group, instance
        self._clock = clock
        self._at = 0
        self._key = b""
        try:
            say(marks, group, instance, 0)
        except MayNotWrite:
            raise BadKey(f"the file of marks has no key of {MEMBERS}: run `croupier marks hand-out`") from None

    def metadata(self, topics: Iterable[str]) -> ConsumerProtocolMemberMetadata:
        """Called at each join."""
        self._at = max(self._clock(), self._at + 1)
        said = say(self._marks, *self._place, self._at)
        self._key = _key_of(said)
        return ConsumerProtocolMemberMetadata(self.version, list(topics), said)

    def is_dated(self) -> bool:
        """Whether it would be said under another key now. Once the one of then is retired nobody takes us for one of
        the house, and nothing is handed over to us, so it is time to join anew."""
        return self._key not in (b"", _key_of(say(self._marks, *self._place, 0)))


def say(marks: Marking, group: str, instance: str, at: int) -> bytes:
    """Raises `MayNotWrite`."""
    headers = marks.marked(_PLACE, group.encode(), _covered(instance, at), ())
    return b"%d " % at + ((headers[-1][1] or b"") if headers else b"")


def is_like_us(marks: Marking, group: str, instance: str, metadata: bytes) -> bool:
    """Whether what a member says is said under a mark of the service that this process is of."""
    ours = writer_of(marks.marked(_PLACE, group.encode(), _covered("", 0), ()))
    said = hear(marks, ours, group, instance, metadata)
    return said is not None and not said.is_retired


def hear(marks: Marking, service: str, group: str, instance: str, metadata: bytes) -> Said | None:
    """What a member of a group of `service` says in its metadata; None: nothing that counts."""
    try:
        at, _, mark = ConsumerProtocolMemberMetadata.decode(metadata).user_data.partition(b" ")
    except Exception:  # whatever a stranger may have written there
        return None
    if not at.isdigit() or len(at) > _DIGITS:
        return None
    record = LogRecord(0, group.encode(), _covered(instance, int(at)), ((HEADER, mark),))
    why = marks.why_foreign(_PLACE, record)
    if why not in (None, RETIRED) or writer_of(record.headers) != service:
        return None
    return Said(int(at), why == RETIRED)


def _key_of(said: bytes) -> bytes:
    """Version and writer."""
    return said.partition(b" ")[2][MAC_DIGITS:]


def _covered(instance: str, at: int) -> bytes:
    return msgspec.msgpack.encode((instance, at))
