"""Public events as Kafka records: CloudEvents 1.0, binary content mode.

Source: CloudEvents Kafka Protocol Binding 1.0.2, §3.2. Attributes are `ce_*` headers, `data` the value as JSON, the
key the stream. By hand because it stands in the follower's hot path; the test reads the records back with the
`cloudevents` library.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache

from libs.contracts.messages import PublicEvent
from libs.contracts.texts import ID

Headers = tuple[tuple[str, bytes], ...]

_STREAM = re.compile(rf"{ID}").fullmatch
_PRINTABLE = re.compile(r"[\x20-\x7e]{0,256}").fullmatch
SPEC_VERSION = b"1.0"
CONTENT_TYPE = b"application/json"


class NotAPublicEvent(ValueError):
    """The record is no CloudEvent of ours. The text names the field that is wrong, never its value."""


def to_record(event: PublicEvent) -> tuple[bytes, bytes, Headers]:
    """Key, value and headers of one public event."""
    stream, source, kind = event.stream.encode(), *_named(event.type)
    headers: Headers = (
        ("ce_specversion", SPEC_VERSION),
        ("ce_id", event.id.encode()),
        ("ce_source", source),
        ("ce_type", kind),
        ("ce_subject", stream),
        ("ce_time", _rfc3339(event.time)),
        ("ce_version", str(event.version).encode()),
        ("ce_causation", event.causation.encode()),
        ("ce_correlation", event.correlation.encode()),
        ("content-type", CONTENT_TYPE),
    )
    if event.traceparent:
        headers = (*headers, ("traceparent", event.traceparent.encode()))
    return stream, event.data, headers


def from_record(key: bytes | None, value: bytes | None, headers: Iterable[tuple[str, bytes]]) -> PublicEvent:
    """The event of one record, its data unread; raises `NotAPublicEvent`."""
    held = dict(headers)
    if held.get("ce_specversion") != SPEC_VERSION:
        raise NotAPublicEvent("ce_specversion is not 1.0")
    try:
        stream = held["ce_subject"].decode()
        event = PublicEvent(
            stream=stream,
            version=int(held["ce_version"]),
            type=held["ce_type"].decode(),
            time=_milliseconds(held["ce_time"].decode()),
            causation=held["ce_causation"].decode(),
            correlation=held.get("ce_correlation", b"").decode(),
            traceparent=held.get("traceparent", b"").decode(),
            data=value or b"",
        )
    except KeyError as missing:
        raise NotAPublicEvent(f"header {missing.args[0]} is missing") from None
    except (ValueError, OverflowError) as wrong:
        raise NotAPublicEvent(f"a header is not readable: {type(wrong).__name__}") from None
    if not _STREAM(stream) or not all(map(_PRINTABLE, (event.type, event.causation, event.correlation))):
        raise NotAPublicEvent("ce_subject, ce_type, ce_causation or ce_correlation is no name of ours")
    if not 1 <= event.version < 2**63 or event.time < 0:
        raise NotAPublicEvent("fields out of bounds: version, time")
    if held.get("ce_id", b"").decode(errors="replace") != event.id:
        raise NotAPublicEvent("ce_id is not subject/version")
    if key is not None and key != stream.encode():
        raise NotAPublicEvent("key is not the stream")
    return event


@cache
def _named(event_type: str) -> tuple[bytes, bytes]:
    return source_of(event_type).encode(), event_type.encode()


def source_of(event_type: str) -> str:
    """`/croupier/table` for `croupier.table.hand_started.v1`."""
    return "/" + "/".join(event_type.split(".")[:2])


@lru_cache(maxsize=64)  # the events of a commit share their time
def _rfc3339(milliseconds: int) -> bytes:
    seconds, rest = divmod(milliseconds, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat()}.{rest:03d}Z".encode()


@lru_cache(maxsize=64)
def _milliseconds(text: str) -> int:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise NotAPublicEvent("ce_time has no offset")
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // _MILLISECOND


_MILLISECOND = timedelta(milliseconds=1)
