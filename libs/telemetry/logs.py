"""Structured logs: one JSON object a line, with trace ids, and with nothing secret in it."""

import logging
import sys
import time
import traceback
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, cast

import structlog
from structlog.typing import EventDict, WrappedLogger

from libs.telemetry.work import current_work


@dataclass(slots=True)
class _Said:
    at: float
    left_out: int = 0


class Repetitions(logging.Filter):
    """Of a line that some loggers repeat, one passes in `every_s` seconds; `left_out` in the next counts the others.

    Lines are told apart by logger, level, the text without its arguments, and where an exception came from. For
    libraries, and for what strangers can make us say as often as they like: all else that our own code says is never
    left out.
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
        if not any(record.name == each or record.name.startswith(f"{each}.") for each in self._loggers):
            return True
        now, key = self._now(), (record.name, record.levelno, _text(record))
        said = self._said.get(key)
        if said is not None and now - said.at < self._every_s:
            said.left_out += 1
            return False
        if said is not None and said.left_out:
            (record.msg if isinstance(record.msg, dict) else record.__dict__)["left_out"] = said.left_out
        if said is None and len(self._said) >= _TEXTS:
            self._said.clear()  # a library that writes its arguments into the text
        self._said[key] = _Said(now)
        return True


_TEXTS = 1_000


def _text(record: logging.LogRecord) -> str:
    """Of a line of ours, which is a dictionary by then, the event."""
    ours: dict[str, Any] | None = record.msg if isinstance(record.msg, dict) else None
    wrong = ours.get("exc_info") if ours is not None else record.exc_info
    error = wrong[1] if isinstance(wrong, tuple) else wrong
    what = str(ours.get("event") if ours is not None else record.msg)
    if not isinstance(error, BaseException):
        return what
    frames = traceback.extract_tb(error.__traceback__)
    return f"{what} {type(error).__qualname__} {frames[-1].filename}:{frames[-1].lineno}" if frames else what


REDACTED = "[redacted]"
_SECRET_WORDS = ("card", "deck", "salt", "secret", "token", "password", "authorization", "kek", "data_key", "sealed")


def redact(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Last line of defence: a field whose name speaks of a secret never reaches the file, whatever it holds."""
    for name in event:
        if name != "event" and any(word in name.lower() for word in _SECRET_WORDS):
            event[name] = REDACTED
    return event


def add_work(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Trace, stream and command of what is being done; what the line says itself stays."""
    work = current_work()
    if work is not None:
        said = {"trace_id": work.trace_id, "span_id": work.span_id, "stream": work.stream, "command_id": work.command}
        for name, value in said.items():
            if value:
                event.setdefault(name, str(value))
    return event


def configure_logs(service: str, level: str = "INFO", file: Path | None = None) -> None:
    """Sends structlog and the standard library's loggers to one JSON stream: `file`, or standard error."""
    stream: TextIO = sys.stderr
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        stream = file.open("a", encoding="utf-8", buffering=1)

    def add_service(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
        event["service"] = service
        return event

    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        add_service,
        add_work,
        redact,
    ]
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[structlog.stdlib.ExtraAdder(), *shared],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    # 900 lines a second while a broker is away; a traceback for each request that breaks; 1,000 wrong tokens a second.
    handler.addFilter(Repetitions(("aiokafka", "uvicorn", "libs.door", "libs.edge.handlers", "libs.identity.failures")))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for noisy in ("aiokafka", "asyncio", "httpx", "uvicorn.access"):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, root.level))
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(root.level),
        cache_logger_on_first_use=True,
    )


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    return cast(structlog.stdlib.BoundLogger, structlog.get_logger(name))
