"""What a service sets on its parked topic: records that it could not take, and what it tells the auditor of itself.

Both say in headers why, and of which place in which topic; the auditor makes incidents of the second kind by its reason
(`services/audit/told_aside.py`).
"""

import msgspec

from libs.journal.log import Headers, OutRecord
from libs.journal.marks import Place

SNAPSHOT_DIFFERS, STREAM_SET_ASIDE, POSITION_MOVED = "snapshot_differs", "stream_set_aside", "position_moved"
"""A snapshot that is none of its service's (journal 24); a stream that no state is made of (25); a group whose offset
was not its service's (12)."""


class Telling(msgspec.Struct, frozen=True):
    """What its service did not go on from, and why. `key`: of the record there, or whatever names it."""

    reason: str
    place: Place
    offset: int
    key: bytes
    why: str

    def record(self, parked: str) -> OutRecord:
        """For the parked topic. Without the value, which may hold a state."""
        return OutRecord(parked, self.key, b"", parked_headers(self.reason, self.why, self.place, self.offset), 0)


def parked_headers(reason: str, detail: str, place: Place, offset: int) -> Headers:
    topic, partition = place
    return (
        ("parked-reason", reason.encode()),
        ("parked-detail", detail.encode()),
        ("parked-topic", topic.encode()),
        ("parked-partition", str(partition).encode()),
        ("parked-offset", str(offset).encode()),
    )
