"""What an operator's tool needs: seconds, seconds of processor and the most memory of a process of its own."""

import os
import resource
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

_TOLD = 20_000
TOOLS = {
    "verify": ("verify", "--json"),
    "scan": ("scan", "--json"),
    "rebuild": ("rebuild", "--compare", "--json"),
    "export": ("export", "table-1", "2"),
}


def asked(home: Path, *command: str) -> dict[str, float]:
    """`exit` is its status; what it said on standard error is on ours, and where it failed its answer, too."""
    began, cpu = time.perf_counter(), _cpu_s()
    with TemporaryFile() as answer:
        child = subprocess.Popen(
            [sys.executable, "-m", "services.cli", *command, "--home", str(home)],
            stdout=answer, env={**os.environ, "CROUPIER_HOME": str(home)},
        )  # fmt: skip
        most = 0
        while child.poll() is None:
            most = max(most, peak_kb(child.pid))
            time.sleep(0.05)
        if child.returncode:
            answer.seek(0)
            print(answer.read()[-_TOLD:].decode(errors="replace"), file=sys.stderr)
    return {
        "seconds": round(time.perf_counter() - began, 1),
        "cpu_s": round(_cpu_s() - cpu, 1),
        "peak_mb": round(most / 1024),
        "exit": child.returncode,
    }


def _cpu_s() -> float:
    """Of the processes that have ended: what other work on the machine does not change much."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def peak_kb(process: int) -> int:
    """Of this program alone: what `wait4` says begins with what its parent had."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0
