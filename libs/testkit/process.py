"""One simulated process: it may sleep, wake as a zombie, or die at any await, and its requests still land."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from libs.journal.simulated import Gate, SimulatedBroker, SimulatedLog
from libs.testkit.weather import Weather


class Process:
    """Tasks behind one gate. `log` is its only way out."""

    def __init__(self, broker: SimulatedBroker, weather: Weather) -> None:
        self.gate = Gate()
        self.log = SimulatedLog(broker, weather, self.gate)
        self.tasks: list[asyncio.Task[Any]] = []

    def start(self, *coroutines: Coroutine[Any, Any, Any]) -> None:
        self.tasks += [asyncio.create_task(each) for each in coroutines]

    @property
    def dead(self) -> bool:
        return self.gate.dead

    def kill(self) -> None:
        """At whatever await each task stands. What is under way in the network lands all the same."""
        self.gate.kill()
        for task in self.tasks:
            task.cancel()

    def check(self) -> None:
        """Raises what one of the tasks died of by itself."""
        for task in self.tasks:
            if task.done() and not task.cancelled() and (wrong := task.exception()) is not None:
                raise wrong
