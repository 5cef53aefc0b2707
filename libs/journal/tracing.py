"""Spans of the write path, children of the trace that came with the command. Without an SDK they cost little."""

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

_TRACER = trace.get_tracer("croupier.journal")
_W3C = TraceContextTextMapPropagator()


@contextmanager
def deciding(traceparent: str, kind: str, stream: str) -> Iterator[None]:
    """The span `decide`; carries the command's type and stream, never its body."""
    context = _W3C.extract({"traceparent": traceparent})
    attributes = {"croupier.command": kind, "croupier.stream": stream}
    with _TRACER.start_as_current_span(
        "decide", context=context, attributes=attributes, record_exception=False, set_status_on_exception=False
    ):
        yield


@contextmanager
def appending(traceparent: str, records: int) -> Iterator[None]:
    """The span `append` of a batch, in the trace of its first command."""
    context = _W3C.extract({"traceparent": traceparent})
    with _TRACER.start_as_current_span(
        "append",
        context=context,
        attributes={"croupier.records": records},
        record_exception=False,
        set_status_on_exception=False,
    ):
        yield
