"""Ports that are chosen seconds before they are used."""

import socket
import subprocess
import sys

import pytest

from libs.stack import ports

_OTHER = "from libs.stack.ports import free_port; print(*(free_port() for _ in range(1000)), flush=True); input()"


def test_two_processes_that_choose_at_once_never_choose_the_same() -> None:
    """They drew from one range without telling each other: one house of 180 drew a port of its own twice."""
    others = [
        subprocess.Popen([sys.executable, "-c", _OTHER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    ours = [ports.free_port() for _ in range(1000)]
    theirs = [each.stdout.readline().split() for each in others if each.stdout is not None]
    for each in others:
        each.communicate("\n")
    drawn = [*ours, *(int(port) for line in theirs for port in line)]
    assert len(drawn) == len(set(drawn)) == 3000


def test_a_port_that_is_taken_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", ports.free_port()))
        other = ports.free_port()
        monkeypatch.setattr(ports, "_PORTS", iter([taken.getsockname()[1], other]))
        assert ports.free_port() == other
