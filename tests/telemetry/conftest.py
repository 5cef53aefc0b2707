"""A service's log as it is written in production: to a file."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from libs.telemetry.logs import configure_logs


@pytest.fixture
def log_file(tmp_path: Path) -> Iterator[Path]:
    file = tmp_path / "service.jsonl"
    configure_logs("table", "INFO", file)
    yield file
    structlog.reset_defaults()
