"""One simulated process: it may sleep, wake as a zombie, or die at any await, and its requests still land."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from libs.journal.marks import Marking
from tests.testkit.marks import UNMARKED
from tests.testkit.simulated import Gate, SimulatedBroker, SimulatedLog
from tests.testkit.weather import Weather


class Process:
    """Tasks behind one gate. `log` is its only way out."""

    def __init__(self, broker: SimulatedBroker, weather: Weather, marks: Marking = UNMARKED) -> None:
        self.gate = Gate()
        self.log = SimulatedLog(broker, weather, self.gate, marks)
        self.tasks: list[asyncio.Task[Any]] = []
        self._died_of: BaseException | None = None

    def start(self, *coroutines: Coroutine[Any, Any, Any]) -> None:
        for each in coroutines:
            task = asyncio.create_task(each)
            task.add_done_callback(self._ended)
            self.tasks.append(task)

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
        if self._died_of is not None:
            raise self._died_of

    def _ended(self, task: "asyncio.Task[Any]") -> None:
        if not task.cancelled() and (wrong := task.exception()) is not None:
            self._died_of = self._died_of or wrong
