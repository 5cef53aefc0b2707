"""What is written of tables: round trips, sealed decks, frozen samples of every event ever written."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from libs.cards.card import names_of
from libs.sealing.sealed import CannotOpen, Keyring
from services.table.domain.games.poker.events import CardsShown, HandStarted, StreetDealt
from services.table.domain.table.events import TableOpened
from services.table.domain.table.happenings import EVENT_CLASSES, TableEvent
from services.table.domain.table.state import Table
from services.table.journal_format import TableFormat, UnknownFormat
from services.table.public import public_event
from tests.table.play import TableUnderTest
from tests.table.samples import GOLDEN, KEYRING, sample_events

CODEC = TableFormat(KEYRING)


def test_every_event_class_has_a_sample() -> None:
    assert {type(event) for event in sample_events()} == set(EVENT_CLASSES)


def test_every_event_survives_the_round_trip() -> None:
    for version, event in enumerate(sample_events(), start=1):
        name, payload = CODEC.encode_event("t1", version, event)
        assert CODEC.decode_event("t1", version, name, payload) == event


def test_frozen_samples_still_decode() -> None:
    """Records once written are read for ever: these files are never changed, only added to."""
    frozen = sorted(GOLDEN.glob("*.json"))
    assert {path.stem.rsplit(".", 1)[0] for path in frozen} == {event.__name__ for event in EVENT_CLASSES}
    for path in frozen:
        sample = json.loads(path.read_text(encoding="utf-8"))
        event = CODEC.decode_event(sample["stream"], sample["version"], path.stem, bytes.fromhex(sample["payload"]))
        assert _as_frozen(json.loads(msgspec.json.encode(_plain(event))), sample["event"]) == sample["event"], path.name


def _as_frozen(decoded: Any, frozen: Any) -> Any:
    """What was decoded, without fields that were added, with a default, after the sample was frozen."""
    if isinstance(decoded, dict) and isinstance(frozen, dict):
        return {name: _as_frozen(value, frozen[name]) for name, value in decoded.items() if name in frozen}
    return decoded


def _plain(event: TableEvent) -> dict[str, object]:
    plain = {name: getattr(event, name) for name in event.__struct_fields__ if name != "deck"}
    if hasattr(event, "deck"):
        assert event.deck is not None
        plain["deck"] = names_of(event.deck.cards)
    return plain


def test_an_unknown_type_stops_the_reader() -> None:
    with pytest.raises(UnknownFormat):
        CODEC.decode_event("t1", 1, "HandStarted.99", b"")


def test_a_configuration_of_an_unknown_game_stops_the_reader() -> None:
    opened = next(event for event in sample_events() if isinstance(event, TableOpened))
    name, payload = CODEC.encode_event("t1", 1, opened)
    with pytest.raises(UnknownFormat):
        CODEC.decode_event("t1", 1, name, payload.replace(b"poker", b"pojer"))


def played() -> TableUnderTest:
    return TableUnderTest().seat(1, 2, 3).deal(button=1).plays("1 call", "2 call", "3 check")


def test_a_sealed_deck_opens_only_at_its_place() -> None:
    table = played()
    version, started = next((v, e) for v, e in enumerate(table.told, 1) if isinstance(e, HandStarted))
    name, payload = CODEC.encode_event("t1", version, started)
    for stream, at in (("t2", version), ("t1", version + 1)):
        with pytest.raises(CannotOpen):
            CODEC.decode_event(stream, at, name, payload)
    with pytest.raises(CannotOpen):
        TableFormat(Keyring({"k1": bytes(32)}, "k1")).decode_event("t1", version, name, payload)
    snapshot = CODEC.encode_state("t1", table.state)
    assert CODEC.decode_state("t1", snapshot) == table.state
    with pytest.raises(CannotOpen):
        CODEC.decode_state("t2", snapshot)


def test_old_keys_still_open_after_a_change_of_key() -> None:
    table = played()
    snapshot = CODEC.encode_state("t1", table.state)
    rotated = TableFormat(Keyring({"k1": bytes(range(32)), "k2": b"2" * 32}, "k2"))
    assert rotated.decode_state("t1", snapshot) == table.state


@pytest.mark.rule("pt-811-2015", "2.d")
@pytest.mark.rule("mo-97-2010", "6.2", "13.2")
def test_no_unseen_card_in_clear_in_anything_written_or_published() -> None:
    table = played()
    deck = table.hand.deck
    assert deck is not None
    seen = {card.card for event in table.told if isinstance(event, StreetDealt) for card in event.cards}
    unseen = set(names_of(deck.cards)) - seen
    written = b"".join(CODEC.encode_event("t1", v, event)[1] for v, event in enumerate(table.told, 1))
    written += CODEC.encode_state("t1", table.state)
    published = "".join(public_event(event).model_dump_json() for event in table.told)
    for card in unseen:
        assert f'"{card}"' not in published
        assert msgspec.msgpack.encode(card) not in written
    for secret in (deck.cards, deck.cards[20:28], deck.salt_secret, deck.data_key):
        assert secret not in written
        assert secret.hex() not in published


def test_printing_events_and_states_shows_no_unseen_card() -> None:
    table = played()
    deck = table.hand.deck
    assert deck is not None
    text = f"{table.state!r} {table.told!r}"
    seen = {card.card for event in table.told if isinstance(event, StreetDealt) for card in event.cards}
    for card in set(names_of(deck.cards)) - seen:
        assert f"'{card}'" not in text
    assert repr(deck.cards) not in text


def test_the_deck_is_forgotten_when_the_hand_is_over() -> None:
    table = played().checks_down()
    assert table.of(CardsShown)
    assert table.state.hand is None
    assert CODEC.decode_state("t1", CODEC.encode_state("t1", table.state)) == table.state


def test_a_plain_encoder_refuses_a_state_with_a_deck() -> None:
    with pytest.raises(TypeError):
        msgspec.msgpack.encode(played().state)
    assert isinstance(msgspec.msgpack.decode(msgspec.msgpack.encode(Table(table="t")), type=Table), Table)


def test_the_golden_folder_is_there() -> None:
    assert Path(__file__).parents[1] / "golden" / "table-journal" == GOLDEN
