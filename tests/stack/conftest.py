"""Stacks of a test's own, beside the one that all share."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from libs.stack import default_home, down


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder for one more stack, stopped and removed afterwards."""
    default_home().mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=default_home(), prefix="lifecycle-") as folder:
        yield Path(folder)
        down(Path(folder), wipe=True)


@pytest.fixture
def no_given_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KAFKA_BOOTSTRAP_SERVERS", "DATABASE_URL", "CROUPIER_TLS"):
        monkeypatch.delenv(name, raising=False)
