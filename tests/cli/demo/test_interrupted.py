"""A demo that is told to end, or whose terminal is closed, leaves nothing running."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import psutil
import pytest

from libs.stack.home import jars_folder

pytestmark = pytest.mark.stack


def running_in(home: Path) -> list[str]:
    """Processes that know this folder, by command line or environment."""
    found = []
    for process in psutil.process_iter():
        try:
            knows = [*process.cmdline(), *process.environ().values()]
        except psutil.Error:
            continue
        if process.pid != os.getpid() and any(str(home) in each for each in knows):
            found.append(f"{process.pid} {' '.join(process.cmdline())[:200]}")
    return found


@pytest.mark.parametrize(
    "told", [signal.SIGHUP, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)], ids=lambda told: told.name
)
async def test_an_interrupted_demo_takes_its_house_along(told: signal.Signals, tmp_path: Path) -> None:
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith(("CROUPIER_", "KAFKA_"))}
    surroundings |= {"CROUPIER_HOME": str(tmp_path), "CROUPIER_JARS": str(jars_folder())}
    demo = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "services.cli", "demo"),
        env=surroundings,
        stdout=asyncio.subprocess.PIPE,
        preexec_fn=lambda: signal.signal(told, signal.SIG_DFL),  # the tests themselves may run under nohup
    )
    assert demo.stdout is not None
    try:
        async with asyncio.timeout(120):
            while b"services up" not in (said := await demo.stdout.readline()):
                assert said, "it ended by itself"
        assert len(running_in(tmp_path)) >= 7, "Kafka, PostgreSQL, five services"
        demo.send_signal(told)
        demo._transport.get_pipe_transport(1).close()  # type: ignore[attr-defined]  # the terminal is gone
        async with asyncio.timeout(60):
            assert await demo.wait() == 128 + told
    finally:
        if demo.returncode is None:
            demo.kill()
    assert running_in(tmp_path) == []
