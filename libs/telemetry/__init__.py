"""Logs, traces and metrics, set up once per process by `configure`."""

from libs.telemetry.logs import configure_logs, get_logger
from libs.telemetry.settings import TelemetrySettings
from libs.telemetry.traces import begin, configure_traces, joined, span, traceparent_of, unrecorded
from libs.telemetry.work import Work, current_traceparent, current_work

__all__ = [
    "TelemetrySettings",
    "Work",
    "begin",
    "configure",
    "current_traceparent",
    "current_work",
    "get_logger",
    "joined",
    "span",
    "traceparent_of",
    "unrecorded",
]


def configure(service: str, settings: TelemetrySettings | None = None) -> None:
    """Sets up JSON logs and tracing for this process. Metrics need no set-up: they register where they are defined."""
    settings = settings or TelemetrySettings()
    configure_logs(service, settings.log_level, settings.log_file)
    configure_traces(service, settings.trace_file)
