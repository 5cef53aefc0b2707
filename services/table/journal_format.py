"""What of a table is secret at rest: the deck or shoe beside a commit's events, and the one inside a snapshot.

Sealed by AES-256-GCM under the deck's own data key, which is wrapped under a key of the keyring; both are bound to the
stream and to the version decided on. Everything else of an event is public and stands in the journal in the open.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from libs.contracts.facts import TableEvent
from libs.journal.machine import OldSnapshot
from libs.sealing.deck import ShuffledCards
from libs.sealing.sealed import CannotOpen, Wrapping, associated_data, open_deck, seal_deck
from services.table.domain.games.registry import ALL_GAMES, game_of
from services.table.domain.table.state import Table

STATE_FORMAT = 7
_ENCODER = msgspec.msgpack.Encoder()


class Snapshot(msgspec.Struct, frozen=True):
    format: int
    version: int
    state: msgspec.Raw
    deck: bytes
    kind: str = ""
    """Which kind of table the state is, as the game calls it; empty for a table that has not been opened."""


class _Kind(msgspec.Struct, frozen=True):
    format: int
    kind: str = ""


_SNAPSHOT = msgspec.msgpack.Decoder(Snapshot)
_KIND = msgspec.msgpack.Decoder(_Kind)
_TABLE = msgspec.msgpack.Decoder(Table)
_TABLES = {game.table.__name__: msgspec.msgpack.Decoder(game.table) for game in ALL_GAMES}


class TableFormat:
    """The secrets' half of the codec that the journal's machine asks for."""

    def __init__(self, keyring: Wrapping, lost: Callable[[str], None] = lambda stream: None) -> None:
        self._keyring = keyring
        self._lost = lost

    def seal(self, stream: str, base: int, deck: ShuffledCards) -> bytes:
        """The deck that starts with an event of the commit decided on version `base`."""
        return seal_deck(self._keyring, deck, associated_data(stream, base, "deck"))

    def unseal(self, stream: str, base: int, sealed: bytes) -> ShuffledCards | None:
        """None when it does not open: the key is gone, or it was moved or changed. Its round becomes void."""
        return self._open(stream, base, "deck", sealed)

    def _open(self, stream: str, version: int, purpose: str, sealed: bytes) -> ShuffledCards | None:
        try:
            return open_deck(self._keyring, sealed, associated_data(stream, version, purpose))
        except (CannotOpen, msgspec.MsgspecError, ValueError):
            self._lost(stream)
            return None

    def encode_state(self, stream: str, state: Table) -> bytes:
        sealed, name = b"", ""
        if state.configuration is not None:
            game = game_of(state.configuration)
            name, deck = type(state).__name__, game.deck_of(state)
            if deck is not None:
                sealed = seal_deck(self._keyring, deck, associated_data(stream, state.version, "snapshot"))
                state = game.with_deck(state, None)
        snapshot = Snapshot(STATE_FORMAT, state.version, msgspec.Raw(_ENCODER.encode(state)), sealed, name)
        return _ENCODER.encode(snapshot)

    def reads_state(self, payload: bytes) -> bool:
        """Whether it is of the present format, and of a game that this build knows."""
        known = _KIND.decode(payload)
        return known.format == STATE_FORMAT and (not known.kind or known.kind in _TABLES)

    def decode_state(self, stream: str, payload: bytes) -> Table:
        """OldSnapshot for another format: the table is folded from the journal then."""
        if not self.reads_state(payload):
            raise OldSnapshot("the table's state is of another format, or of a game that this build does not know")
        snapshot = _SNAPSHOT.decode(payload)
        if not snapshot.kind:
            return _TABLE.decode(snapshot.state)
        state: Table = _TABLES[snapshot.kind].decode(snapshot.state)
        if not snapshot.deck:
            return state
        deck = self._open(stream, snapshot.version, "snapshot", snapshot.deck)
        return game_of(state.rules).with_deck(state, deck)


def receive_deck(state: Table, event: TableEvent, deck: Any) -> Table:
    """The state with the opened deck in it, after the event that published its root."""
    return game_of(state.rules).with_deck(state, deck) if "deck_root" in event.__struct_fields__ else state
