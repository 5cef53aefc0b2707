"""What was once written is read for ever: a frozen file for each event, holding the very bytes of its payload."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from libs.contracts.facts import Fact
from libs.contracts.registry import EVENT_TYPES, UnknownEvent, decode_fact, encode_fact, place_of, wire_name
from tests.contracts.samples import sample_facts

GOLDEN = Path(__file__).parents[1] / "golden" / "events"
FROZEN = sorted(GOLDEN.glob("*.json"))


def test_every_event_is_frozen() -> None:
    assert {file.stem for file in FROZEN} == set(EVENT_TYPES)


@pytest.mark.parametrize("file", FROZEN, ids=lambda file: file.stem)
def test_a_frozen_fact_is_read_and_says_all_that_was_written(file: Path) -> None:
    """Files are never changed: a changed shape is a new type, and a new field has a default."""
    fact = decode_fact(file.stem, file.read_bytes())
    written = json.loads(file.read_bytes())
    assert _as_far_as(written, json.loads(encode_fact(fact)[1])) == written


def _as_far_as(written: Any, said: Any) -> Any:
    """What is said of the fields that were written, those of its parts too."""
    if isinstance(written, dict) and isinstance(said, dict):
        return {name: _as_far_as(value, said[name]) for name, value in written.items()}
    if isinstance(written, list) and isinstance(said, list) and len(written) == len(said):
        return [_as_far_as(*both) for both in zip(written, said, strict=True)]
    return said


@pytest.mark.parametrize("fact", sample_facts(), ids=lambda fact: type(fact).__name__)
def test_bytes_and_fact_say_the_same(fact: Fact) -> None:
    name, data = encode_fact(fact)
    assert name == wire_name(type(fact))
    assert decode_fact(name, data) == fact
    assert encode_fact(decode_fact(name, data))[1] == data


@pytest.mark.parametrize("value", [b"", b"[]", b"{", b"7"])
def test_a_value_that_is_no_object_is_refused(value: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        decode_fact("croupier.table.bet_placed.v1", value)


def test_a_type_of_the_future_stops_the_reader() -> None:
    with pytest.raises(UnknownEvent):
        decode_fact("croupier.table.hand_started.v99", b"{}")


def test_a_field_of_the_future_is_passed_over() -> None:
    name, data = encode_fact(sample_facts()[0])
    assert decode_fact(name, data[:-1] + b',"later":[1]}') == sample_facts()[0]


def test_a_configuration_of_an_unknown_game_stops_the_reader() -> None:
    file = GOLDEN / "croupier.table.table_opened.v1.json"
    with pytest.raises(msgspec.ValidationError) as refused:
        decode_fact(file.stem, file.read_bytes().replace(b'"game":"poker"', b'"game":"pojer"'))
    assert place_of(refused.value) == "$.configuration.game"
