"""The figures by OTLP over HTTP, beside `/metrics`: what the registry holds, every `OTEL_METRIC_EXPORT_INTERVAL` ms.

OpenTelemetry's own instruments are not used: a figure is declared and counted once (`figures.py`).
"""

import os
import threading
import time
from collections.abc import Iterable, Iterator

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Gauge,
    Histogram,
    HistogramDataPoint,
    Metric,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from prometheus_client import Metric as Family
from prometheus_client.registry import REGISTRY
from prometheus_client.samples import Sample

from libs.telemetry.logs import get_logger

_log = get_logger(__name__)
_STARTED_NS = time.time_ns()


def export_figures(service: str) -> None:
    """From a thread of its own, which ends with the process. A collector that is away holds up nobody."""
    exporter = OTLPMetricExporter()
    resource = Resource.create({SERVICE_NAME: f"croupier-{service}"})
    every_s = int(os.environ.get("OTEL_METRIC_EXPORT_INTERVAL", "60000")) / 1000

    def send() -> None:
        scope = ScopeMetrics(InstrumentationScope("croupier"), list(figures(REGISTRY.collect(), time.time_ns())), "")
        exporter.export(MetricsData([ResourceMetrics(resource, [scope], "")]))

    def go_on() -> None:
        while True:
            time.sleep(every_s)
            try:
                send()
            except Exception as wrong:  # the next time may go better
                _log.warning("figures not sent", error=type(wrong).__name__)

    threading.Thread(target=go_on, name="otlp metrics", daemon=True).start()


def figures(families: Iterable[Family], now_ns: int) -> Iterator[Metric]:
    """Counters and histograms as sums since the process started."""
    cumulative = AggregationTemporality.CUMULATIVE
    for family in families:
        words = (family.documentation, "")
        if family.type == "counter":
            points = _numbers((each for each in family.samples if each.name.endswith("_total")), now_ns)
            yield Metric(family.name, *words, Sum(points, cumulative, is_monotonic=True))
        elif family.type == "gauge":
            yield Metric(family.name, *words, Gauge(_numbers(family.samples, now_ns)))
        elif family.type == "histogram":
            yield Metric(family.name, *words, Histogram(_histograms(family, now_ns), cumulative))


def _numbers(samples: Iterable[Sample], now_ns: int) -> list[NumberDataPoint]:
    return [NumberDataPoint(each.labels, _STARTED_NS, now_ns, each.value) for each in samples]


def _histograms(family: Family, now_ns: int) -> list[HistogramDataPoint]:
    """Prometheus counts what is at most a bound, OTLP what lies between two."""
    found: dict[tuple[tuple[str, str], ...], dict[str, float]] = {}
    for each in family.samples:
        labels = {name: value for name, value in each.labels.items() if name != "le"}
        of = found.setdefault(tuple(labels.items()), {})
        of[each.labels.get("le", each.name.removeprefix(family.name))] = each.value
    points = []
    for labelled, of in found.items():
        bounds = sorted((float(bound), at) for bound, at in of.items() if not bound.startswith("_"))
        counts = [int(at - before) for (_, at), before in zip(bounds, (0, *(at for _, at in bounds)), strict=False)]
        edges = [bound for bound, _ in bounds[:-1]]
        points.append(
            HistogramDataPoint(
                dict(labelled), _STARTED_NS, now_ns, int(of["_count"]), of["_sum"], counts, edges, 0, 0
            )
        )  # fmt: skip
    return points
