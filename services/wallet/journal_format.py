"""How an account's state stands in the wallet's snapshots. Its events need no format of their own: they are public."""

from typing import Any

import msgspec

from libs.journal.machine import OldSnapshot
from services.wallet.domain.account.state import Memory
from services.wallet.domain.decide import State

_STATE_FORMAT = b"\x07"
READ = (_STATE_FORMAT, b"\x06")
"""Formats that are read, the one that is written first. The former one knows of no generations of references: no event
of its time has made any. Those before do not tell a payment to a tournament from one that was refused, and say of none
how much has come back: what they were of is folded from the journal."""


def _as_map(memory: Any) -> dict[Any, Any]:
    """Sorted, so that equal accounts have equal bytes."""
    if not isinstance(memory, Memory):
        raise NotImplementedError(type(memory).__name__)
    return dict(sorted(memory.items()))


def _as_memory(_: type, held: Any) -> Any:
    """The only type that msgspec does not know itself."""
    return Memory(held)


_STATE_ENCODER = msgspec.msgpack.Encoder(enc_hook=_as_map)
_STATE = msgspec.msgpack.Decoder(State, dec_hook=_as_memory)


def encode_state(state: State) -> bytes:
    return _STATE_FORMAT + _STATE_ENCODER.encode(state)


def reads_state(raw: bytes) -> bool:
    return raw[:1] in READ


def decode_state(raw: bytes) -> State:
    """Raises OldSnapshot for another format: the account is folded from the journal then."""
    if not reads_state(raw):
        raise OldSnapshot("the account's state is of another format")
    state: State = _STATE.decode(memoryview(raw)[1:])
    return state
