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


class _Set(list[Any]):
    """A handle: callback, arguments, context; empty once it is cancelled. `asyncio.Handle` takes five times as long to
    make, and a seed makes ten thousand."""

    __slots__ = ()

    cancel = list.clear


class VirtualLoop(asyncio.SelectorEventLoop):
    """`time()` is seconds since the loop was made. Timers run in the order in which they fall due, ties as set."""

    def __init__(self) -> None:
        super().__init__(_NoFiles())
        self._now = 0.0
        self._set = 0
        self._soon: deque[_Set] = deque()
        self._timers: list[tuple[float, int, _Set]] = []

    def time(self) -> float:
        return self._now

    def call_soon(self, callback: Callable[..., Any], *args: Any, context: Context | None = None) -> Any:
        handle = _Set((callback, args, copy_context() if context is None else context))
        self._soon.append(handle)
        return handle

    def call_later(self, delay: float, callback: Any, *args: Any, context: Context | None = None) -> Any:
        return self.call_at(self._now + delay, callback, *args, context=context)

    def call_at(self, when: float, callback: Any, *args: Any, context: Context | None = None) -> Any:
        handle = _Set((callback, args, copy_context() if context is None else context))
        self._set += 1
        heappush(self._timers, (when, self._set, handle))
        return handle

    def create_task(self, coro: Any, *, name: Any = None, context: Context | None = None) -> "asyncio.Task[Any]":
        return asyncio.Task(coro, loop=self, name=name, context=context)

    def create_future(self) -> "asyncio.Future[Any]":
        return asyncio.Future(loop=self)

    def _run_once(self) -> None:
        soon, timers = self._soon, self._timers
        if not soon:
            while timers and not timers[0][2]:
                heappop(timers)
            if not timers:
                raise Deadlock("nothing is runnable and no timer is set")
            self._now = max(self._now, timers[0][0])
        while timers and timers[0][0] <= self._now:
            soon.append(heappop(timers)[2])
        for _ in range(len(soon)):
            handle = soon.popleft()
            if handle:
                callback, args, context = handle
                try:
                    context.run(callback, *args)
                except (SystemExit, KeyboardInterrupt):
                    raise
                except BaseException as wrong:
                    self.call_exception_handler({"message": f"{callback}", "exception": wrong})


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
