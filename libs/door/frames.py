"""Which requests of Kafka's protocol come through, and how large; of what passes no more than the head is looked at.

A frame begins with its size (int32, of what follows), the kind of request (int16) and its version (int16).
"""

import asyncio
from asyncio import IncompleteReadError, StreamReader
from collections.abc import Awaitable, Mapping
from struct import Struct

from libs.door.sasl import name_in
from libs.door.written import Written

MOST_WAITING = 64
"""To one broker, whose login is not proven, beside those who are inside: its own bound leaves room for them."""
LOGIN_S = 10.0
"""From the connection until the broker has said that the login is good."""
FRAME_S = 10.0
"""From a request's first byte to its last."""
IDLE_S = 600.0
"""From one request to the next: as long as the broker itself would wait. Clients end idle connections before."""

_kB = 1024  # noqa: N816
MOST_BYTES: Mapping[int, int] = {
    1: 16 * _kB,  # Fetch: 33 bytes for each partition
    2: 16 * _kB,  # ListOffsets
    3: 8 * _kB,  # Metadata
    8: 8 * _kB,  # OffsetCommit: 18 bytes for each partition
    9: 8 * _kB,  # OffsetFetch
    10: 8 * _kB,  # FindCoordinator
    11: 16 * _kB,  # JoinGroup: the broker keeps it for each member, and gives the leader all of them
    12: 8 * _kB,  # Heartbeat
    13: 8 * _kB,  # LeaveGroup
    14: 16 * _kB,  # SyncGroup
    17: 8 * _kB,  # SaslHandshake
    18: 8 * _kB,  # ApiVersions
    23: 8 * _kB,  # OffsetForLeaderEpoch
    36: 8 * _kB,  # SaslAuthenticate
}
"""All that consumers of the classic protocol ask for (aiokafka, librdkafka, Java), by kind: bytes of a whole frame.

Room for all partitions of the three public topics, 128 of each, in any version: what is denied, the broker writes down.
"""

HANDSHAKE, VERSIONS, AUTHENTICATE = 17, 18, 36
COMMIT = 8
WRITTEN_DOWN = (COMMIT, 11, 14)
"""What the broker writes into its topic of groups: commits, and who joins them (`libs/door/written.py`)."""
HEAD = Struct(">ihh")
_LEAST_BYTES = 14
"""Of a frame with everything that each request has: also a number of the sender's, and a name, at least its length."""


class Refused(Exception):
    """Why a connection ends: `reason` is a metric's label, `about` more of it, for a log line."""

    def __init__(self, reason: str, **about: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.about = about


class Frames:
    """The requests of one connection, whole and in order."""

    def __init__(self, reader: StreamReader, written: Written) -> None:
        """`written`: of all connections of this door."""
        self.login: str | None = None
        """As whom it says to come; whether it is, the broker knows."""
        self.logged_in = False
        """Whether the broker has said so."""
        self._begins = False
        """Whether the next message of SCRAM is the first one, which says a name."""
        self._reader = reader
        self._written = written
        self._until = asyncio.get_running_loop().time() + LOGIN_S

    async def in_time(self, answer: Awaitable[bytes]) -> bytes:
        """What the broker answers during the login. Raises `Refused` where it takes too long."""
        try:
            async with asyncio.timeout_at(self._until):
                return await answer
        except TimeoutError:
            raise Refused("slow_login") from None

    async def next(self) -> bytes:
        """Raises `Refused`; `IncompleteReadError` and OSError where the connection ends."""
        now, late = asyncio.get_running_loop().time, "idle" if self.logged_in else "slow_login"
        try:
            async with asyncio.timeout_at(now() + IDLE_S if self.logged_in else self._until) as patience:
                head = await self._reader.readexactly(1)
                if self.logged_in:
                    late = "slow_request"
                    patience.reschedule(now() + FRAME_S)
                head += await self._reader.readexactly(HEAD.size - 1)
                size, kind, version = HEAD.unpack(head)
                self._judge(size + 4, kind, version)
                frame = head + await self._reader.readexactly(size + 4 - HEAD.size)
        except TimeoutError:
            raise Refused(late) from None
        if kind == HANDSHAKE:
            self._begins = True
        elif kind == AUTHENTICATE and self._begins:
            self._begins = False
            self._says(name_in(frame))
        if kind in WRITTEN_DOWN and not await self._written.turn(self.login or "", len(frame), self._is_gone):
            raise IncompleteReadError(b"", None)
        return frame

    def _is_gone(self) -> bool:
        return self._reader.at_eof() or self._reader.exception() is not None

    def _says(self, name: str | None) -> None:
        """A broker lets who is logged in prove the login again; as another one nobody has to try."""
        if self.logged_in and name != self.login:
            raise Refused("login")
        self.login = name

    def _judge(self, size: int, kind: int, version: int) -> None:
        about = {"api_key": kind, "api_version": version, "bytes": size}
        if kind not in MOST_BYTES:
            raise Refused("kind", **about)
        if not self.logged_in and kind not in (HANDSHAKE, VERSIONS, AUTHENTICATE):
            raise Refused("before_login", **about)
        if not _LEAST_BYTES <= size <= MOST_BYTES[kind]:
            raise Refused("size", **about)
