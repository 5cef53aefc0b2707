"""Figures and spans reach a receiver of OTLP over HTTP, which decodes them with OpenTelemetry's own definitions."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

SERVICE = """
import time
from opentelemetry import trace
from libs.telemetry import configure, span
from libs.telemetry.figures import counter, gauge, histogram
configure("table")
counter("croupier_foreign_records").labels("events", "").inc(3)
gauge("croupier_program_altered").set(2)
lasts = histogram("croupier_commit_seconds").labels("table")
for seconds in (0.0005, 0.03, 0.04, 60):
    lasts.observe(seconds)
with span("process Act", ""):
    pass
trace.get_tracer_provider().force_flush(3000)
time.sleep(1)
"""


class Receiver(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.said: dict[str, list[bytes]] = {}


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.said.setdefault(self.path, []).append(body)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def _run(endpoint: str) -> None:
    told = {**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_METRIC_EXPORT_INTERVAL": "300"}
    ran = subprocess.run([sys.executable, "-c", SERVICE], env=told, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_a_process_sends_its_figures_and_its_spans(receiver: Receiver) -> None:
    _run(f"http://127.0.0.1:{receiver.server_address[1]}")
    assert receiver.said.keys() == {"/v1/metrics", "/v1/traces"}

    (resource,) = ExportMetricsServiceRequest.FromString(receiver.said["/v1/metrics"][-1]).resource_metrics
    named = {each.key: each.value.string_value for each in resource.resource.attributes}
    assert named["service.name"] == "croupier-table"
    told = {each.name: each for each in resource.scope_metrics[0].metrics}
    (foreign,) = told["croupier_foreign_records"].sum.data_points
    assert told["croupier_foreign_records"].sum.is_monotonic
    assert (foreign.as_double, {each.key: each.value.string_value for each in foreign.attributes}) == (
        3,
        {"topic": "events", "writer": ""},
    )
    assert told["croupier_program_altered"].gauge.data_points[0].as_double == 2
    (lasts,) = told["croupier_commit_seconds"].histogram.data_points
    at_most = dict(zip((*lasts.explicit_bounds, None), lasts.bucket_counts, strict=True))
    assert {bound: count for bound, count in at_most.items() if count} == {0.001: 1, 0.05: 2, None: 1}
    assert (lasts.count, round(lasts.sum, 4)) == (4, 60.0705)

    (spans,) = ExportTraceServiceRequest.FromString(receiver.said["/v1/traces"][0]).resource_spans
    assert spans.scope_spans[0].spans[0].name == "process Act"


def test_a_collector_that_is_away_keeps_nobody_from_working_or_ending() -> None:
    _run("http://127.0.0.1:9")
