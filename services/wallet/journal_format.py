"""How the wallet's events and states stand in its journal and snapshots: private, versioned, never edited.

A type name carries its schema version (`FundsHeld.1`). A changed shape is a new version here and an upcaster for the
old one; `tests/golden/wallet-journal` keeps a sample of every version ever written.
"""

from typing import Any

import msgspec

from libs.journal.machine import OldSnapshot
from services.wallet.domain.account import events
from services.wallet.domain.account.state import Memory, State

_EVENTS: dict[str, type[events.Event]] = {
    "AccountOpened.1": events.AccountOpened,
    "FundsDeposited.1": events.FundsDeposited,
    "FundsWithdrawn.1": events.FundsWithdrawn,
    "WithdrawalRefused.1": events.WithdrawalRefused,
    "FundsHeld.1": events.FundsHeld,
    "HoldRefused.1": events.HoldRefused,
    "HoldReleased.1": events.HoldReleased,
    "HoldSettled.1": events.HoldSettled,
    "SignalReported.1": events.SignalReported,
    "FeeCharged.1": events.FeeCharged,
    "FeeRefused.1": events.FeeRefused,
}
_NAMES = {event: name for name, event in _EVENTS.items()}
_ENCODER = msgspec.msgpack.Encoder()
_DECODERS: dict[str, msgspec.msgpack.Decoder[Any]] = {
    name: msgspec.msgpack.Decoder(event) for name, event in _EVENTS.items()
}
_STATE_FORMAT = b"\x02"


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


class UnknownType(ValueError):
    """The journal holds an event type that this build does not know: it is too old to go on."""


def encode_event(event: events.Event) -> tuple[str, bytes]:
    return _NAMES[type(event)], _ENCODER.encode(event)


def decode_event(name: str, payload: bytes) -> events.Event:
    """Raises UnknownType, or msgspec.MsgspecError for bytes that are not of that type."""
    decoder = _DECODERS.get(name)
    if decoder is None:
        raise UnknownType(name)
    event: events.Event = decoder.decode(payload)
    return event


def encode_state(state: State) -> bytes:
    return _STATE_FORMAT + _STATE_ENCODER.encode(state)


def decode_state(raw: bytes) -> State:
    """Raises OldSnapshot for another format: the account is folded from the journal then."""
    if raw[:1] != _STATE_FORMAT:
        raise OldSnapshot("the account's state is of another format")
    state: State = _STATE.decode(memoryview(raw)[1:])
    return state
