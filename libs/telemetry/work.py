"""What is being worked on (trace, stream, command), for the log lines and records that are written meanwhile."""

from contextvars import ContextVar, Token

from opentelemetry import trace

_CURRENT: "ContextVar[Work | None]" = ContextVar("work", default=None)


class Work:
    """A context manager. Stands in hot paths: it costs half a microsecond and formats nothing."""

    __slots__ = ("_before", "command", "stream", "traceparent")

    def __init__(self, traceparent: str, stream: str = "", command: object = "") -> None:
        """`traceparent` as in the header of that name; `command` is an id, anything that `str` shows."""
        self.traceparent = traceparent
        self.stream = stream
        self.command = command
        self._before: Token[Work | None] | None = None

    def __enter__(self) -> "Work":
        self._before = _CURRENT.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._before is not None
        _CURRENT.reset(self._before)

    @property
    def trace_id(self) -> str:
        """Hexadecimal digits; empty outside of any trace."""
        return self._part(1)

    @property
    def span_id(self) -> str:
        return self._part(2)

    def _part(self, number: int) -> str:
        parts = self.traceparent.split("-")
        return parts[number] if len(parts) == 4 else ""


def current_work() -> Work | None:
    """What was entered last; outside of that, a span of a library's."""
    work = _CURRENT.get()
    if work is not None:
        return work
    context = trace.get_current_span().get_span_context()
    if not context.is_valid:
        return None
    return Work(f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}")


def current_traceparent() -> str:
    """The header value for what is sent now; empty where no trace runs."""
    work = current_work()
    return work.traceparent if work is not None else ""
