"""The record that we write is a CloudEvent to others: the `cloudevents` library is the witness."""

import json

import pytest
from cloudevents.core.bindings.kafka import KafkaMessage, from_binary
from cloudevents.core.formats.json import JSONFormat
from msgspec.structs import replace

from libs.contracts.cloudevents_kafka import NotAPublicEvent, from_record, to_record
from libs.contracts.messages import PublicEvent

EVENT = PublicEvent(
    stream="table-7",
    version=118,
    type="croupier.table.bet_placed.v1",
    time=1_763_740_000_007,
    causation="019aa5a0-0000-7000-8000-000000000001",
    correlation="corr-1",
    traceparent="00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    data='{"seat":3,"amount":100000000000000000,"names":["é",null,true]}'.encode(),
)


def test_the_record_reads_back_to_the_same_event():
    assert from_record(*to_record(EVENT)) == EVENT


def test_the_cloudevents_library_reads_the_record():
    key, value, headers = to_record(EVENT)

    event = from_binary(KafkaMessage(dict(headers), key, value), JSONFormat())

    assert (event.get_id(), event.get_source(), event.get_type()) == ("table-7/118", "/croupier/table", EVENT.type)
    assert event.get_subject() == "table-7"
    at = event.get_time()
    assert at is not None
    assert int(at.timestamp() * 1000) == EVENT.time
    assert event.get_extension("version") == "118"
    assert event.get_data() == json.loads(EVENT.data)


@pytest.mark.parametrize("time", [0, 1, 999, 1000, 1_763_740_000_999, 4_102_444_800_000])
def test_time_keeps_its_milliseconds(time):
    event = replace(EVENT, time=time)
    assert from_record(*to_record(event)).time == time


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("ce_specversion", b"0.3"),
        ("ce_id", b"table-7/119"),
        ("ce_version", b"0"),
        ("ce_version", b"many"),
        ("ce_time", b"yesterday"),
        ("ce_time", b"2026-01-01T00:00:00"),
        ("ce_subject", b"table-8"),
        ("ce_type", b"\xff"),
    ],
)
def test_a_wrong_header_is_refused(header, value):
    key, body, headers = to_record(EVENT)
    with pytest.raises(NotAPublicEvent):
        from_record(key, body, {**dict(headers), header: value}.items())


@pytest.mark.parametrize("gone", ["ce_version", "ce_type", "ce_time", "ce_causation", "ce_subject"])
def test_a_missing_header_is_named(gone):
    key, value, headers = to_record(EVENT)
    with pytest.raises(NotAPublicEvent, match=gone):
        from_record(key, value, [h for h in headers if h[0] != gone])


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("ce_subject", b"table-\x00"), ("ce_subject", "t\u202eable".encode()), ("ce_subject", b""),
        ("ce_type", b"a\x00"),
        ("ce_causation", b"\x00"), ("ce_correlation", b"a\nb"), ("ce_version", b"9" * 30), ("ce_version", b"9" * 5_000),
    ],
)  # fmt: skip
def test_hostile_headers_are_no_event(header: str, value: bytes) -> None:
    headers = {
        "ce_specversion": b"1.0", "ce_subject": b"table-1", "ce_type": b"croupier.table.x.v1", "ce_version": b"1",
        "ce_time": b"2026-01-02T10:00:00.000Z", "ce_causation": b"c", "ce_correlation": b"",
    }  # fmt: skip
    headers[header] = value
    headers["ce_id"] = headers["ce_subject"] + b"/" + headers["ce_version"]
    with pytest.raises(NotAPublicEvent):
        from_record(None, b"{}", headers.items())
