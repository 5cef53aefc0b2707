"""An event loop whose time jumps to the next timer: a minute of faults takes milliseconds, and a seed replays."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Deadlock(AssertionError):
    """Nothing is runnable and no timer is set."""


class _Selector(selectors.SelectSelector):
    """Waits for nothing but time, and time costs nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise Deadlock("nothing is runnable and no timer is set")
        self.now += max(0.0, timeout)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """`time()` is seconds since the loop was made. Callbacks run in the order in which they fall due."""

    def __init__(self) -> None:
        self._virtual = _Selector()
        super().__init__(self._virtual)

    def time(self) -> float:
        return self._virtual.now


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
