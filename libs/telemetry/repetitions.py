"""Keeps a library that says one thing a thousand times a second from filling the disk with it."""

import logging
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass


@dataclass(slots=True)
class _Said:
    at: float
    left_out: int = 0


class Repetitions(logging.Filter):
    """Of a line that some loggers repeat, one passes in `every_s` seconds; `left_out` in the next counts the others.

    Lines are told apart by logger, level and the text without its arguments. For libraries only: what our own code says
    is never left out.
    """

    def __init__(
        self, loggers: Collection[str], every_s: float = 5.0, now: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._loggers = tuple(loggers)
        self._every_s = every_s
        self._now = now
        self._said: dict[tuple[str, int, str], _Said] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.split(".", 1)[0] not in self._loggers:
            return True
        now, key = self._now(), (record.name, record.levelno, str(record.msg))
        said = self._said.get(key)
        if said is not None and now - said.at < self._every_s:
            said.left_out += 1
            return False
        if said is not None and said.left_out:
            record.__dict__["left_out"] = said.left_out
        if said is None and len(self._said) >= _TEXTS:
            self._said.clear()  # a library that writes its arguments into the text
        self._said[key] = _Said(now)
        return True


_TEXTS = 1_000
