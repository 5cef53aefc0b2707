"""Figures of the projector for Prometheus, and its spans."""

import time
from collections.abc import Mapping

from libs.projecting import Accepted, Gap, Partition
from libs.telemetry import get_logger, joined
from libs.telemetry.figures import counter, gauge, histogram

_log = get_logger(__name__)
_EVENTS = counter("croupier_projected_events")
_DUPLICATES = counter("croupier_projected_duplicates")
_GAPS = counter("croupier_projection_gaps")
_PARKED = counter("croupier_projection_parked")
_SECONDS = histogram("croupier_projection_batch_seconds")
_AGE = gauge("croupier_projection_event_age_seconds")
_BEHIND = gauge("croupier_projection_behind_seconds")
_LAG = gauge("croupier_projection_lag_records")


_SET_ASIDE = gauge("croupier_projection_set_aside")


class ProjectionFigures:
    """Called by the projector after each batch."""

    def __init__(self, projection: str) -> None:
        self._projection = projection
        self._goal: tuple[float, Mapping[Partition, int]] | None = None
        """When the log was last seen to end somewhere that the books have not reached, and where."""

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

    def begin_anew(self) -> None:
        """With other partitions: what was told of those before is another process's to tell."""
        _LAG.clear()
        self._goal = None

    def stands(self) -> None:
        """The books follow nothing just now."""
        at, _ = self._goal = self._goal or (time.monotonic(), {})
        _BEHIND.labels(self._projection).set(time.monotonic() - at)

    def lag(self, ends: Mapping[Partition, int], positions: Mapping[Partition, int]) -> int:
        """Total over all partitions."""
        total = 0
        for (topic, partition), end in ends.items():
            behind = end - positions.get((topic, partition), 0)
            _LAG.labels(self._projection, topic, partition).set(behind)
            total += behind
        if self._goal is None or all(positions.get(place, 0) >= end for place, end in self._goal[1].items()):
            self._goal = time.monotonic(), dict(ends)
        _BEHIND.labels(self._projection).set(time.monotonic() - self._goal[0])
        return total
