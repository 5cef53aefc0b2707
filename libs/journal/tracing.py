"""Spans of the write path, children of the trace that came with the command. What nobody records is not made."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from opentelemetry import trace
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from libs.telemetry.traces import is_recorded

_TRACER = trace.get_tracer("croupier.journal")
_W3C = TraceContextTextMapPropagator()
_NOTHING: AbstractContextManager[Any] = nullcontext()


def deciding(traceparent: str, kind: str, stream: str) -> AbstractContextManager[Any]:
    """The span `decide`; carries the command's type and stream, never its body."""
    if not is_recorded(traceparent):
        return _NOTHING
    return _span("decide", traceparent, {"croupier.command": kind, "croupier.stream": stream})


def appending(traceparent: str, records: int) -> AbstractContextManager[Any]:
    """The span `append` of a batch, in the trace of its first command."""
    if not is_recorded(traceparent):
        return _NOTHING
    return _span("append", traceparent, {"croupier.records": records})


def _span(name: str, traceparent: str, attributes: dict[str, str | int]) -> AbstractContextManager[Any]:
    return _TRACER.start_as_current_span(
        name,
        context=_W3C.extract({"traceparent": traceparent}),
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    )
