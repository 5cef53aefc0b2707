"""Prometheus figures of a deciding service: what `libs.journal.observer.Observer` is told, counted."""

from prometheus_client import CollectorRegistry, Counter
from prometheus_client.registry import REGISTRY

from libs.journal.observer import COUNTED, STANDING, Observer
from libs.telemetry.figures import counter, gauge, histogram


class PrometheusObserver(Observer):
    """Keeps the figures under `croupier_…`, all labelled with the service."""

    def __init__(self, service: str, registry: CollectorRegistry = REGISTRY) -> None:
        self._service = service

        self._told: dict[tuple[str, str | None], Counter] = {}
        """Looking a child up by its labels takes longer than counting."""
        self._commands = counter("croupier_commands", registry)
        self._seconds = histogram("croupier_commit_seconds", registry).labels(service)
        self._counted = {name: counter(f"croupier_{name}", registry) for name in COUNTED}
        self._standing = {name: gauge(f"croupier_{name}", registry) for name in STANDING}

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
