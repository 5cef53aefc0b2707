"""Tracing: W3C trace context from the gateway through Kafka headers to the projector."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from opentelemetry import context, trace
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ParentBased
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

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


def current_traceparent() -> str:
    """The running span as a `traceparent` header value; empty where no trace runs."""
    carrier: dict[str, str] = {}
    _PROPAGATOR.inject(carrier)
    return carrier.get("traceparent", "")


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


@contextmanager
def continue_trace(traceparent: str, name: str, tracer: str = "croupier") -> Iterator[trace.Span]:
    """A span called `name` under the trace that a message brought along; a new trace where it brought none."""
    parent = _PROPAGATOR.extract({"traceparent": traceparent}) if traceparent else context.get_current()
    with trace.get_tracer(tracer).start_as_current_span(name, context=parent) as span:
        yield span
