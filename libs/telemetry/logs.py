"""Structured logs: one JSON object a line, with trace ids, and with nothing secret in it."""

import logging
import sys
from pathlib import Path
from typing import Any, TextIO, cast

import structlog
from structlog.typing import EventDict, WrappedLogger

from libs.telemetry.repetitions import Repetitions
from libs.telemetry.work import current_work

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
    handler.addFilter(Repetitions(("aiokafka",)))  # 900 lines a second while a broker is away
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
