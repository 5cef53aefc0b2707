"""Prometheus figures of a deciding service: what `libs.journal.observer.Observer` is told, counted."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.registry import REGISTRY

from libs.journal.observer import Observer

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class PrometheusObserver(Observer):
    """Keeps the figures under `croupier_…`, all labelled with the service."""

    def __init__(self, service: str, registry: CollectorRegistry = REGISTRY) -> None:
        self._service = service

        def counter(name: str, text: str, *labels: str) -> Counter:
            return Counter(f"croupier_{name}", text, ("service", *labels), registry=registry)

        def gauge(name: str, text: str, *labels: str) -> Gauge:
            return Gauge(f"croupier_{name}", text, ("service", *labels), registry=registry)

        self._told: dict[tuple[str, str | None], Counter] = {}
        """Looking a child up by its labels takes longer than counting."""
        self._commands = counter("commands", "Commands answered, by verdict and reason", "verdict", "reason")
        self._seconds = Histogram(
            "croupier_commit_seconds",
            "From reading a command to its folded verdict",
            ("service",),
            buckets=_SECONDS,
            registry=registry,
        ).labels(service)
        self._void = counter("commits_void", "Own commits that another owner's beat", "partition")
        self._gaps = counter("journal_gaps_read", "Times the journal was read to learn a verdict", "partition")
        self._restarts = counter("appends_unknown", "Appends whose outcome was unknown", "partition")
        self._draws = counter("draws_discarded", "Entropy drawn by commits that turned out void", "partition")
        self._undecodable = counter("journal_undecodable", "Journal records that are no commits", "partition")
        self._chain = counter("chain_failures", "The log is not the one that was folded", "partition")
        self._parked = counter("parked", "Records set aside with a reason", "partition")
        self._open = gauge("commands_open", "Commands read and without a verdict", "partition")
        self._lag = gauge("follower_lag_records", "Public records without acknowledgement", "partition")
        self._snapshots = counter("snapshots_written", "Snapshots of streams written", "partition")

    def command_answered(self, verdict: str, reason: str | None) -> None:
        told = self._told.get((verdict, reason))
        if told is None:
            told = self._told[verdict, reason] = self._commands.labels(self._service, verdict, reason or "")
        told.inc()

    def commit_seconds(self, seconds: float) -> None:
        self._seconds.observe(seconds)

    def commit_void(self, partition: int) -> None:
        self._void.labels(self._service, partition).inc()

    def gap_read(self, partition: int) -> None:
        self._gaps.labels(self._service, partition).inc()

    def started_over(self, partition: int) -> None:
        self._restarts.labels(self._service, partition).inc()

    def draw_discarded(self, partition: int) -> None:
        self._draws.labels(self._service, partition).inc()

    def undecodable(self, partition: int, offset: int, problem: str) -> None:
        self._undecodable.labels(self._service, partition).inc()

    def chain_failure(self, partition: int, problem: str) -> None:
        self._chain.labels(self._service, partition).inc()

    def parked(self, partition: int, offset: int, reason: str) -> None:
        self._parked.labels(self._service, partition).inc()

    def open_commands(self, partition: int, count: int) -> None:
        self._open.labels(self._service, partition).set(count)

    def follower_lag(self, partition: int, records: int) -> None:
        self._lag.labels(self._service, partition).set(records)

    def snapshot_written(self, partition: int, streams: int) -> None:
        self._snapshots.labels(self._service, partition).inc(streams)
