"""An event loop whose time jumps to the next timer: a minute of faults takes milliseconds, and a seed replays."""

# asyncio keeps no public interface for loops of one's own; what is private here is that of Python 3.11 to 3.13.
# mypy: disable-error-code="attr-defined,override"

import asyncio
import selectors
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context, copy_context
from heapq import heappop, heappush
from typing import Any, TypeVar

T = TypeVar("T")


class Deadlock(AssertionError):
    """Nothing is runnable and no timer is set."""


class _NoFiles(selectors.SelectSelector):
    """There is no network here: whoever waits for a file waits in vain."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        return []


class _Soon(asyncio.Handle):
    """A handle without the cost of debugging."""

    __slots__ = ()

    def __init__(
        self, callback: Callable[..., Any], args: Any, loop: asyncio.AbstractEventLoop, context: Context | None
    ) -> None:
        self._context = copy_context() if context is None else context
        self._loop = loop
        self._callback = callback
        self._args = args
        self._cancelled = False
        self._repr = None


class _Later(asyncio.TimerHandle):
    __slots__ = ()

    def __init__(
        self, when: float, callback: Callable[..., Any], args: Any, loop: asyncio.AbstractEventLoop,
        context: Context | None,
    ) -> None:  # fmt: skip
        _Soon.__init__(self, callback, args, loop, context)  # type: ignore[arg-type]
        self._when = when
        self._scheduled = True


class VirtualLoop(asyncio.SelectorEventLoop):
    """`time()` is seconds since the loop was made. Timers run in the order in which they fall due, ties as set."""

    def __init__(self) -> None:
        super().__init__(_NoFiles())
        self._now = 0.0
        self._set = 0
        self._soon: deque[asyncio.Handle] = deque()
        self._timers: list[tuple[float, int, _Later]] = []

    def time(self) -> float:
        return self._now

    def call_soon(self, callback: Callable[..., Any], *args: Any, context: Context | None = None) -> asyncio.Handle:
        handle = _Soon(callback, args, self, context)
        self._soon.append(handle)
        return handle

    def call_later(self, delay: float, callback: Any, *args: Any, context: Context | None = None) -> Any:
        return self.call_at(self._now + delay, callback, *args, context=context)

    def call_at(self, when: float, callback: Any, *args: Any, context: Context | None = None) -> Any:
        handle = _Later(when, callback, args, self, context)
        self._set += 1
        heappush(self._timers, (when, self._set, handle))
        return handle

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """It is dropped when its time comes."""

    def _run_once(self) -> None:
        soon, timers = self._soon, self._timers
        if not soon:
            while timers and timers[0][2]._cancelled:
                heappop(timers)
            if not timers:
                raise Deadlock("nothing is runnable and no timer is set")
            self._now = max(self._now, timers[0][0])
        while timers and timers[0][0] <= self._now:
            soon.append(heappop(timers)[2])
        for _ in range(len(soon)):
            handle = soon.popleft()
            if not handle._cancelled:
                handle._run()


def run(main: Coroutine[Any, Any, T]) -> T:
    """Runs to the end on virtual time and drops whatever is still pending. Raises `Deadlock`, or what `main` raises."""
    loop = VirtualLoop()
    loop.set_exception_handler(lambda loop, context: None)  # dropped tasks are no news
    try:
        return loop.run_until_complete(main)
    finally:
        _drop(loop)
        loop.close()


def _drop(loop: VirtualLoop) -> None:
    tasks = [task for task in asyncio.all_tasks(loop) if not task.done()]
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.wait(tasks, timeout=60))
