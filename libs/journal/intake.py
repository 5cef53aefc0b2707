"""A command record at the door: either a command that can be decided, or the reason why it is parked untouched.

Its spans, too: from its arrival to its answer, and of its decision.
"""

import logging
import re
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any
from uuid import RFC_4122, UUID

import msgspec
from opentelemetry.trace import Span, SpanKind

from libs.contracts.messages import CommandMessage, Principal, time_of
from libs.contracts.registry import place_of
from libs.contracts.topics import partition_of
from libs.journal.answers import listens_at
from libs.journal.lane import Open
from libs.journal.log import LogRecord, OutRecord
from libs.journal.machine import AnyMachine, Malformed
from libs.journal.marks import writer_of
from libs.journal.telling import parked_headers
from libs.telemetry.traces import begin, is_recorded, span, traceparent_in, traceparent_of
from libs.telemetry.work import Work

_MISSING = re.compile("missing required field `(.*?)`")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Parked:
    """Reasons of commands: `not_json`, `bad_envelope`, `bad_id`, `wrong_writer`, `wrong_partition`, `malformed`.

    Of events that a policy reads: `not_an_event`, `malformed`, `unanswerable`, `not_asked`.
    """

    reason: str
    detail: str
    """Names fields, never values: the record may hold anything."""


def take_in(record: LogRecord, machine: AnyMachine, partition: int, partitions: int, now: float) -> Open[Any] | Parked:
    """`now` is loop time in seconds, for the latency figure."""
    try:
        message = CommandMessage.decoded(record.value or b"")
    except msgspec.ValidationError as wrong:
        return Parked("bad_envelope", f"fields: {_field(wrong)}")
    except msgspec.DecodeError:
        return Parked("not_json", "the value is not JSON")
    if not _is_uuid7(message.id) or time_of(message.id) > record.timestamp + machine.max_skew_ms:  # journal 13
        return Parked("bad_id", "no UUIDv7 with a time that has come")
    if not speaks_for(writer_of(record.headers), message.principal):
        return Parked("wrong_writer", f"who has written it does not speak for a {message.principal.kind}")
    if partition_of(message.stream, partitions) != partition:  # journal 1
        return Parked("wrong_partition", "the stream belongs to another partition")
    try:
        command = machine.decode_command(message)
    except Malformed as wrong:
        return Parked("malformed", str(wrong))
    except Exception as wrong:  # one record that our decoder trips over must not stop every stream behind it
        where = {"offset": record.offset, "stream": message.stream, "command_id": str(message.id)}
        _log.error("decode_command raised %s", type(wrong).__name__, extra=where)
        return Parked("malformed", f"the decoder raised {type(wrong).__name__}")
    if not belongs_here(writer_of(record.headers), message.principal, machine.service, command):
        return Parked("wrong_writer", f"that {message.principal.kind} has no say here")
    traceparent, begun = arrived(traceparent_in(record.headers), message.type, message.stream)
    at = record.offset, record.timestamp
    reply_to = listens_at(record.headers, partitions)
    return Open(message.id.bytes, *at, message, command, traceparent, now, begun, reply_to)


def parked_record(record: LogRecord, why: Parked, to: str, topic: str, partition: int) -> OutRecord:
    """The record as it came, for topic `to`, with where it came from and why it lies there."""
    headers = (*record.headers, *parked_headers(why.reason, why.detail[:200], (topic, partition), record.offset))
    return OutRecord(to, record.key or b"", record.value, headers, 0)


def speaks_for(writer: str, principal: Principal) -> bool:
    """The gateway knows who people are; a policy or timer is named after the service that it is of. No writer: the
    record is from before there were marks."""
    if principal.kind in ("timer", "policy"):
        return writer in ("", principal.id.partition(".")[0])
    return writer in ("", "tournament" if principal.kind == "tournament" else "gateway")


def belongs_here(writer: str, principal: Principal, service: str, command: object) -> bool:
    """A service hears its own policies and timers, whose reactions it knows, and nobody else's: with another service's
    key no seat is confirmed here that the wallet refused. The gateway's own word is about connections alone."""
    if writer == "" or principal.kind not in ("timer", "policy"):
        return True
    if principal.id == "gateway":
        return bool(getattr(command, "by_gateway", False))
    return principal.id.partition(".")[0] == service


def _is_uuid7(command_id: UUID) -> bool:
    return command_id.variant == RFC_4122 and command_id.version == 7


def _field(wrong: msgspec.ValidationError) -> str:
    """A field that nobody knows is named by the sender: its name is a value, too."""
    found = _MISSING.search(str(wrong))
    return "?" if "unknown field" in str(wrong) else found.group(1) if found else place_of(wrong).removeprefix("$.")


def arrived(traceparent: str, kind: str, stream: str) -> tuple[str, Span | None]:
    """The span from arrival to answer, and the parent of all that is done for the command; it never has its body."""
    begun = begin(f"process {kind}", traceparent, SpanKind.CONSUMER, **{"croupier.stream": stream})
    return (traceparent, None) if begun is None else (traceparent_of(begun), begun)


def answered(command: Open[Any], verdict: str) -> None:
    if command.span is not None:
        command.span.set_attribute("croupier.verdict", verdict)
        command.span.end()


def deciding(command: Open[Any]) -> AbstractContextManager[Any]:
    """While a command is weighed: log lines name its trace, stream and id."""
    message = command.message
    if not is_recorded(command.traceparent):
        return Work(command.traceparent, message.stream, message.id)
    return span("decide", command.traceparent, message.stream, message.id)
