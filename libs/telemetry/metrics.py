"""Prometheus figures of a deciding service: what `libs.journal.observer.Observer` is told, counted."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.registry import REGISTRY

from libs.journal.observer import COUNTED, STANDING, Observer

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class PrometheusObserver(Observer):
    """Keeps the figures under `croupier_…`, all labelled with the service."""

    def __init__(self, service: str, registry: CollectorRegistry = REGISTRY) -> None:
        self._service = service

        self._told: dict[tuple[str, str | None], Counter] = {}
        """Looking a child up by its labels takes longer than counting."""
        said, words = ("service", "verdict", "reason"), "Commands answered, by verdict and reason"
        self._commands = Counter("croupier_commands", words, said, registry=registry)
        self._seconds = Histogram(
            "croupier_commit_seconds",
            "From reading a command to its folded verdict",
            ("service",),
            buckets=_SECONDS,
            registry=registry,
        ).labels(service)
        place = ("service", "partition")
        self._counted = {
            name: Counter(f"croupier_{name}", text, place, registry=registry) for name, text in COUNTED.items()
        }
        self._standing = {
            name: Gauge(f"croupier_{name}", text, place, registry=registry) for name, text in STANDING.items()
        }

    def command_answered(self, verdict: str, reason: str | None) -> None:
        told = self._told.get((verdict, reason))
        if told is None:
            told = self._told[verdict, reason] = self._commands.labels(self._service, verdict, reason or "")
        told.inc()

    def commit_seconds(self, seconds: float) -> None:
        self._seconds.observe(seconds)

    def happened(self, what: str, partition: int, times: int = 1) -> None:
        self._counted[what].labels(self._service, partition).inc(times)

    def stands(self, what: str, partition: int, at: int) -> None:
        self._standing[what].labels(self._service, partition).set(at)
