"""`croupier serve` as somebody who tries the house out: in a home of its own, with a stack of its own."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psutil
import pytest
from typer.testing import CliRunner

from libs.stack.home import jars_folder
from libs.stack.ports import free_port
from services.cli.__main__ import app

CLI = (sys.executable, "-m", "services.cli")


def _hears_ctrl_c() -> None:
    """Tests that run in the background were started deaf to it, and so would be what they start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Serving:
    def __init__(self, home: Path) -> None:
        self.home, self.port = home, free_port()
        self.environment = {**os.environ, "CROUPIER_HOME": str(home), "CROUPIER_JARS": str(jars_folder())}
        self.process = subprocess.Popen(
            [*CLI, "serve", "--port", str(self.port)], env=self.environment, text=True,
            stdout=(home / "said").open("w"), stderr=subprocess.STDOUT,
            preexec_fn=_hears_ctrl_c,
        )  # fmt: skip

    @property
    def said(self) -> str:
        return (self.home / "said").read_text()

    def until(self, holds: Callable[[], bool], seconds: float = 150) -> None:
        give_up = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < give_up, self.said
            time.sleep(0.1)

    def croupier(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*CLI, *words], env=self.environment, text=True, capture_output=True, check=False)

    def left(self) -> list[str]:
        """Processes that know this home."""
        found = psutil.process_iter(["cmdline", "environ"])
        return [
            " ".join(each.info["cmdline"] or ())
            for each in found
            if str(self.home) in f"{each.info['cmdline']}{each.info['environ']}"
        ]


@pytest.fixture
def serving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serving]:
    for given in ("KAFKA_BOOTSTRAP_SERVERS", "DATABASE_URL"):
        monkeypatch.delenv(given, raising=False)
    house = Serving(tmp_path)
    try:
        yield house
    finally:
        house.process.send_signal(signal.SIGINT)
        house.process.wait(60)
        house.croupier("down")


@pytest.mark.timeout(400)
def test_a_house_to_try_out(serving: Serving) -> None:
    serving.until(lambda: "The house is open." in serving.said or serving.process.poll() is not None)
    for line in ("gateway", "wallet", "audit", "people.txt", "operator_token.hex", "Ctrl-C"):
        assert line in serving.said
    assert httpx.get(f"http://127.0.0.1:{serving.port}/v1/tables").json()["tables"] == []

    # What stands there to be copied does what it says.
    bots = re.search(r"croupier (bots .*)", serving.said)
    assert bots is not None
    played = serving.croupier(*bots[1].split(), "--hands", "2")
    assert played.returncode == 0, played.stderr + played.stdout

    second = serving.croupier("serve", "--port", str(free_port()))
    assert (second.returncode, "runs in" in second.stderr) == (1, True)

    # Who ends by itself is told, and comes back.
    before = pids(serving)
    os.kill(before["audit"], signal.SIGKILL)
    serving.until(lambda: "audit ended with status -9" in serving.said)
    serving.until(lambda: serving.croupier("status").returncode == 0)
    after = pids(serving)
    assert {name for name in after if after[name] != before[name]} == {"audit"}

    # So is the broker, and the door by which platforms come to it.
    for each in ("kafka-1.pid", "door.pid"):
        os.kill(json.loads((serving.home / each).read_text())["pid"], signal.SIGKILL)
    serving.until(lambda: "Kafka ended (" in serving.said and "the platforms' door ended (" in serving.said)
    serving.until(lambda: serving.croupier("status").returncode == 0)

    # And the database, of which nothing is left but its files.
    os.kill(int((serving.home / "postgres" / "data" / "postmaster.pid").read_text().splitlines()[0]), signal.SIGKILL)
    serving.until(lambda: "PostgreSQL ended (" in serving.said)
    serving.until(lambda: serving.croupier("status").returncode == 0)

    logged = serving.croupier("logs", "gateway", "-n", "1")
    assert json.loads(logged.stdout)["service"] == "gateway"

    serving.process.send_signal(signal.SIGINT)
    assert serving.process.wait(60) == 0, serving.said
    assert "Stopped" in serving.said
    assert "Traceback" not in serving.said
    assert serving.left() == []
    assert serving.croupier("status").returncode == 1


def pids(serving: Serving) -> dict[str, int]:
    rows = json.loads(serving.croupier("status", "--json").stdout)
    return {row["name"]: row["pid"] for row in rows if row["pid"]}


async def test_what_can_not_be_had_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROUPIER_HOME", str(tmp_path))
    taken = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = str(taken.sockets[0].getsockname()[1])
    refused = await asyncio.to_thread(CliRunner().invoke, app, ["serve", "--port", port])
    taken.close()
    assert f"port {port} (gateway) is in use" in str(refused.exception)
    nothing = await asyncio.to_thread(CliRunner().invoke, app, ["logs", "wallet"])
    assert "no log of wallet" in str(nothing.exception)


def test_each_server_is_told_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that runs was called down where the broker was."""
    monkeypatch.setattr("services.cli.serve.broker", lambda home: None)
    monkeypatch.setattr("services.cli.serve.database", lambda home: "postgresql://there")
    told = CliRunner().invoke(app, ["status", "--json", "--home", str(tmp_path)])
    assert [(row["name"], row["ready"]) for row in json.loads(told.stdout)] == [("Kafka", False), ("PostgreSQL", True)]
    assert told.exit_code == 1
