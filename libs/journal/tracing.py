"""Spans of the write path: a command from its arrival to its answer, what was decided, appended and sent for it."""

from contextlib import AbstractContextManager
from typing import Any

from opentelemetry.trace import Span, SpanKind

from libs.journal.lane import Open
from libs.telemetry.traces import begin, is_recorded, span, traceparent_of
from libs.telemetry.work import Work


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
