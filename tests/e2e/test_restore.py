"""The restore drill: a house is played, backed up while it plays, lost with all its disks, and restored.

In short: `tests/stack/test_killed_restore.py`, where a backup is restored and proved on the tests' own stack.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest

from libs.stack.home import jars_folder
from libs.stack.ports import free_port
from services.cli.backups.files import MANIFEST
from services.cli.backups.locks import alone, reading

CLI = (sys.executable, "-m", "services.cli")
HANDS = int(os.environ.get("CROUPIER_RESTORE_HANDS", "40"))
"""So many that play still goes on when the first backup is taken."""


class Drill:
    def __init__(self, home: Path) -> None:
        self.home, self.port, self.folder = home / "home", free_port(), home / "backup"
        self.environment = {**os.environ, "CROUPIER_HOME": str(self.home), "CROUPIER_JARS": str(jars_folder())}

    def start(self, *words: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [*CLI, *words], env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def croupier(self, *words: str, status: int = 0) -> str:
        process = self.start(*words)
        out, wrong = process.communicate()
        assert process.returncode == status, (words, out, wrong)
        return out if status == 0 else wrong

    def bots(self, hands: int) -> tuple[str, ...]:
        token = self.home / "keys" / "operator_token.hex"
        return ("bots", "--gateway", f"http://127.0.0.1:{self.port}", "--credential", str(token), "--hands", str(hands))

    def serve(self) -> None:
        self.croupier("serve", "--detach", "--port", str(self.port))


def forge(manifest: Path) -> None:
    """Another manifest, and its true digest: there is no key in SHA-256."""
    held = msgspec.json.decode(manifest.read_bytes(), type=dict[str, msgspec.Raw])
    raw = bytes(held["backup"]).replace(b'"began_at":', b'"began_at":1', 1)
    held |= {"backup": msgspec.Raw(raw), "sha256": msgspec.Raw(msgspec.json.encode(sha256(raw).hexdigest()))}
    manifest.write_bytes(msgspec.json.encode(held))


@pytest.fixture
def drill(monkeypatch: pytest.MonkeyPatch) -> Iterator[Drill]:
    for given in ("KAFKA_BOOTSTRAP_SERVERS", "DATABASE_URL"):
        monkeypatch.delenv(given, raising=False)
    # The database's user has to pass; another run of pytest shuts the folders above pytest's own temporary ones.
    with TemporaryDirectory(prefix="croupier-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        held = Drill(Path(folder))
        try:
            yield held
        finally:
            held.croupier("down", "--wipe")


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_house_that_is_gone_is_restored_and_plays_on(drill: Drill) -> None:
    drill.serve()
    playing = drill.start(*drill.bots(HANDS))
    time.sleep(5)

    killed = drill.start("backup", str(drill.folder))
    while killed.poll() is None and not list(drill.folder.glob("*.events.v1-*.records")):
        time.sleep(0.005)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL  # in the middle: it was copying
    assert "no backup that has come to its end" in drill.croupier("restore", str(drill.folder), "--unproved", status=1)

    first = json.loads(drill.croupier("backup", str(drill.folder), "--json"))
    assert first["copied"] == first["records"]
    playing.communicate(timeout=300)
    assert playing.returncode == 0
    for _ in range(2):
        drill.croupier("kek", "rotate")
    time.sleep(1.5)
    drill.croupier(*drill.bots(1))
    last = json.loads(drill.croupier("backup", str(drill.folder), "--json"))
    assert sum(last["journals"].values()) > sum(first["journals"].values())
    assert last["copied"] < last["records"]  # only what is new

    with reading(drill.folder, is_drill=False):
        assert "a house is restored from" in drill.croupier("backup", str(drill.folder), status=1)
    with alone(drill.folder):
        assert "a backup writes to" in drill.croupier("restore", str(drill.folder), status=1)
    refused = drill.croupier("restore", str(drill.folder), "--unproved", status=1)
    assert "is not empty" in refused
    drill.croupier("down", "--wipe")
    assert not (drill.home / "kafka-1").exists()
    drill.croupier("up")
    true = (drill.folder / MANIFEST).read_bytes()
    forge(drill.folder / MANIFEST)  # as whoever can write the folder would
    assert "--digest" in drill.croupier("restore", str(drill.folder), status=1)
    assert "digest is" in drill.croupier("restore", str(drill.folder), "--digest", last["sha256"], status=1)
    assert "begin in another folder" in drill.croupier("backup", str(drill.folder), status=1)
    (drill.folder / MANIFEST).write_bytes(true)
    said = drill.croupier("restore", str(drill.folder), "--verify", "--json")
    restored = json.loads(said)
    assert restored["journals"] == last["journals"]
    assert restored["records"] == last["records"]
    assert restored["differences"] == []
    assert restored["verified"]["findings"] == []
    assert restored["verified"]["hands"] >= HANDS * 3 // 4
    assert {key: each["sealed"] > 0 for key, each in restored["verified"]["decks"].items()} == {
        "kek-1": True,
        "kek-2": True,
    }, "a backup has no key; the house's file has every version"

    drill.serve()
    drill.croupier("rebuild", "--compare")
    drill.croupier(*drill.bots(1))
    after = json.loads(drill.croupier("verify", "--json"))
    assert after["findings"] == []
    assert after["hands"] >= restored["verified"]["hands"] + 1
