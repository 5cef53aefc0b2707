"""What is read while the house runs: seconds of processor by process, and bytes by topic."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil


@dataclass(frozen=True, slots=True)
class Reading:
    """Taken at one moment."""

    at: float
    """Seconds of the clock that all processes share (`time.monotonic`)."""
    seconds: dict[str, float]
    """Processor time, user and system, by name."""
    sizes: dict[str, int]
    """Bytes of log by topic."""


def cpu(processes: dict[str, list[int]]) -> dict[str, float]:
    """Seconds by name, of each named process and its children."""
    return {name: sum(map(_seconds, pids)) for name, pids in processes.items()}


def _seconds(pid: int) -> float:
    total = 0.0
    process = psutil.Process(pid)
    for each in [process, *process.children(recursive=True)]:
        try:
            times = each.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system
    return total


def sizes(data: Path) -> dict[str, int]:
    """Bytes by topic of a broker's data folder, the records alone."""
    found: dict[str, int] = {}
    for folder in data.iterdir():
        with suppress(FileNotFoundError, NotADirectoryError):  # deleted or compacted just now
            size = sum(segment.stat().st_size for segment in folder.iterdir() if segment.suffix == ".log")
            topic = folder.name.rpartition("-")[0]
            found[topic] = found.get(topic, 0) + size
    return found


def percentile(values: list[float], share: float) -> float:
    """Nearest rank; nothing measured is 0.0."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0
