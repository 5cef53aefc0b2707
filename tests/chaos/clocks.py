"""A service's clock that can be set while it runs: libfaketime (the wheel of that name), read anew at every look."""

import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path


def library() -> Path | None:
    """The preloaded library, where the wheel carries one for this platform."""
    found = find_spec("libfaketime")
    if found is None or found.origin is None or sys.platform != "linux":
        return None
    path = Path(found.origin).parent / "vendor" / "libfaketime" / "src" / "libfaketime.so.1"
    return path if path.exists() else None


@dataclass(frozen=True, slots=True)
class Clock:
    """Wall time only: time-outs and event loops go by the monotonic clock, which is left alone."""

    file: Path

    def environment(self) -> dict[str, str]:
        self.put(0)
        return {
            "LD_PRELOAD": str(library()),
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }

    def put(self, seconds: int) -> None:
        """So many seconds before or after the true time, from now on."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        beside = self.file.with_suffix(".new")
        beside.write_text(f"{seconds:+d}\n")
        beside.replace(self.file)  # never read half written
