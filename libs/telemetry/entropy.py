"""A random source that fails its health test is told: in the log, in a metric, and by the process being unready."""

from libs.telemetry.figures import counter
from libs.telemetry.logs import get_logger

ENTROPY_UNHEALTHY = counter("croupier_entropy_unhealthy")
_FAILED = "the random source failed its health test"
_log = get_logger(__name__)


class EntropyWatch:
    """Once the source has failed, this process draws no more and says so; `then`: what waits for that."""

    def __init__(self, then: str) -> None:
        self.problem: str | None = None
        self._then = then

    def failed(self) -> None:
        ENTROPY_UNHEALTHY.inc()
        if self.problem is None:
            _log.critical(f"{_FAILED}: {self._then}")
        self.problem = _FAILED
