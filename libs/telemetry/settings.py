"""What the environment may say about telemetry."""

from pathlib import Path

from pydantic_settings import BaseSettings, SettingsConfigDict


class TelemetrySettings(BaseSettings):
    """`CROUPIER_LOG_LEVEL`, `CROUPIER_LOG_FILE`, `CROUPIER_TRACE_FILE`.

    The exporter and the sampler are chosen by OpenTelemetry's own variables (`OTEL_EXPORTER_OTLP_ENDPOINT`,
    `OTEL_TRACES_SAMPLER`, `OTEL_TRACES_SAMPLER_ARG`).
    """

    model_config = SettingsConfigDict(env_prefix="CROUPIER_")

    log_level: str = "INFO"
    log_file: Path | None = None
    trace_file: Path | None = None
