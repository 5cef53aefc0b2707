"""How a tournament's state stands in snapshots. Its events need no format of their own: they are public."""

from typing import Any

import msgspec

from libs.journal.machine import OldSnapshot
from services.tournament.domain.play.memory import Lasting
from services.tournament.domain.play.seating import Place
from services.tournament.domain.state import Tournament

_STATE_FORMAT = b"\x03"
READ = (_STATE_FORMAT, b"\x02")
"""Formats that are read, the one that is written first."""


def _as_map(lasting: Any) -> dict[Any, Any]:
    """Sorted, so that equal tournaments have equal bytes."""
    if not isinstance(lasting, Lasting):
        raise NotImplementedError(type(lasting).__name__)
    return dict(sorted(lasting.items()))


def _as_lasting(_: type, held: Any) -> Any:
    """The only type that msgspec does not know itself. Of what stands in it, places alone are lists."""
    return Lasting({name: Place(*each) if isinstance(each, list) else each for name, each in held.items()})


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_as_map)
_DECODER = msgspec.msgpack.Decoder(Tournament, dec_hook=_as_lasting)


def encode_state(state: Tournament) -> bytes:
    return _STATE_FORMAT + _ENCODER.encode(state)


def reads_state(raw: bytes) -> bool:
    return raw[:1] in READ


def decode_state(raw: bytes) -> Tournament:
    """Raises OldSnapshot for another format: the tournament is folded from the journal then."""
    if not reads_state(raw):
        raise OldSnapshot("the tournament's state is of another format")
    state = _DECODER.decode(memoryview(raw)[1:])
    if raw[:1] != _STATE_FORMAT and state.play.disqualified:
        raise OldSnapshot("it does not say which disqualifications a second person has decided")
    return state
