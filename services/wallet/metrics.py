"""Figures of the projector for Prometheus, and its spans."""

import time
from collections.abc import Mapping

from prometheus_client import Counter, Gauge, Histogram

from libs.projecting import Accepted, Gap, Partition
from libs.telemetry import get_logger, joined

_log = get_logger(__name__)
_EVENTS = Counter("croupier_projected_events", "Public events that the books took in", ["projection"])
_DUPLICATES = Counter("croupier_projected_duplicates", "Public events met again and skipped", ["projection"])
_GAPS = Counter("croupier_projection_gaps", "Versions that came before the one expected", ["projection"])
_PARKED = Counter("croupier_projection_parked", "Records that are no event, set aside", ["projection"])
_SECONDS = Histogram("croupier_projection_batch_seconds", "One batch's transaction", ["projection"])
_AGE = Gauge("croupier_projection_event_age_seconds", "Age of the newest event when it was projected", ["projection"])
_LAG = Gauge("croupier_projection_lag_records", "Records not read yet", ["projection", "topic", "partition"])


_SET_ASIDE = Gauge("croupier_projection_set_aside", "Events that could not be projected", ["projection"])


class ProjectionFigures:
    """Called by the projector after each batch."""

    def __init__(self, projection: str) -> None:
        self._projection = projection

    def batch(self, batch: Accepted, seconds: float) -> None:
        _EVENTS.labels(self._projection).inc(len(batch.facts))
        _DUPLICATES.labels(self._projection).inc(batch.duplicates)
        _PARKED.labels(self._projection).inc(len(batch.parked))
        _SECONDS.labels(self._projection).observe(seconds)
        for record, reason in batch.parked:
            _log.error("record parked", topic=record.topic, partition=record.partition, offset=record.offset,
                       reason=reason)  # fmt: skip
        if batch.facts:
            _AGE.labels(self._projection).set(max(0.0, time.time() - batch.facts[-1][0].time / 1000))
        joined(
            f"project {self._projection}",
            ((event.traceparent, event.id) for event, _ in batch.facts),
            time.time_ns() - int(seconds * 1e9),
        )

    def gap(self, gap: Gap) -> None:
        _GAPS.labels(self._projection).inc()
        _log.error("gap in a stream", topic=gap.topic, stream=gap.stream, expected=gap.expected, found=gap.found)

    def set_aside(self, events: int) -> None:
        _SET_ASIDE.labels(self._projection).set(events)

    def lag(self, ends: Mapping[Partition, int], positions: Mapping[Partition, int]) -> int:
        """Total over all partitions."""
        total = 0
        for (topic, partition), end in ends.items():
            behind = end - positions.get((topic, partition), 0)
            _LAG.labels(self._projection, topic, partition).set(behind)
            total += behind
        return total
