"""Coroutines that live and die together, ended in the order in which they were given (so that a seed replays)."""

import asyncio
from collections.abc import Coroutine
from typing import Any


async def together(*coroutines: Coroutine[Any, Any, None]) -> None:
    """Runs all; when one ends or raises, or this is cancelled, cancels the others and waits for them.

    RuntimeError when one was cancelled that nobody here cancelled: a library's own mishap must not look like an end.
    """
    tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
    try:
        first, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await end(tasks)
    for task in tasks:
        if not task.cancelled() and (wrong := task.exception()) is not None:
            raise wrong
    for task in first:
        try:
            task.result()
        except asyncio.CancelledError as mishap:
            raise RuntimeError(f"{task.get_coro()} was cancelled from within") from mishap


async def end(tasks: "list[asyncio.Task[Any]]") -> None:
    """Cancels and waits; what they raise is left in them."""
    for task in tasks:
        task.cancel()
    for task in tasks:
        await asyncio.wait([task])
