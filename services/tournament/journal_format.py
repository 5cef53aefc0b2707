"""How a tournament's state stands in snapshots. Its events need no format of their own: they are public."""

import msgspec

from libs.journal.machine import OldSnapshot
from services.tournament.domain.state import Tournament

_STATE_FORMAT = b"\x01"
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Tournament)


def encode_state(state: Tournament) -> bytes:
    return _STATE_FORMAT + _ENCODER.encode(state)


def decode_state(raw: bytes) -> Tournament:
    """Raises OldSnapshot for another format: the tournament is folded from the journal then."""
    if raw[:1] != _STATE_FORMAT:
        raise OldSnapshot("the tournament's state is of another format")
    return _DECODER.decode(memoryview(raw)[1:])
