"""Tracing: W3C trace context from the gateway through Kafka headers to the books and the auditor.

What nobody records is not made: then a message's `traceparent` is passed on as it came, and log lines still name it.
"""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import getrandbits

from opentelemetry import context, trace
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ParentBased
from opentelemetry.trace import Link, Span, SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.types import AttributeValue

from libs.telemetry.work import Work

_TRACER = trace.get_tracer("croupier")
_PROPAGATOR = TraceContextTextMapPropagator()


@dataclass(slots=True)
class _Recording:
    exporting: bool = False
    as_parents: bool = False
    """Whether a span is recorded exactly if the one above it is."""


_recording = _Recording()


class FileExporter(SpanExporter):
    """One span a line as JSON, for a machine without a collector."""

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._stream = file.open("a", encoding="utf-8", buffering=1)

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        for span in spans:
            self._stream.write(json.dumps(json.loads(span.to_json(indent=None)), separators=(",", ":")) + "\n")
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        self._stream.close()


def configure_traces(service: str, file: Path | None = None) -> None:
    """Installs a tracer provider: OTLP where `OTEL_EXPORTER_OTLP_ENDPOINT` is given, a file where named, else none."""
    exporting = file is not None or bool(os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT"))
    resource = Resource.create({SERVICE_NAME: f"croupier-{service}"})
    # Without an exporter spans carry their ids onward and record nothing.
    provider = TracerProvider(resource=resource) if exporting else TracerProvider(resource=resource, sampler=ALWAYS_OFF)
    if os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT"):
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    if file is not None:
        provider.add_span_processor(BatchSpanProcessor(FileExporter(file)))
    trace.set_tracer_provider(provider)
    _recording.exporting, _recording.as_parents = exporting, isinstance(provider.sampler, ParentBased)


def is_recorded(traceparent: str) -> bool:
    """Whether a span under this parent (empty: none) would reach an exporter of this process. Cheap, for hot paths."""
    if not _recording.exporting:
        return False
    return not (traceparent and _recording.as_parents) or is_sampled(traceparent)


def is_sampled(traceparent: str) -> bool:
    """Whether the sampled flag is set (W3C Trace Context 3.2.2.3: bit 0; others may be set beside it)."""
    _, _, flags = traceparent.rpartition("-")
    try:
        return bool(int(flags, 16) & 1)
    except ValueError:
        return False


def begin(name: str, parent: str, kind: SpanKind = SpanKind.INTERNAL, **attributes: AttributeValue) -> Span | None:
    """A span under `parent`, or of a new trace where that is empty; None where nobody would record it."""
    if not is_recorded(parent):
        return None
    return _TRACER.start_span(name, _under(parent), kind, attributes)


@contextmanager
def span(
    name: str, parent: str, stream: str = "", command: object = "", kind: SpanKind = SpanKind.INTERNAL
) -> Iterator[None]:
    """Work under a span called `name`; what is sent meanwhile is its child, what is logged names it."""
    begun = begin(name, parent, kind, **{"croupier.stream": stream})
    if begun is None:
        with Work(parent or unrecorded(), stream, command):
            yield
        return
    with (
        trace.use_span(begun, end_on_exit=True, record_exception=False, set_status_on_exception=False),
        Work(traceparent_of(begun), stream, command),
    ):
        yield


def joined(name: str, done: Iterable[tuple[str, str]], started_ns: int) -> None:
    """What one append, send or transaction did for several traces: a span in each, from `started_ns` (since the epoch)
    until now, linked to the first one, and that to them. `done` has parents and what was done for them, in any order.
    """
    if not _recording.exporting:
        return
    parts: dict[str, list[str]] = {}
    for parent, what in done:
        if parent and is_recorded(parent):
            parts.setdefault(parent, []).append(what)
    spans: list[Span] = []
    for parent, whats in parts.items():
        links = [Link(spans[0].get_span_context())] if spans else []
        attributes: dict[str, AttributeValue] = {"croupier.batch": len(parts), "croupier.parts": whats}
        spans.append(_TRACER.start_span(name, _under(parent), SpanKind.INTERNAL, attributes, links, started_ns))
        if links:
            spans[0].add_link(spans[-1].get_span_context())
    for each in spans:
        each.end()


def traceparent_in(headers: Iterable[tuple[str, bytes]]) -> str:
    """What a record brought along; empty where it brought nothing, or more than such a header may have."""
    found = dict(headers).get("traceparent", b"")
    return found.decode("ascii", "replace") if len(found) <= 64 else ""


def traceparent_of(begun: Span) -> str:
    """A span as a `traceparent` header value."""
    context = begun.get_span_context()
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"


def unrecorded() -> str:
    """A new trace that nobody records: it holds log lines together."""
    return f"00-{getrandbits(128) | 1:032x}-{getrandbits(64) | 1:016x}-00"


def _under(parent: str) -> context.Context:
    return _PROPAGATOR.extract({"traceparent": parent}) if parent else context.Context()
