"""A demo plays to its end and reconciles; one that is told to end, or loses its terminal, leaves nothing running."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import pytest

from libs.stack.home import default_home, jars_folder
from services.cli.demo.tournament import ladder

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


def own_home(home: Path) -> dict[str, str]:
    given = ("CROUPIER_", "KAFKA_", "DATABASE_URL")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(given)}
    return kept | {"CROUPIER_HOME": str(home), "CROUPIER_JARS": str(jars_folder())}


@pytest.fixture
def own() -> Iterator[Path]:
    """The database's user has to pass; another run of pytest shuts the folders above pytest's own temporary ones."""
    default_home().mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=default_home(), prefix="demo-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.timeout(420)
async def test_a_short_demo_plays_and_reconciles(own: Path) -> None:
    demo = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "services.cli", "demo", "--hands", "20", "--entrants", "10", "--think", "0.3"),
        env=own_home(own),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(360):
            said, _ = await demo.communicate()
    finally:
        if demo.returncode is None:
            demo.kill()
    assert demo.returncode == 0, said.decode()[-4000:]
    assert running_in(own) == []


@pytest.mark.parametrize(
    "told",
    [pytest.param(told, marks=pytest.mark.long) for told in (signal.SIGHUP, signal.SIGTERM)],
    ids=lambda told: told.name,
)
async def test_an_interrupted_demo_takes_its_house_along(told: signal.Signals, own: Path) -> None:
    """In short: `tests/e2e/test_serve.py` is told to end and leaves nothing, as a demo that is over does above."""
    demo = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "services.cli", "demo"),
        env=own_home(own),
        stdout=asyncio.subprocess.PIPE,
        preexec_fn=lambda: signal.signal(told, signal.SIG_DFL),  # the tests themselves may run under nohup
    )
    assert demo.stdout is not None
    try:
        async with asyncio.timeout(120):
            while b"services up" not in (said := await demo.stdout.readline()):
                assert said, "it ended by itself"
        assert len(running_in(own)) >= 7, "Kafka, PostgreSQL, five services"
        demo.send_signal(told)
        demo._transport.get_pipe_transport(1).close()  # type: ignore[attr-defined]  # the terminal is gone
        async with asyncio.timeout(60):
            assert await demo.wait() == 128 + told
    finally:
        if demo.returncode is None:
            demo.kill()
    assert running_in(own) == []


@pytest.mark.parametrize("paid", [1, 2, 8, 225, 500])
def test_every_paid_place_of_a_ladder_gets_something_and_no_lower_one_more(paid: int) -> None:
    """225 places: the last one's share was rounded to nothing, and the bench's tournament was refused."""
    shares = ladder(paid)
    assert (len(shares), sum(shares), shares) == (paid, 10_000, sorted(shares, reverse=True))
    assert min(shares) > 0
