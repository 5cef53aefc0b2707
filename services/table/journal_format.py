"""Events and states of tables as bytes of the journal and its snapshots; decks only ever sealed.

An event is MessagePack of its fields, named `<Event>.<format version>`. A field called `deck` is sealed by
AES-256-GCM under the deck's own data key, which is wrapped under a key of the keyring; both are bound to stream and
version. A snapshot whose state holds a deck seals it in the same way, bound to the stream and the state's version.
"""

from functools import cache
from typing import Any

import msgspec
from msgspec.structs import replace

from libs.cards.card import DECK_SIZE
from libs.journal.machine import OldSnapshot
from libs.sealing.deck import Deck, Shoe, ShuffledCards
from libs.sealing.sealed import Keyring, associated_data, open_sealed, seal
from services.table.domain.games.registry import GAMES, game_of
from services.table.domain.table.events import Event
from services.table.domain.table.happenings import EVENT_CLASSES, TableEvent
from services.table.domain.table.state import Table

FORMAT = 1
STATE_FORMAT = 2
_EVENTS: dict[str, type[Event]] = {f"{event.__name__}.{FORMAT}": event for event in EVENT_CLASSES}
_NAMES: dict[type[Event], str] = {event: name for name, event in _EVENTS.items()}
_WITH_DECK = frozenset(event for event in EVENT_CLASSES if "deck" in event.__struct_fields__)
_WITH_CONFIGURATION = frozenset(event for event in EVENT_CLASSES if "configuration" in event.__struct_fields__)
_DECK_MATERIAL = DECK_SIZE + 32
"""Bytes of one deck's cards and salt; more are a shoe's."""
_ENCODER = msgspec.msgpack.Encoder()


class UnknownFormat(ValueError):
    """A record of a type or version that this build has no decoder for."""


class SealedDeck(msgspec.Struct, frozen=True):
    """Key id, wrapped data key and the box with cards and salts."""

    kek: str
    key: bytes
    box: bytes


class DeckRecord(msgspec.Struct, frozen=True):
    """An event with a deck: its other fields in the open, the deck beside."""

    event: msgspec.Raw
    deck: SealedDeck


class Snapshot(msgspec.Struct, frozen=True):
    format: int
    version: int
    state: msgspec.Raw
    deck: SealedDeck | None
    game: str = ""
    """Whose kind of table the state is; empty for a table that has not been opened."""


class _Configured(msgspec.Struct):
    configuration: msgspec.Raw


@cache
def _decoder(kind: type[Any]) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(kind)


class TableFormat:
    """The codec that the journal's machine asks for."""

    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring

    def encode_event(self, stream: str, version: int, event: TableEvent) -> tuple[str, bytes]:
        kind = type(event)
        if kind not in _WITH_DECK:
            return _NAMES[kind], _ENCODER.encode(event)
        deck: ShuffledCards | None = event.deck  # type: ignore[attr-defined]  # it has one, see above
        assert deck is not None, "what is dealt from starts with its deck"
        clear = _ENCODER.encode(replace(event, deck=None))
        sealed = self._seal(deck, associated_data(stream, version, "deck"))
        return _NAMES[kind], _ENCODER.encode(DeckRecord(msgspec.Raw(clear), sealed))

    def decode_event(self, stream: str, version: int, name: str, payload: bytes) -> TableEvent:
        """UnknownFormat for a foreign type or game; CannotOpen when a sealed part was moved or changed."""
        kind = _EVENTS.get(name)
        if kind is None:
            raise UnknownFormat(name)
        event: TableEvent
        if kind in _WITH_CONFIGURATION:
            event = _with_configuration(_decoder(kind).decode(payload), payload)
            return event
        if kind not in _WITH_DECK:
            event = _decoder(kind).decode(payload)
            return event
        record: DeckRecord = _decoder(DeckRecord).decode(payload)
        event = _decoder(kind).decode(record.event)
        return replace(event, deck=self._open(record.deck, associated_data(stream, version, "deck")))

    def encode_state(self, stream: str, state: Table) -> bytes:
        sealed, name = None, ""
        if state.configuration is not None:
            game = game_of(state.configuration)
            name, deck = game.name, game.deck_of(state)
            if deck is not None:
                sealed = self._seal(deck, associated_data(stream, state.version, "snapshot"))
                state = game.with_deck(state, None)
        snapshot = Snapshot(STATE_FORMAT, state.version, msgspec.Raw(_ENCODER.encode(state)), sealed, name)
        return _ENCODER.encode(snapshot)

    def decode_state(self, stream: str, payload: bytes) -> Table:
        """OldSnapshot for another format: the table is folded from the journal then."""
        snapshot: Snapshot = _decoder(Snapshot).decode(payload)
        if snapshot.format != STATE_FORMAT:
            raise OldSnapshot("the table's state is of another format")
        state: Table
        if not snapshot.game:
            state = _decoder(Table).decode(snapshot.state)
            return state
        if snapshot.game not in GAMES:
            raise OldSnapshot("the table's state is of a game that this build does not know")
        game = GAMES[snapshot.game]
        state = _decoder(game.table).decode(snapshot.state)
        if state.announced is not None:
            announced = _with_configuration(state.announced, _decoder(_Announcing).decode(snapshot.state).announced)
            state = replace(state, announced=announced)
        if snapshot.deck is None:
            return state
        deck = self._open(snapshot.deck, associated_data(stream, snapshot.version, "snapshot"))
        return game.with_deck(state, deck)

    def _seal(self, deck: ShuffledCards, bound_to: bytes) -> SealedDeck:
        kek, wrapped = self._keyring.wrap(deck.data_key, bound_to)
        return SealedDeck(kek, wrapped, seal(deck.data_key, deck.material, bound_to))

    def _open(self, sealed: SealedDeck, bound_to: bytes) -> ShuffledCards:
        data_key = self._keyring.unwrap(sealed.kek, sealed.key, bound_to)
        material = open_sealed(data_key, sealed.box, bound_to)
        kind = Deck if len(material) == _DECK_MATERIAL else Shoe
        return kind.from_material(material, data_key)


class _Announcing(msgspec.Struct):
    announced: msgspec.Raw


def _with_configuration(holder: Any, payload: bytes | msgspec.Raw) -> Any:
    """The same with its configuration read as that of its game: at first only what all games share was read."""
    try:
        kind = game_of(holder.configuration).configuration
    except KeyError:
        raise UnknownFormat("a configuration of no game that this build knows") from None
    raw: _Configured = _decoder(_Configured).decode(payload)
    return replace(holder, configuration=_decoder(kind).decode(raw.configuration))
