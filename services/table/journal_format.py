"""Events and states of tables as bytes of the journal and its snapshots; decks only ever sealed.

An event is MessagePack of its fields, named `<Event>.<format version>`. The deck of `HandStarted` is sealed by
AES-256-GCM under the hand's own data key, which is wrapped under a key of the keyring; both are bound to stream and
version. A snapshot with a running hand seals its deck in the same way, bound to the stream and the state's version.
"""

from functools import cache

import msgspec
from msgspec.structs import replace

from libs.journal.machine import OldSnapshot
from libs.sealing.deck import Deck
from libs.sealing.sealed import Keyring, associated_data, open_sealed, seal
from services.table.domain.games.poker.events import HandStarted
from services.table.domain.table.events import Event
from services.table.domain.table.happenings import EVENT_CLASSES, TableEvent
from services.table.domain.table.state import Table

FORMAT = 1
_EVENTS: dict[str, type[Event]] = {f"{event.__name__}.{FORMAT}": event for event in EVENT_CLASSES}
_ENCODER = msgspec.msgpack.Encoder()
_HAND_STARTED = f"HandStarted.{FORMAT}"


class UnknownFormat(ValueError):
    """A record of a type or version that this build has no decoder for."""


class SealedDeck(msgspec.Struct, frozen=True):
    """Key id, wrapped data key and the box with cards and salts."""

    kek: str
    key: bytes
    box: bytes


class HandStartedRecord(msgspec.Struct, frozen=True):
    event: msgspec.Raw
    deck: SealedDeck


class Snapshot(msgspec.Struct, frozen=True):
    format: int
    version: int
    state: msgspec.Raw
    deck: SealedDeck | None


@cache
def _decoder(kind: type) -> msgspec.msgpack.Decoder[TableEvent]:
    return msgspec.msgpack.Decoder(kind)


_STATE = msgspec.msgpack.Decoder(Table)
_RECORD = msgspec.msgpack.Decoder(HandStartedRecord)
_SNAPSHOT = msgspec.msgpack.Decoder(Snapshot)


class TableFormat:
    """The codec that the journal's machine asks for."""

    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring

    def encode_event(self, stream: str, version: int, event: TableEvent) -> tuple[str, bytes]:
        name = f"{type(event).__name__}.{FORMAT}"
        if not isinstance(event, HandStarted):
            return name, _ENCODER.encode(event)
        assert event.deck is not None, "a hand starts with its deck"
        clear = _ENCODER.encode(replace(event, deck=None))
        sealed = self._seal(event.deck, associated_data(stream, version, "deck"))
        return name, _ENCODER.encode(HandStartedRecord(msgspec.Raw(clear), sealed))

    def decode_event(self, stream: str, version: int, name: str, payload: bytes) -> TableEvent:
        """UnknownFormat for a foreign type; CannotOpen when a sealed part was moved or changed."""
        kind = _EVENTS.get(name)
        if kind is None:
            raise UnknownFormat(name)
        if name != _HAND_STARTED:
            return _decoder(kind).decode(payload)
        record = _RECORD.decode(payload)
        event = msgspec.msgpack.decode(record.event, type=HandStarted)
        return replace(event, deck=self._open(record.deck, associated_data(stream, version, "deck")))

    def encode_state(self, stream: str, state: Table) -> bytes:
        hand, sealed = state.hand, None
        if hand is not None:
            assert hand.deck is not None
            sealed = self._seal(hand.deck, associated_data(stream, state.version, "snapshot"))
            state = replace(state, hand=replace(hand, deck=None))
        return _ENCODER.encode(Snapshot(FORMAT, state.version, msgspec.Raw(_ENCODER.encode(state)), sealed))

    def decode_state(self, stream: str, payload: bytes) -> Table:
        """OldSnapshot for another format: the table is folded from the journal then."""
        snapshot = _SNAPSHOT.decode(payload)
        if snapshot.format != FORMAT:
            raise OldSnapshot("the table's state is of another format")
        state = _STATE.decode(snapshot.state)
        if state.hand is None or snapshot.deck is None:
            return state
        deck = self._open(snapshot.deck, associated_data(stream, snapshot.version, "snapshot"))
        return replace(state, hand=replace(state.hand, deck=deck))

    def _seal(self, deck: Deck, bound_to: bytes) -> SealedDeck:
        kek, wrapped = self._keyring.wrap(deck.data_key, bound_to)
        return SealedDeck(kek, wrapped, seal(deck.data_key, deck.material, bound_to))

    def _open(self, sealed: SealedDeck, bound_to: bytes) -> Deck:
        data_key = self._keyring.unwrap(sealed.kek, sealed.key, bound_to)
        return Deck.from_material(open_sealed(data_key, sealed.box, bound_to), data_key)
