"""What a command left running is ended, and nobody else's process is."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from libs.edge.health import inner_app
from libs.edge.serve import serving
from libs.stack.process import claim
from services.cli.processes import ServiceFailed, ServiceProcess, stop_left_running

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


async def test_who_waits_hears_what_for(tmp_path: Path) -> None:
    """A restored house of a million events makes its books for two minutes: `serve` gave it up after 40 s."""
    behind = ["300 records behind", "12 records behind"]
    app = inner_app({"books": lambda: behind.pop() if behind else None})
    heard: list[str] = []
    async with serving(app, 0) as port:
        wallet = ServiceProcess("wallet", {}, tmp_path / "wallet.out", inner_port=port)
        wallet.process = await asyncio.create_subprocess_exec(*SLEEPS)
        await wallet.ready(tell=heard.append)
        assert heard == ["wallet: 12 records behind", "wallet: 300 records behind"]
        behind += ["for ever"] * 1_000
        with pytest.raises(ServiceFailed, match=r"after 0 s \(for ever\)"):
            await wallet.ready(0.3)
        wallet.process.kill()
        await wallet.process.wait()
        with pytest.raises(ServiceFailed, match="ended while starting"):
            await wallet.ready(tell=heard.append)
