"""Logs, traces and metrics, set up once per process by `configure`."""

import os
from pathlib import Path

from pydantic_settings import BaseSettings, SettingsConfigDict

from libs.telemetry.logs import configure_logs, get_logger
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


class TelemetrySettings(BaseSettings):
    """`CROUPIER_LOG_LEVEL`, `CROUPIER_LOG_FILE`, `CROUPIER_TRACE_FILE`.

    The exporter and the sampler are chosen by OpenTelemetry's own variables (`OTEL_EXPORTER_OTLP_ENDPOINT`,
    `OTEL_TRACES_SAMPLER`, `OTEL_TRACES_SAMPLER_ARG`).
    """

    model_config = SettingsConfigDict(env_prefix="CROUPIER_")

    log_level: str = "INFO"
    log_file: Path | None = None
    trace_file: Path | None = None


def configure(service: str, settings: TelemetrySettings | None = None) -> None:
    """Sets up JSON logs, tracing and, with a collector, sending metrics, which register where they are defined."""
    settings = settings or TelemetrySettings()
    configure_logs(service, settings.log_level, settings.log_file)
    configure_traces(service, settings.trace_file)
    if os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT"):
        from libs.telemetry.otlp import export_figures

        export_figures(service)
