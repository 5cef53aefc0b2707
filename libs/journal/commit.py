"""One commit: what a decided command leaves in the journal, and the digest that chains it (journal 2)."""

from hashlib import sha256
from typing import Annotated, Literal

import msgspec

from libs.contracts.reading import read

FORMAT = 0x01
"""First byte of every record. Another byte is another format, with an upcaster of its own."""

_Digest = Annotated[bytes, msgspec.Meta(min_length=32, max_length=32)]
_Id = Annotated[bytes, msgspec.Meta(min_length=16, max_length=16)]
_Count = Annotated[int, msgspec.Meta(ge=0)]


class Undecodable(ValueError):
    """The bytes are no commit of a known format. The text says why and quotes nothing."""


class Commit(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """All events of one decided command (none, for a rejection), chained on the stream's last valid commit."""

    stream: str
    base: _Count
    """Version of the stream that was decided on; the first event is version `base + 1`."""
    prev: _Digest
    """SHA-256 over the raw bytes of the stream's last valid commit; `genesis` for the first."""
    command_id: _Id
    source: str
    """Name, incarnation and partition of the commands topic, e.g. `table-commands.1/3` (journal 14)."""
    command_offset: _Count
    command_time: _Count
    """Effective time: the log time of the command record, or the stream time if later; milliseconds (journal 13)."""
    verdict: Literal["accepted", "rejected"]
    reason: str | None
    rule: str | None
    detail: str
    events: tuple[tuple[str, bytes], ...]
    """(type on the wire, e.g. `croupier.table.hand_started.v1`; JSON, byte for byte the public event's `data`)."""
    writer: str
    generation: int
    """Hint for giving way to a newer owner; never part of the rule (journal 4e)."""
    sealed: bytes = b""
    """The deck or shoe that starts with one of these events, sealed; empty for nearly all commits."""
    correlation: str = ""
    traceparent: str = ""
    principal: str = ""

    @property
    def version(self) -> int:
        """Version of the stream after this commit."""
        return self.base + len(self.events)


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Commit)
_PREFIX = bytes([FORMAT])


def encode(commit: Commit) -> bytes:
    return _PREFIX + _ENCODER.encode(commit)


def decode(raw: bytes | None) -> Commit:
    """The commit in these bytes; raises `Undecodable`."""
    if not raw:
        raise Undecodable("empty record")
    if raw[0] != FORMAT:
        raise Undecodable("unknown version byte")
    try:
        commit = read(_DECODER, memoryview(raw)[1:])
    except msgspec.MsgspecError as wrong:
        raise Undecodable(f"not a commit: {type(wrong).__name__}") from None
    if commit.verdict == "rejected" and commit.events:
        raise Undecodable("a rejection with events")
    return commit


class _Whose(msgspec.Struct, frozen=True, array_like=True):
    stream: str


_WHOSE = msgspec.msgpack.Decoder(_Whose)


def stream_of(raw: bytes | None) -> str | None:
    """Whose commit these bytes would be, and no more is read of them; None where it can't be one."""
    if not raw or raw[0] != FORMAT:
        return None
    try:
        return read(_WHOSE, memoryview(raw)[1:]).stream
    except msgspec.MsgspecError:
        return None


def digest(raw: bytes) -> bytes:
    """SHA-256 over the bytes as they stand in the log; never over a re-serialisation (journal 2)."""
    return sha256(raw).digest()


def genesis(incarnation: str, stream: str) -> bytes:
    """`prev` of a stream's first commit: bound to the journal's incarnation, so a re-created topic shares no chain."""
    return sha256(f"{incarnation}\x1f{stream}".encode()).digest()


def time_in(command_id: bytes) -> int:
    """t0: milliseconds inside a UUIDv7 (journal 13)."""
    return int.from_bytes(command_id[:6], "big")
