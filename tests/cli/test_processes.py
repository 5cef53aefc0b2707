"""What a command left running is ended, and nobody else's process is."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from libs.stack.process import claim
from services.cli.processes import stop_left_running

SLEEPS = [sys.executable, "-c", "import time; time.sleep(60)", "services.wallet"]


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    running = subprocess.Popen(SLEEPS)
    yield running
    running.kill()
    running.wait()


def test_a_service_left_running_is_ended(tmp_path: Path, process: subprocess.Popen[bytes]) -> None:
    claim(tmp_path / "wallet.pid", process.pid)
    assert stop_left_running(tmp_path) == ["wallet"]
    assert not psutil.pid_exists(process.pid)
    assert not list(tmp_path.iterdir())


def test_who_has_its_number_now_is_not(tmp_path: Path, process: subprocess.Popen[bytes]) -> None:
    """Found by an attacker (issue 11): a house that came back ended a service of another one."""
    file = tmp_path / "wallet.pid"
    claim(file, process.pid)
    kept = json.loads(file.read_text())
    file.write_text(json.dumps(kept | {"started": kept["started"] - 1}))
    assert stop_left_running(tmp_path) == []
    assert process.poll() is None
    assert not file.exists()
