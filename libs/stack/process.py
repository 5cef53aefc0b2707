"""Detached processes with pid files: they outlive the command that started them. How the stack tells what it does."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

_COMPLAINT = re.compile(r"^(Caused by: )?[\w.$]+(Exception|Error): |\bERROR\b|\bFATAL\b")


def spawn(command: Sequence[str], *, pid_file: Path, log: Path, env: dict[str, str] | None = None) -> int:
    """Start a process in a session of its own, its output appended to `log`; its pid, also kept in `pid_file`."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as out:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, **(env or {})},
        )
    claim(pid_file, process.pid)
    return process.pid


def claim(pid_file: Path, pid: int | None = None) -> None:
    """Says that this process, or that one, is the one of the pid file."""
    process = psutil.Process(pid)
    pid_file.parent.mkdir(parents=True, exist_ok=True)
    # Both numbers: a pid alone may belong to somebody else after a reboot.
    pid_file.write_text(json.dumps({"pid": process.pid, "started": process.create_time()}))


def alive(pid_file: Path) -> psutil.Process | None:
    """The process of a pid file, if it is still the same one and runs."""
    try:
        kept = json.loads(pid_file.read_text())
        process = psutil.Process(kept["pid"])
        if process.create_time() != kept["started"] or process.status() == psutil.STATUS_ZOMBIE:
            return None
    except (OSError, ValueError, KeyError, psutil.NoSuchProcess):
        return None
    return process


def running(pid: int, name: str) -> int | None:
    """`pid` if a live process of that name has it, else None."""
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE or name not in process.name():
            return None
    except psutil.NoSuchProcess:
        return None
    return pid


def stop(pid_file: Path, *, grace_s: float = 15.0) -> None:
    """Ask the process to end, and end it after `grace_s` seconds; nothing if it is gone already."""
    process = alive(pid_file)
    if process is not None:
        with suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGTERM)
            if not _wait(pid_file, grace_s):
                process.kill()
                _wait(pid_file, grace_s)
    pid_file.unlink(missing_ok=True)


def _wait(pid_file: Path, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if alive(pid_file) is None:
            return True
        time.sleep(0.05)
    return False


_LOOKED_AT = 256 * 1024
"""Bytes at the end of a log: who ended said why last."""


def complaint(log: Path) -> str:
    """What a log says went wrong, in one line, for an error message; its last line if it names nothing; else empty."""
    lines = _end_of(log).splitlines() if log.exists() else []
    bad = [line for line in lines if _COMPLAINT.search(line)]
    return (bad or lines or [""])[-1].strip()


def _end_of(log: Path) -> str:
    """A log may be larger than memory."""
    with log.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _LOOKED_AT))
        return file.read(_LOOKED_AT).decode(errors="replace")


Progress = Callable[[str, int, int], None]
"""Called with what is being done, how far it is and how much there is: (`"Kafka jars"`, 12, 46). Done when equal."""


def silent(_what: str, _done: int, _total: int) -> None:
    """Nobody is watching."""
