"""Floors: which gateway serves which tables. A table's partition follows from its id, so nobody is asked where it is.

A gateway with a floor reads the tables of its partitions alone; whoever comes to it for another table is told the
address of the gateways that serve that one.
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from libs.contracts.topics import partition_of
from libs.edge.problems import Problem
from libs.sealing.key_files import BadKey
from libs.telemetry import get_logger

LOOK_AGAIN_S = 1.0
AGAIN_S = 5
"""When somebody may serve a table that nobody serves."""
_RANGES = re.compile(r"[0-9]{1,4}(-[0-9]{1,4})?(,[0-9]{1,4}(-[0-9]{1,4})?)*")
_log = get_logger(__name__)


def partitions_in(text: str) -> frozenset[int]:
    """Of `0-7,12`. ValueError for what is no list of partitions."""
    if not _RANGES.fullmatch(text):
        raise ValueError("partitions are numbers and ranges of them, as in 0-7,12")
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        if int(last or first) < int(first):
            raise ValueError("a range of partitions goes from the lower to the higher one")
        found.update(range(int(first), int(last or first) + 1))
    return frozenset(found)


class Misdirected(Problem):
    """421: the table is of another floor, and nothing was asked of it. `gateway` is the WebSocket address there."""

    def __init__(self, table: str, base: str) -> None:
        super().__init__(
            421,
            "other-floor",
            "Another gateway serves this table: repeat it there with the same key.",
            table=table,
            gateway=socket_at(base),
        )
        self.base = base


def socket_at(base: str) -> str:
    return base.replace("http", "ws", 1) + "/v1/ws"


@dataclass(slots=True)
class Addresses:
    """Base address of the gateways of each partition, from a file that is read again when it changes: a JSON object of
    partitions (`0-7,12`) to addresses (`https://…`). One that can't be read any more changes nothing."""

    file: Path
    clock: Callable[[], float] = time.monotonic
    trouble: str | None = None
    _by_partition: dict[int, str] = field(default_factory=dict)
    _stamp: tuple[int, int, int] | None = None
    _looked: float = -1e9

    def of(self, partition: int) -> str | None:
        """None: nobody serves it, as far as the file says."""
        self._look()
        return self._by_partition.get(partition)

    def _look(self) -> None:
        if self.clock() - self._looked < LOOK_AGAIN_S:
            return
        self._looked = self.clock()
        try:
            status = self.file.stat()
            stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
            if stamp == self._stamp and self.trouble is None:
                return
            self._by_partition = addresses_in(self.file.read_bytes())
        except (OSError, msgspec.MsgspecError, ValueError) as wrong:
            if self.trouble is None:
                _log.error("the file of floors can't be read; what was read before holds", error=type(wrong).__name__)
            self.trouble = "the file of floors can't be read; what was read before holds"
            return
        self._stamp, self.trouble = stamp, None


def addresses_in(raw: bytes) -> dict[int, str]:
    """Partition to base address. Raises msgspec.MsgspecError, ValueError for what names none, or a partition twice."""
    found: dict[int, str] = {}
    for text, address in msgspec.json.decode(raw, type=dict[str, str]).items():
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError("an address of a floor is the base of its gateways, https://…")
        partitions = partitions_in(text)
        if partitions & found.keys():
            raise ValueError("a partition has two addresses")
        found |= dict.fromkeys(partitions, address.rstrip("/"))
    return found


@dataclass(frozen=True, slots=True)
class Floors:
    """`own` are the partitions whose tables this gateway serves, of `of_house`. Without `addresses` there are no
    floors, and it serves all."""

    own: frozenset[int] = frozenset()
    of_house: int = 1
    addresses: Addresses | None = None

    @property
    def are_on(self) -> bool:
        return self.addresses is not None

    def serves(self, table: str) -> bool:
        return self.addresses is None or partition_of(table, self.of_house) in self.own

    def check(self, table: str) -> None:
        """`Misdirected` for a table of another floor; `Problem` 503 where nobody is said to serve it."""
        if self.serves(table):
            return
        base = self._base(table)
        if base is None:
            told = {"table": table, "retry_after": AGAIN_S}
            header = {"retry-after": str(AGAIN_S)}
            raise Problem(503, "no-gateway", "No gateway serves this table now.", headers=header, **told)
        raise Misdirected(table, base)

    def gateway(self, table: str) -> str | None:
        """WebSocket address of the gateways that serve the table; None without floors, or where nobody does."""
        base = self._base(table)
        return socket_at(base) if base is not None else None

    def told(self) -> str | None:
        """What somebody must look at."""
        if self.addresses is None:
            return None
        nobodys = [str(each) for each in range(self.of_house) if self.addresses.of(each) is None]
        if nobodys and self.addresses.trouble is None:
            return f"the file of floors has no address for partitions {','.join(nobodys)}"
        return self.addresses.trouble

    def _base(self, table: str) -> str | None:
        return self.addresses.of(partition_of(table, self.of_house)) if self.addresses is not None else None


NO_FLOORS = Floors()


class FloorsWrong(BadKey):
    """Settings that do not fit the house, which a person has to mend. One sentence."""


def floors_of(floor: str | None, file: Path | None, of_house: int) -> Floors:
    """Raises `FloorsWrong` where a gateway would begin with a floor that can't be right."""
    if file is None:
        if floor is not None:
            raise FloorsWrong("CROUPIER_FLOOR needs CROUPIER_FLOORS_FILE, which says where all other tables are served")
        return Floors()
    try:
        known = addresses_in(file.read_bytes())
        own = partitions_in(floor) if floor is not None else frozenset(range(of_house))
    except (OSError, msgspec.MsgspecError, ValueError) as wrong:
        raise FloorsWrong(f"the floors can't be read: {wrong}") from None
    beyond = [each for each in sorted(own | known.keys()) if each >= of_house]
    if beyond:
        raise FloorsWrong(f"a floor names partition {beyond[0]}, and the house has 0 to {of_house - 1}")
    return Floors(own, of_house, Addresses(file))
