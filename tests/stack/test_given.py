"""What answers at addresses that are given, or why nothing does: in a pod there is nobody who could start it."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from libs.stack import StackError, broker, database, running
from libs.stack.health import without_password

ADDRESSES = ("KAFKA_BOOTSTRAP_SERVERS", "DATABASE_URL")


@pytest.fixture
def nobody() -> str:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{held.getsockname()[1]}"


def test_a_command_in_a_pod_says_what_does_not_answer(nobody: str, tmp_path: Path) -> None:
    """Found by an operator: a wrong password read as if somebody should run `croupier up`."""
    given = {
        "CROUPIER_HOME": str(tmp_path),
        "KAFKA_BOOTSTRAP_SERVERS": nobody,
        "DATABASE_URL": f"postgresql://inspector:secret-one@{nobody}/croupier",
    }
    told = subprocess.run(
        [sys.executable, "-m", "services.cli", "backup", str(tmp_path / "backup")],
        env=given, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.returncode == 1
    assert told.stderr == f"croupier: no Kafka answers at {nobody}\n"


@pytest.mark.parametrize("lacks", ADDRESSES)
def test_one_address_alone_is_told_which_one_is_missing(
    nobody: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacks: str
) -> None:
    for name in ADDRESSES:
        monkeypatch.setenv(name, nobody if name.startswith("KAFKA") else f"postgresql://a:b@{nobody}/croupier")
    monkeypatch.delenv(lacks)
    with pytest.raises(StackError, match=f"{lacks} is not set"):
        running(tmp_path)


def test_each_of_them_says_why(nobody: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", nobody)
    monkeypatch.setenv("DATABASE_URL", f"postgresql://inspector:secret-one@{nobody}/croupier")
    with pytest.raises(StackError, match=f"no Kafka answers at {nobody}"):
        broker(tmp_path)
    with pytest.raises(StackError, match=r"no PostgreSQL answers at .*\(ConnectionRefusedError\)") as refused:
        database(tmp_path)
    assert "secret-one" not in str(refused.value)


def test_where_nothing_is_given_nothing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ADDRESSES:
        monkeypatch.delenv(name, raising=False)
    assert (running(tmp_path), broker(tmp_path), database(tmp_path)) == (None, None, None)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ann:secret@db:5432/croupier", "postgresql://ann@db:5432/croupier"),
        ("postgresql://ann:se@cret@db/croupier", "postgresql://ann@db/croupier"),
        ("postgresql://ann@db/croupier?password=secret&passfile=/x", "postgresql://ann@db/croupier?passfile=%2Fx"),
        ("postgresql://db/croupier?user=ann&password=se@cret", "postgresql://db/croupier?user=ann"),
        ("postgresql://db/croupier?PASSWORD=secret", "postgresql://db/croupier"),
        ("postgresql://db/croupier?password=a://b", "postgresql://db/croupier"),
        ("ann:secret@db/croupier", "what is no address"),
        ("postgresql://db/croupier?passfile=%2Frun%2Fan%40b", "postgresql://db/croupier?passfile=%2Frun%2Fan%40b"),
    ],
)
def test_no_password_of_an_address_is_shown(url: str, shown: str) -> None:
    assert without_password(url) == shown
